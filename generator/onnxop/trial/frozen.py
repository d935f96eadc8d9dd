"""A trace of TorchScript's → the lines at which it keeps what values of these inputs decided, for all inputs."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

import torch
from torch.jit import _builtins

from . import places
from .places import Place

_OF_VALUES = (
    *("__bool__", "__int__", "__float__", "__complex__", "__index__", "__array__"),
    *("item", "numpy", "tolist"),
)
_OF_SIZES = ("__iter__", "__len__")
_SIZES = (
    *("aten::size", "aten::numel", "aten::dim", "aten::_shape_as_tensor", "aten::len"),
    *("aten::ones_like", "aten::zeros_like", "aten::new_ones", "aten::new_zeros"),
)
_SELECTING_BY = ("aten::index", "aten::masked_select")  # a mask
_SELECTING = ("aten::argwhere", "torchvision::nms")  # besides those that PyTorch marks


@contextmanager
def watched(count: int) -> Iterator[list[Place]]:
    """The lines at which a trace that is made meanwhile asks a tensor for a number, or for how many there
    are, or makes another of such, where that hangs on the values of the model's inputs, of which
    there are ``count``. Numbers of sizes and weights are the same for all inputs of these sizes; so
    is what an assertion asks for.

    How many values a selection leaves is told of the user's own lines alone: a library that asks, as
    torchvision does, has ways that come to the same.
    """
    found: list[Place] = []
    known: dict[Any, bool] = {}

    def watching(owner: Any, name: str) -> Callable[..., Any]:
        ask = getattr(owner, name)

        @wraps(ask)
        def asked(given: Any, *args: Any, **kwargs: Any) -> Any:
            if torch._C._get_tracing_state() is not None:
                place = _place(sys._getframe(1))
                is_own = places.is_users(place.file) and not place.through
                walk = _Walk(count, known, selects=is_own)
                is_told = place in found or place.code.startswith("assert ")
                of_size = name in _OF_SIZES
                if not is_told and any(walk.hangs(x, of_size=of_size) for x in _tensors(given)):
                    found.append(place)
            return ask(given, *args, **kwargs)

        return asked

    with ExitStack() as stack:
        for name in (*_OF_VALUES, *_OF_SIZES):
            stack.enter_context(_replaced(torch.Tensor, name, watching(torch.Tensor, name)))
        stack.enter_context(_replaced(torch, "tensor", watching(torch, "tensor")))
        yield found


@contextmanager
def _replaced(owner: Any, name: str, instead: Callable[..., Any]) -> Iterator[None]:
    """While it lasts, PyTorch calls this, and what is scripted still what was there."""
    table: Any = _builtins._get_builtin_table()  # type: ignore[no-untyped-call]
    own = vars(owner).get(name)
    if known := table.get(id(own)):
        table[id(instead)] = known
    setattr(owner, name, instead)
    try:
        yield
    finally:
        table.pop(id(instead), None)
        if own is None:  # inherited from the C++ class
            delattr(owner, name)
        else:
            setattr(owner, name, own)


def _tensors(value: Any) -> list[Any]:
    if isinstance(value, list | tuple):
        return [tensor for item in value for tensor in _tensors(item)]
    return [value] if isinstance(value, torch.Tensor) else []


def _place(frame: Any) -> Place:
    """The user's line, of the frames within the model."""
    frames: list[places.Frame] = []
    while places.is_own(frame.f_code.co_filename):  # one that asks in another's stead
        frame = frame.f_back
    while frame is not None and not places.is_own(frame.f_code.co_filename):
        frames.insert(0, (frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back
    file, line = frames[-1]
    return places.of_frames(frames) or Place(file, line, linecache.getline(file, line).strip())


class _Walk:
    """From a value of a trace to what it is computed of; ``known`` is what other walks have found."""

    def __init__(self, count: int, known: dict[Any, bool], *, selects: bool) -> None:
        self._count, self._known, self._selects = count, known, selects

    def hangs(self, tensor: Any, *, of_size: bool) -> bool:
        """Whether the tensor's value, or its first size, hangs on values of inputs."""
        internals: Any = torch._C
        try:
            value = internals._get_value_trace(tensor)
        except RuntimeError:  # no value of the trace's, but a weight
            return False
        start = value, 0 if of_size else "value"
        todo: list[tuple[Any, Any]] = [start]
        seen: set[Any] = set()
        while todo:
            value, what = todo.pop()
            key = self._key(value, what)
            if self._known.get(key) or self._is_input(value, what):
                self._known[self._key(*start)] = True
                return True
            if key not in seen and key not in self._known:
                seen.add(key)
                todo += self._of(value, what)
        self._known |= dict.fromkeys(seen, False)
        return False

    def _key(self, value: Any, what: Any) -> tuple[Any, ...]:
        return value.unique(), what, self._selects

    def _is_input(self, value: Any, what: Any) -> bool:
        """Whether it is the value of one, and not a weight's, which come after."""
        is_given = value.node().kind() == "prim::Param" and value.offset() < self._count
        return is_given and bool(what == "value")

    def _of(self, value: Any, what: Any) -> Iterator[tuple[Any, Any]]:
        """What the value is computed of; or, with a dimension, or None for any, what its size is."""
        node = value.node()
        given = [*node.inputs()]
        if what == "value" and node.kind() in _SIZES:
            if self._selects and given:
                dimension = given[1].toIValue() if node.kind() == "aten::size" else None
                yield given[0], _counted(given[0], dimension)
        elif what == "value":
            yield from ((each, "value") for each in given)
        elif _is_selection(node, what):
            selecting = given[1:] if node.kind() in _SELECTING_BY else given
            yield from ((each, "value") for each in selecting)
        else:
            for each in (item for value in given for item in _items(value)):
                if each.type().kind() != "TensorType":
                    is_many = each.type().kind() in ("ListType", "TupleType")
                    yield each, None if is_many else "value"  # a size that is given
                elif each.type().dim() != 0:
                    yield each, what if _sizes(each) == _sizes(value) is not None else None


def _items(value: Any) -> list[Any]:
    """The values of a list that is made at once; of another value, itself."""
    is_list = value.node().kind() == "prim::ListConstruct"
    return [*value.node().inputs()] if is_list else [value]


def _sizes(value: Any) -> list[int] | None:
    return value.type().sizes() if value.type().kind() == "TensorType" else None


def _counted(value: Any, dimension: int | None) -> int | None:
    """The dimension from the front."""
    rank = value.type().dim() if value.type().kind() == "TensorType" else None
    return None if rank is None or dimension is None else dimension % max(rank, 1)


def _is_selection(node: Any, dimension: int | None) -> bool:
    """Whether values decide how many there are in the dimension, or in any, of what the node gives."""
    if node.kind() in _SELECTING:
        return True
    if node.kind() == "aten::index":
        indices = _items([*node.inputs()][1])
        given = [at for at, each in enumerate(indices) if each.type().kind() == "TensorType"]
        has_mask = any(indices[at].type().dtype() == torch.bool for at in given)
        return has_mask and dimension in (None, given[0])
    if node.schema() == "(no schema)":
        return False
    schema = torch._C.parse_schema(node.schema())
    namespace, _, name = node.kind().partition("::")
    packet = getattr(getattr(torch.ops, namespace), name, None)
    overload = getattr(packet, schema.overload_name or "default", None)
    return torch.Tag.dynamic_output_shape in getattr(overload, "tags", ())
