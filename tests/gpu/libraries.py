"""The reference packages' libraries for CUDA, built here, and their operators, defined without the
packages.
"""

from __future__ import annotations

import builtins
import ctypes
import hashlib
import importlib
import re
import runpy
import shutil
import sys
import tomllib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "runtime" / "onnxop_runtime"
VISION = ROOT / "reference_ops" / "vision_ops"


class NoCompilerError(Exception):
    """nvcc is not installed."""


@dataclass(frozen=True)
class Source:
    """A library to build: the C++ of its operators, as packages have it in ``csrc``, and kernels by
    hand in ``ops``.
    """

    operators: tuple[Path, ...]
    kernels: tuple[Path, ...] = ()

    @property
    def schemas(self) -> list[tuple[str, str]]:
        """The namespace and the schema of each operator, gradients included, as the C++ has
        them.
        """
        texts = [path.read_text(encoding="utf-8") for path in self.operators]
        return [
            (namespace, schema)
            for text in texts
            for namespace in re.findall(r'\.name = "(\w+)::', text)
            for literals in re.findall(r'\.(?:backward_)?schema =((?:\s*"[^"]*")+),', text)
            for schema in ["".join(re.findall(r'"([^"]*)"', literals))]
        ]


def _reference(package: str) -> Source:
    return Source((ROOT / "reference_ops" / package / "csrc" / f"{package}.cpp",))


SOURCES = {
    "my_add": _reference("my_add"),
    "asinh": _reference("asinh"),
    # The C++ that onnxop writes for tests/specs/rms_norm.toml: a machine with a GPU may lack
    # onnxop.
    "rms_norm": Source(
        (Path(__file__).parent / "rms_norm" / "rms_norm.cpp",),
        (ROOT / "tests" / "specs" / "rms_norm.h",),
    ),
    "vision_ops": Source(
        (VISION / "csrc" / "roi_align_rotated.cpp", VISION / "csrc" / "ms_deform_attn.cpp"),
        tuple(sorted((VISION / "ops").glob("*.*h"))),
    ),
}


def build(folder: Path) -> dict[str, Path]:
    """Build the libraries for this machine's GPU, and return their paths by package."""
    nvcc: Any = runpy.run_path(str(RUNTIME / "nvcc.py"))["Nvcc"].find()
    if nvcc is None:
        raise NoCompilerError("nvcc is missing")

    def build_one(name: str) -> Path:
        source, package = SOURCES[name], folder / name
        sources = [str(_copied(path, package / "csrc")) for path in source.operators]
        for kernel in source.kernels:
            _copied(kernel, package / "ops")
        if not source.kernels:
            shutil.copytree(source.operators[0].parent, package / "csrc", dirs_exist_ok=True)
        path = folder / f"lib{name}_cuda.so"
        include = [str(package / "csrc"), str(RUNTIME / "include")]
        cxx = ["g++", "-std=c++20", "-fPIC", "-g0"]
        nvcc.build(path, sources, include, cxx, package / "objects", _digest)
        return path

    with ThreadPoolExecutor() as pool:
        return dict(zip(SOURCES, pool.map(build_one, SOURCES), strict=True))


def _copied(path: Path, folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copy(path, folder))


def _digest(obj: str, command: str, _: list[str]) -> str:
    """Return a hash of the command alone: the folder is new in each run."""
    return hashlib.sha256(f"{obj} {command}".encode()).hexdigest()


def register(paths: dict[str, Path]) -> list[torch.library.Library]:
    """Define the operators, and register their kernels. They last as long as the result."""
    definitions = []
    for name, path in paths.items():
        for namespace, schema in SOURCES[name].schemas:
            definition = torch.library.Library(namespace, "FRAGMENT")  # type: ignore[no-untyped-call,unused-ignore]
            definition.define(schema)  # type: ignore[no-untyped-call,unused-ignore]
            definitions.append(definition)
        library = ctypes.CDLL(str(path))
        library.onnxop_register_torch.restype = ctypes.c_char_p
        error = library.onnxop_register_torch()
        if error is not None:
            raise RuntimeError(error.decode())
    torch.library.register_fake("my_lib::my_add", _fake_add)
    torch.library.register_fake("asinh::asinh", torch.empty_like)
    torch.library.register_autograd("my_lib::my_add", _add_gradients, setup_context=_save_shapes)
    return definitions


@contextmanager
def fused() -> Iterator[None]:
    """Have Inductor fuse my_add, as its package does."""
    from torch._inductor import decomposition as inductor

    overload = torch.ops.my_lib.my_add.default
    _internals().decompose_in_inductor(overload, lambda a, b: 2 * a + b, "gpu")
    try:
        yield
    finally:
        for table in (inductor.decompositions, inductor.fast_random_decomps()):
            del table[overload]


def _internals() -> Any:
    """Return the runtime's module, which needs only PyTorch: the machine may lack the package's
    other requirements.
    """
    if str(RUNTIME.parent) not in sys.path:
        sys.path.append(str(RUNTIME.parent))
    return importlib.import_module("onnxop_runtime.torch_internals")


def reference(operator: str) -> Callable[..., Tensor]:
    """Return the reference implementation of an operator of vision_ops, from its spec."""
    spec = tomllib.loads((VISION / "ops" / f"{operator}.toml").read_text(encoding="utf-8"))
    names = re.findall(r"(\w+)(?:=[^,)]+)?[,)]", spec["op"]["schema"].partition(" -> ")[0])
    body = "".join(f"    {line}\n" for line in spec["kernel"]["python"].splitlines())
    own = {name: value for name, value in vars(torch).items() if not hasattr(builtins, name)}
    namespace: dict[str, Any] = {**own, "torch": torch}
    exec(f"def function({', '.join(names)}):\n{body}", namespace)  # noqa: S102
    function: Callable[..., Tensor] = namespace["function"]
    return function


def _fake_add(a: Tensor, b: Tensor) -> Tensor:
    return a.new_empty(torch.broadcast_shapes(a.shape, b.shape))  # type: ignore[no-untyped-call,unused-ignore]


def _save_shapes(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    ctx.shapes = [tensor.shape for tensor in inputs]


def _add_gradients(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor]:
    first, second = ctx.shapes
    return (2 * grad).sum_to_size(first), grad.sum_to_size(second)


def my_add(a: Tensor, b: Tensor) -> Tensor:
    result: Tensor = torch.ops.my_lib.my_add(a, b)
    return result


def asinh(x: Tensor) -> Tensor:
    result: Tensor = torch.ops.asinh.asinh(x)
    return result


def rms_norm(x: Tensor, weight: Tensor, eps: float = 1e-6) -> Tensor:
    result: Tensor = torch.ops.my_lib.rms_norm(x, weight, eps)
    return result


def rms_norm_backward(grad: Tensor, x: Tensor, weight: Tensor, eps: float = 1e-6) -> list[Tensor]:
    """Return the gradients of x and of the weight."""
    return [*torch.ops.my_lib.rms_norm_backward(grad, x, weight, eps, [True, True])]


def roi_align_rotated(image: Tensor, rois: Tensor, *rest: float) -> Tensor:
    result: Tensor = torch.ops.vision_ops.roi_align_rotated(image, rois, *rest)
    return result


def ms_deform_attn(*tensors: Tensor) -> Tensor:
    result: Tensor = torch.ops.vision_ops.ms_deform_attn(*tensors)
    return result
