"""The reference packages' libraries for CUDA, built here, and their operators, defined without the packages."""

from __future__ import annotations

import ctypes
import hashlib
import runpy
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "runtime" / "onnxop_runtime"
SCHEMAS = {
    "my_add": ("my_lib", "my_add(Tensor a, Tensor b) -> Tensor"),
    "asinh": ("asinh", "asinh(Tensor self) -> Tensor"),
}


class NoCompilerError(Exception):
    """nvcc is not installed."""


def build(folder: Path) -> dict[str, Path]:
    """Build the libraries for this machine's GPU, and return their paths by package."""
    nvcc: Any = runpy.run_path(str(RUNTIME / "nvcc.py"))["Nvcc"].find()
    if nvcc is None:
        raise NoCompilerError("nvcc is missing")
    paths: dict[str, Path] = {}
    for name in SCHEMAS:
        csrc = ROOT / "reference_ops" / name / "csrc"
        paths[name] = folder / f"lib{name}_cuda.so"
        include = [str(csrc), str(RUNTIME / "include")]
        cxx = ["g++", "-std=c++20", "-fPIC", "-g0"]
        sources = [str(csrc / f"{name}.cpp")]
        nvcc.build(paths[name], sources, include, cxx, folder / name, _digest)
    return paths


def _digest(obj: str, command: str, _: list[str]) -> str:
    """Return a hash of the command alone: the folder is new in each run."""
    return hashlib.sha256(f"{obj} {command}".encode()).hexdigest()


def register(paths: dict[str, Path]) -> list[torch.library.Library]:
    """Define the operators, and register their kernels. They last as long as the result."""
    definitions = []
    for name, path in paths.items():
        namespace, schema = SCHEMAS[name]
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
