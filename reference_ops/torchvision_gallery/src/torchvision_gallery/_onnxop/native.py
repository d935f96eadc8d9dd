"""Compiled kernels in PyTorch: their registration, and what they return where there are no values."""

from __future__ import annotations

import ctypes
import importlib
import importlib.util
import json
import threading
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch._prims_common import is_contiguous_or_false

from . import reference
from .lists import tensors_in
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


def serves(operator: Operator, types: Mapping[str, Collection[int]]) -> bool:
    """Whether the library computes a node whose inputs have these element types, by ONNX's numbers, as
    far as they are known: those of each argument, of which a list may have several, or none.
    """
    told = _told(operator)
    found = {*types.get(told["input"], told["types"][:1])}
    return len(found) == 1 and found <= {*told["types"]}


def variants(operator: Operator) -> int:
    """How many kinds of nodes of the operator, each with a function of its own, the library knows."""
    found: int = _told(operator)["variants"]
    return found


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


def register_elementwise(operator: Operator) -> None:
    """Gives an elementwise kernel its reference, and its fake kernel: one dtype in, the broadcast
    shape out.
    """
    reference.register(operator)
    compute = reference.of(operator)
    assert compute is not None  # its expression is one

    def fake(*args: Any, **kwargs: Any) -> Any:
        values = operator.values(args, kwargs)
        tensors = reference.check(operator, values)
        first = tensors[0]
        if first.dtype not in operator.dtypes:
            return compute(*values)
        shape = torch.broadcast_shapes(*(each.shape for each in tensors))  # type: ignore[no-untyped-call,unused-ignore]
        found = first.new_empty(shape, dtype=operator.result or first.dtype)
        order = _order(tensors, shape)
        return (
            found.new_empty([shape[d] for d in order]).permute(_inverse(order)) if order else found
        )

    torch.library.register_fake(str(operator), fake, allow_override=True)


def _order(tensors: Sequence[Tensor], shape: torch.Size) -> list[int]:
    """The dimensions of an elementwise result, the outermost in memory first: those of the first
    tensor of its shape that repeats nothing; none where that is row-major order, or there is none.
    """
    for tensor in tensors:
        if tensor.shape != shape:
            continue
        if is_contiguous_or_false(tensor):
            return []
        strides, sized = tensor.stride(), [d for d, size in enumerate(shape) if size != 1]
        if any(strides[d] == 0 for d in sized):
            continue
        order = sorted(sized, key=lambda d: strides[d], reverse=True)
        rest = [d for d in range(len(shape)) if d not in sized]
        return order + rest if order != sized else []
    return []


def _inverse(order: Sequence[int]) -> list[int]:
    return [order.index(dimension) for dimension in range(len(order))]


def register_source(operator: Operator) -> None:
    """Gives a kernel written by hand its reference, and its fake kernel: what its infer() says."""
    reference.register(operator)
    compute = reference.of(operator)

    def fake(*args: Any, **kwargs: Any) -> Any:
        values = operator.values(args, kwargs)
        if compute is not None and reference.is_needed(operator, values):
            return compute(*values)
        like = next(iter(tensors_in(values)), torch.empty(0))
        results = tuple(_empty(like, *output) for output in operator.infer(*values))
        return results if len(results) > 1 else results[0]

    torch.library.register_fake(str(operator), fake, allow_override=True)


def _empty(like: Tensor, dtype: torch.dtype, sizes: list[Any]) -> Tensor:
    """A tensor as infer() says; its sizes that depend on data are still open."""
    if None in sizes:
        context: Any = torch.library.get_ctx()
        sizes = [context.new_dynamic_size() if size is None else size for size in sizes]
    return like.new_empty(sizes, dtype=dtype)
