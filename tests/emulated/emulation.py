"""Builds of kernels for CUDA by g++, with tests/csrc/standin/cuda/cuda_runtime.h, and calls of them
on CPU tensors.
"""

from __future__ import annotations

import ctypes
import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

ROOT = Path(__file__).parents[2]
INCLUDE = ROOT / "runtime" / "onnxop_runtime" / "include"
CSRC = ROOT / "tests" / "csrc"
STANDIN = CSRC / "standin" / "cuda"
FLAGS = (
    "-std=c++20 -O1 -fPIC -Wall -Wextra -Werror -Wno-unknown-pragmas -Wno-unused-parameter "
    "-fno-math-errno -ffp-contract=off -fwrapv"
)
CUDA = "-DONNXOP_CUDA=13", f"-I{STANDIN}", "-include", str(STANDIN / "cuda_runtime.h")
"""What makes g++ compile kernels for CUDA."""
HOSTS = "torch/abi.cpp", "torch/library.cpp", "onnxruntime/library.cpp"

DTYPES = (
    *(torch.float32, torch.float64, torch.float16, torch.bfloat16),
    *(torch.uint8, torch.uint16, torch.uint32, torch.uint64),
    *(torch.int8, torch.int16, torch.int32, torch.int64, torch.bool),
)
"""PyTorch's dtypes in the order of onnxop's ``Dtype``."""

Argument = Tensor | float | None


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("sizes", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
    )

    @classmethod
    def of(cls, tensor: Tensor | None) -> _Tensor:
        if tensor is None:
            return cls(None, -1, 0, None, None)
        numbers = ctypes.c_int64 * tensor.dim()
        sizes, strides = numbers(*tensor.shape), numbers(*tensor.stride())
        return cls(tensor.data_ptr(), DTYPES.index(tensor.dtype), tensor.dim(), sizes, strides)


class _Argument(ctypes.Structure):
    _fields_ = (
        ("tensor", _Tensor),
        ("integer", ctypes.c_int64),
        ("real", ctypes.c_double),
        ("is_integral", ctypes.c_int32),
    )

    @classmethod
    def of(cls, value: Argument) -> _Argument:
        if value is None or isinstance(value, Tensor):
            return cls(_Tensor.of(value), 0, 0.0, 0)
        return cls(_Tensor.of(None), int(value), float(value), isinstance(value, int))


class Kernels:
    """The kernels of a library, on CPU tensors."""

    def __init__(self, path: Path) -> None:
        self._call: Any = ctypes.CDLL(str(path)).call
        self._call.restype = ctypes.c_char_p

    def compute(self, name: str, results: Sequence[Tensor], *arguments: Argument) -> None:
        """Compute an op into its results, whose sizes and dtypes infer() must return."""
        self._run(name, False, results, (), arguments)

    def backward(
        self,
        name: str,
        gradients: Sequence[Tensor | None],
        grads: Sequence[Tensor],
        *arguments: Argument,
    ) -> None:
        """Compute the gradients of an op; those that are None are not wanted."""
        self._run(name, True, gradients, grads, arguments)

    def _run(
        self,
        name: str,
        is_backward: bool,
        results: Sequence[Tensor | None],
        grads: Sequence[Tensor],
        arguments: Sequence[Argument],
    ) -> None:
        error = self._call(
            name.encode(),
            is_backward,
            *_array(_Tensor, [*map(_Tensor.of, results)]),
            *_array(_Tensor, [*map(_Tensor.of, grads)]),
            *_array(_Argument, [*map(_Argument.of, arguments)]),
        )
        if error is not None:
            raise RuntimeError(error.decode())


def _array(kind: Any, items: Sequence[Any]) -> tuple[Any, Any]:
    """Return a C array and its length."""
    return (kind * len(items))(*items), ctypes.c_size_t(len(items))


def build(sources: Sequence[Path], path: Path, *, for_cuda: bool) -> None:
    """Build the ops of these files, each a package's ``csrc/<op>.cpp``, for `Kernels`."""
    _build([CSRC / "emulated.cpp", *sources], path, *(CUDA if for_cuda else ()))


def library(sources: Sequence[Path], path: Path) -> Path:
    """Build a package's library for CUDA. ONNX Runtime's CPU provider runs its kernels, so register
    it alone.
    """
    hosts = [INCLUDE / "onnxop" / host for host in HOSTS]
    files = [*hosts, STANDIN / "runtime.cpp", *sources]
    return _build(files, path, *CUDA, "-DONNXOP_CUDA_PROVIDER=nullptr")


def _build(sources: Sequence[Path], path: Path, *flags: str) -> Path:
    compiler = shlex.split(os.environ.get("CXX", "g++"))
    common = [*shlex.split(FLAGS), *flags, f"-I{INCLUDE}"]
    objects: list[str] = []
    path.parent.mkdir(parents=True, exist_ok=True)
    for number, source in enumerate(sources):
        objects.append(str(path.parent / f"{number}_{source.stem}.o"))
        subprocess.run([*compiler, *common, "-c", str(source), "-o", objects[-1]], check=True)
    subprocess.run([*compiler, "-shared", *objects, "-o", str(path), "-ldl"], check=True)
    return path
