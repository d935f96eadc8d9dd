"""The same libraries in ONNX Runtime's CUDA provider."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from .checks import SkippedError, make
from .libraries import my_add

PROVIDER = "CUDAExecutionProvider"


def io_binding(paths: dict[str, Path], folder: Path) -> str:
    """Run a node on the provider, without a copy to the host."""
    try:
        import numpy as np
        import onnxruntime  # type: ignore[import-untyped]
    except ModuleNotFoundError as error:
        raise SkippedError(f"{error.name} is missing") from None
    providers = onnxruntime.get_available_providers()
    if PROVIDER not in providers:
        raise SkippedError(f"onnxruntime {onnxruntime.__version__} has {', '.join(providers)} only")
    onnxruntime.preload_dlls()
    types = {torch.float32: np.float32, torch.float16: np.float16}
    for dtype, numpy_type in types.items():
        options = onnxruntime.SessionOptions()
        options.register_custom_ops_library(str(paths["my_add"]))
        options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
        options.enable_profiling = True
        options.profile_file_prefix = str(folder / "profile")
        session: Any = onnxruntime.InferenceSession(_model(dtype), options, providers=[PROVIDER])
        assert session.get_providers()[0] == PROVIDER, session.get_providers()
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
