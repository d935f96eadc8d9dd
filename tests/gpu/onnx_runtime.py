"""The same libraries in ONNX Runtime's CUDA provider."""

from __future__ import annotations

import ctypes
import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .checks import SkippedError
from .inputs import make
from .libraries import my_add, rms_norm

PROVIDER = "CUDAExecutionProvider"


def _runtime() -> Any:
    """Return onnxruntime with the CUDA provider."""
    try:
        import onnxruntime  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise SkippedError(f"{error.name} is missing") from None
    providers = onnxruntime.get_available_providers()
    if PROVIDER not in providers:
        raise SkippedError(f"onnxruntime {onnxruntime.__version__} has {', '.join(providers)} only")
    onnxruntime.preload_dlls()
    return onnxruntime


def _served(path: Path) -> dict[str, dict[str, int]]:
    """Return the number of nodes that the library computes in this thread's last session, by
    provider.
    """
    library = ctypes.CDLL(str(path))
    library.onnxop_served.restype = ctypes.c_char_p
    counts: dict[str, dict[str, int]] = json.loads(library.onnxop_served(None))
    return counts


def io_binding(paths: dict[str, Path], folder: Path) -> str:
    """Run a node on the provider, without a copy to the host."""
    onnxruntime = _runtime()
    import numpy as np

    types = {torch.float32: np.float32, torch.float16: np.float16}
    for dtype, numpy_type in types.items():
        options = onnxruntime.SessionOptions()
        options.register_custom_ops_library(str(paths["my_add"]))
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.enable_profiling = True
        options.profile_file_prefix = str(folder / "profile")
        session: Any = onnxruntime.InferenceSession(_model(dtype), options, providers=[PROVIDER])
        assert session.get_providers()[0] == PROVIDER, session.get_providers()
        assert _served(paths["my_add"]) == {"my_lib::my_add": {"cuda": 1}}
        a, b = make((100, 64), dtype), make((64,), dtype)
        c = torch.empty_like(a)
        torch.cuda.synchronize()
        binding = session.io_binding()
        for name, tensor, bind in (
            ("a", a, binding.bind_input),
            ("b", b, binding.bind_input),
            ("c", c, binding.bind_output),
        ):
            bind(name, "cuda", 0, numpy_type, list(tensor.shape), tensor.data_ptr())
        session.run_with_iobinding(binding)
        binding.synchronize_outputs()
        assert torch.equal(c, my_add(a, b).relu()), dtype
        profile = Path(session.end_profiling()).read_text(encoding="utf-8")
        assert "Memcpy" not in profile, "the session copies"
    return str(onnxruntime.__version__)


def rows(paths: dict[str, Path]) -> str:
    """Run a kernel by hand, whose rows are blocks, with numpy arrays."""
    session = _session(_runtime(), paths["rms_norm"], _rms_norm_model())
    assert _served(paths["rms_norm"]) == {"my_lib::rms_norm": {"cuda": 1}}
    for count in (0, 1, 300):
        x, weight = make((count, 129), torch.float32), make((129,), torch.float32)
        assert torch.equal(_run(session, x, weight), rms_norm(x, weight).cpu()), count
    return ""


def threads(paths: dict[str, Path]) -> str:
    """Run one session on several threads at once, each with its own tensors."""
    session = _session(_runtime(), paths["rms_norm"], _rms_norm_model())
    calls = [(make((500, 129), torch.float32), make((129,), torch.float32)) for _ in range(16)]
    expected = [rms_norm(*call).cpu() for call in calls]
    with ThreadPoolExecutor(8) as pool:
        results = [*pool.map(lambda call: _run(session, *call), calls * 4)]
    assert all(map(torch.equal, results, expected * 4))
    return f"{len(results)} runs"


def _session(onnxruntime: Any, library: Path, model: bytes) -> Any:
    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(str(library))
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    return onnxruntime.InferenceSession(model, options, providers=[PROVIDER])


def _run(session: Any, x: Tensor, weight: Tensor) -> Tensor:
    (result,) = session.run(None, {"x": x.cpu().numpy(), "weight": weight.cpu().numpy()})
    return torch.from_numpy(result)


def _rms_norm_model() -> bytes:
    try:
        from onnx import parser
    except ModuleNotFoundError:
        raise SkippedError("onnx is missing") from None
    text = """<ir_version: 8, opset_import: ["": 18, "my_lib": 1]>
    g (float[n, m] x, float[m] weight) => (float[n, m] y) { y = my_lib.rms_norm (x, weight) }"""
    model: bytes = parser.parse_model(text).SerializeToString()
    return model


def _model(dtype: torch.dtype) -> bytes:
    try:
        from onnx import TensorProto, helper
    except ModuleNotFoundError:
        raise SkippedError("onnx is missing") from None
    kind = TensorProto.FLOAT if dtype == torch.float32 else TensorProto.FLOAT16
    sizes: dict[str, Any] = {"a": ["n", 64], "b": [64], "c": ["n", 64]}
    a, b, c = (helper.make_tensor_value_info(name, kind, size) for name, size in sizes.items())
    nodes = [
        helper.make_node("my_add", ["a", "b"], ["t"], domain="my_lib"),
        helper.make_node("Relu", ["t"], ["c"]),
    ]
    graph = helper.make_graph(nodes, "graph", [a, b], [c])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("my_lib", 1)]
    model: bytes = helper.make_model(graph, opset_imports=opsets, ir_version=10).SerializeToString()
    return model
