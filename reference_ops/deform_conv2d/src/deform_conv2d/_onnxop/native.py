"""Compiled kernels in PyTorch: their registration, and what they return where there are no values."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import json
import threading
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from .operator import PACKAGE, Operator

_EXTENSION = f"{PACKAGE}._kernel"


def load(operators: Sequence[str]) -> Any:
    """Registers the operators with PyTorch's dispatcher, by importing the extension module, once.

    Args:
        operators: all that the extension holds: ``my_lib::my_add``.

    Returns:
        The extension module.

    Raises:
        ImportError: the package is not built, or another library has registered an operator: a
            second registration would end the process.
    """
    path = extension(_EXTENSION)
    for operator in operators:
        if path not in torch.ops.loaded_libraries and is_registered(operator):
            raise ImportError(
                f"{operator} is already registered by another library; a process can hold it once, "
                f"so {path} is not loaded"
            )
    module: Any = importlib.import_module(_EXTENSION)
    torch.ops.loaded_libraries.add(path)
    return module


def implement(operator: Operator, **functions: Any) -> None:
    """Has Python call the kernel of an operator that takes a Scalar, which libtorch's stable ABI does not
    hand over. ``functions`` are the extension's, by the name of the operator that they compute.
    """
    for name, function in functions.items():
        full = f"{operator.namespace}::{name}"
        if not torch._C._dispatch_has_kernel_for_dispatch_key(full, "CPU"):
            torch.library.impl(full, "cpu", function)


def library_path() -> str:
    """The library for ONNX Runtime. Raises ImportError where the package is not built, or has none."""
    path = Path(__file__).parents[1] / f"lib{PACKAGE}_onnxruntime.so"
    if not path.is_file():
        raise ImportError(not_built(path))
    return str(path.resolve())


@cache
def library() -> Any:
    """The same, to ask it what it is."""
    found = ctypes.CDLL(library_path())
    found.onnxop_library.restype = ctypes.c_char_p
    found.onnxop_kernels.restype = ctypes.c_uint64
    return found


@cache
def _told(operator: Operator) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(library().onnxop_library())["ops"][str(operator)]
    return found


def serves(operator: Operator, types: Mapping[str, int]) -> bool:
    """Whether the library computes a node whose inputs have these element types, by ONNX's numbers, as
    far as they are known.
    """
    told = _told(operator)
    return types.get(told["input"], told["types"][0]) in told["types"]


def interrupt(thread: threading.Thread, exception: type[BaseException]) -> None:
    """Has the exception raised in a thread, where it runs Python's code."""
    identity = ctypes.c_ulong(thread.ident or 0)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(exception))


def extension(name: str) -> str:
    """Where a compiled module lies. Raises ImportError where the package is not built."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        raise ImportError(not_built(name))
    return str(Path(spec.origin).resolve())


def not_built(what: object) -> str:
    return f"{what} is not built; run pip install . in the folder of its setup.py"


def is_registered(operator: str) -> bool:
    namespace, _, name = operator.partition("::")
    return hasattr(getattr(torch.ops, namespace), name)


def register_elementwise(
    operator: Operator,
    dtypes: Sequence[torch.dtype],
    *,
    result: torch.dtype | None = None,
    integers: Sequence[str] = (),
) -> None:
    """Gives an elementwise kernel its fake kernel: one dtype in, the broadcast shape out.

    ``result`` is the dtype that comes out, where that is another one; ``integers`` are the Scalars that
    the kernel takes as integers where its tensors hold them.
    """

    def fake(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip((a.name for a in operator.arguments), args, strict=False)) | kwargs
        tensors = {tensor.name: given[tensor.name] for tensor in operator.tensors}
        _check(operator, tensors, dtypes)
        _check_scalars(operator, {name: given.get(name) for name in integers}, tensors)
        shapes = [tensor.shape for tensor in tensors.values()]
        shape = torch.broadcast_shapes(*shapes)  # type: ignore[no-untyped-call,unused-ignore]
        first = next(iter(tensors.values()))
        return first.new_empty(shape, dtype=result or first.dtype)

    torch.library.register_fake(str(operator), fake, allow_override=True)


def _check(operator: Operator, tensors: dict[str, Tensor], dtypes: Sequence[torch.dtype]) -> None:
    """Refuses what the C++ kernel would refuse, so that a bad call fails while it is traced."""
    first_name, first = next(iter(tensors.items()))
    for name, tensor in tensors.items():
        if tensor.dtype not in dtypes:
            supported = ", ".join(str(dtype) for dtype in dtypes)
            raise RuntimeError(f"{operator} supports {supported}, but {name} is {tensor.dtype}")
        if tensor.dtype != first.dtype:
            raise RuntimeError(
                f"{operator}: {first_name} and {name} must have the same dtype, "
                f"but {first_name} is {first.dtype} and {name} is {tensor.dtype}"
            )
        if tensor.device != first.device:
            raise RuntimeError(
                f"{operator}: {first_name} and {name} must be on the same device, "
                f"but {first_name} is on {first.device} and {name} is on {tensor.device}"
            )


def _check_scalars(operator: Operator, scalars: dict[str, Any], tensors: dict[str, Tensor]) -> None:
    """Refuses a real number beside integers, which PyTorch would compute in another dtype."""
    first, tensor = next(iter(tensors.items()))
    for name, value in scalars.items():
        if isinstance(value, float | torch.SymFloat) and not tensor.dtype.is_floating_point:
            raise RuntimeError(
                f"{operator}: {name} is a float, but {first} is {tensor.dtype}, and the result "
                f"would be of another dtype; convert {first}, or give an integer"
            )


def register_source(operator: Operator) -> None:
    """Gives a kernel written by hand its fake kernel: what its infer() says."""

    def fake(*args: Any, **kwargs: Any) -> Any:
        given = dict(zip((a.name for a in operator.arguments), args, strict=False)) | kwargs
        values = [given.get(a.name, a.default) for a in operator.arguments]
        like = next(each for t in operator.tensors if (each := given.get(t.name)) is not None)
        found = operator.infer(*values)
        results = tuple(_empty(like, *output) for output in found)
        return results if len(results) > 1 else results[0]

    torch.library.register_fake(str(operator), fake, allow_override=True)


def _empty(like: Tensor, dtype: torch.dtype, sizes: list[Any]) -> Tensor:
    """A tensor as infer() says; its sizes that depend on data are still open."""
    if None in sizes:
        context: Any = torch.library.get_ctx()
        sizes = [context.new_dynamic_size() if size is None else size for size in sizes]
    return like.new_empty(sizes, dtype=dtype)
