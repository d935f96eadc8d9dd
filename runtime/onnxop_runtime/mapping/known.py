"""A node of a mapping → the numbers and sizes that follow from known ones, so that no node makes too many numbers.

ONNX's inference, the exporters and ONNX Runtime compute the nodes of constants: a size that is too large takes all
memory of each of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .definitions import ELEMENT_TYPES, FLOATS
from .numbers import is_list, leaves, sizes_of
from .problems import MappingError, error

Numbers = NDArray[Any]
"""Numbers of float64 or int64."""
Shape = tuple[int, ...]

MOST_NUMBERS = 2**28
"""The numbers that a node may make out of sizes that are known before the model runs: a mask of 16,384 * 16,384."""
_MOST_COMPUTED = 1_000
"""The most numbers that are computed here: sizes of tensors are few."""


@dataclass(frozen=True)
class KnownTensor:
    """What is known of a tensor before the model runs: its sizes, and its numbers if they are few."""

    shape: Shape
    numbers: Numbers | None = None


Inputs = Sequence[KnownTensor | None]
Attributes = Mapping[str, Any]


def constant(value: Any) -> KnownTensor | None:
    """Return what is known of a number or regular lists of numbers; None if they are many."""
    count, item = 1, value
    while is_list(item) and item:
        count, item = count * len(item), item[0]
    if count > _MOST_COMPUTED:
        return None
    items = leaves(value)
    is_computed = bool(items) and all(map(_is_held, items))
    return KnownTensor(tuple(sizes_of(value) or ()), np.array(value) if is_computed else None)


def _is_held(item: object) -> bool:
    """Return whether a number is one of float64 or int64."""
    if isinstance(item, bool):
        return False
    return isinstance(item, float) or (isinstance(item, int) and -(2**63) <= item < 2**63)


def argument(sizes: Sequence[object] | None) -> KnownTensor | None:
    """Return what is known of an argument of these sizes."""
    if sizes is None:
        return None
    integers = [size for size in sizes if isinstance(size, int)]
    return KnownTensor(tuple(integers)) if len(integers) == len(sizes) else None


def output_of(op: str, inputs: Inputs, attributes: Attributes) -> KnownTensor | None:
    """Return what is known of the first output of a node. Raise MappingError if it would have too many numbers."""
    try:
        with np.errstate(all="ignore"):
            if op in _MADE:
                return _checked(op, _MADE[op](inputs))
            numbers = _computed(op, inputs, attributes)
            if numbers is not None and numbers.size <= _MOST_COMPUTED:
                return KnownTensor(numbers.shape, numbers)
            return _like_inputs(op, inputs)
    except MappingError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None  # ONNX refuses the node


def _checked(op: str, shape: Shape | None) -> KnownTensor | None:
    if shape is None:
        return None
    if math.prod(shape) > MOST_NUMBERS:
        fact = f"op.{op} makes more than {MOST_NUMBERS:,} numbers here"
        raise error(fact, "write smaller numbers")
    return KnownTensor(shape)


# ---- Nodes that make numbers ----


def _of_range(inputs: Inputs) -> Shape | None:
    arrays = _arrays(inputs)
    if len(arrays) < len(inputs):
        return None
    start, limit, delta = (array.item() for array in arrays)
    count = (limit - start) / delta if delta else 0
    return (math.ceil(max(count, 0)),)


def _of_constant(inputs: Inputs) -> Shape | None:
    return _sizes(inputs[0])


def _of_expand(inputs: Inputs) -> Shape | None:
    sizes, tensor = _sizes(inputs[1]), inputs[0]
    if sizes is None or tensor is None:
        return sizes
    pairs = [*zip_longest(reversed(tensor.shape), reversed(sizes), fillvalue=1)]
    return tuple(max(pair) if min(pair) else 0 for pair in pairs)[::-1]


def _of_tile(inputs: Inputs) -> Shape | None:
    repeats, tensor = _sizes(inputs[1]), inputs[0]
    if repeats is None or tensor is None or len(repeats) != len(tensor.shape):
        return repeats
    return tuple(size * count for size, count in zip(tensor.shape, repeats, strict=True))


def _of_pad(inputs: Inputs) -> Shape | None:
    pads = _sizes(inputs[1]) if len(inputs) > 1 else None
    if pads is None:
        return None
    rank = len(pads) // 2
    sizes = (0,) * rank if inputs[0] is None else inputs[0].shape
    sides = zip(sizes, pads[:rank], pads[rank:], strict=False)
    return tuple(max(size + before + after, 0) for size, before, after in sides)


def _of_one_hot(inputs: Inputs) -> Shape | None:
    tensor, depth = inputs[0], inputs[1]
    if depth is None or depth.numbers is None:
        return None
    return (*(() if tensor is None else tensor.shape), int(depth.numbers.reshape(()).item()))


_MADE: dict[str, Callable[[Inputs], Shape | None]] = {
    "ConstantOfShape": _of_constant,
    "Expand": _of_expand,
    "OneHot": _of_one_hot,
    "Pad": _of_pad,
    "Range": _of_range,
    "Tile": _of_tile,
}


def _arrays(inputs: Inputs) -> list[Numbers]:
    """Return the numbers of the inputs whose numbers are known."""
    return [known.numbers for known in inputs if known is not None and known.numbers is not None]


def _sizes(known: KnownTensor | None) -> Shape | None:
    if known is None or known.numbers is None or known.numbers.dtype != np.int64:
        return None
    return tuple(known.numbers.reshape(-1).tolist())


# ---- Nodes that compute sizes ----

_ELEMENTWISE: dict[str, Callable[..., Numbers]] = {
    "Abs": np.abs,
    "Add": np.add,
    "Ceil": np.ceil,
    "Floor": np.floor,
    "Identity": np.positive,
    "Mul": np.multiply,
    "Neg": np.negative,
    "Pow": np.power,
    "Sub": np.subtract,
}
_OF_SEVERAL: dict[str, Callable[..., Any]] = {"Max": np.max, "Min": np.min, "Sum": np.sum}
_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceSum": np.sum,
}
_ALIKE = {*_ELEMENTWISE, "Cast", "CastLike", "Div", "Max", "Min", "Mod", "Not", "Sqrt", "Sum"}
"""The ops whose output has the broadcast sizes of the inputs."""


def _computed(op: str, inputs: Inputs, attributes: Attributes) -> Numbers | None:
    """Return the numbers of a node of known ones; raise what numpy raises if they do not fit."""
    if op in ("Shape", "Size") and inputs[0] is not None:
        sizes = inputs[0].shape
        counted = sizes[attributes.get("start", 0) : attributes.get("end")]
        return np.array(counted if op == "Shape" else math.prod(sizes), dtype=np.int64)
    if op == "Constant":
        values = [v for name, v in attributes.items() if name in ("value_int", "value_ints")]
        return np.array(values[0], dtype=np.int64) if values else None
    arrays = _arrays(inputs)
    if not arrays or len(arrays) < len(inputs):
        return None
    first, *others = arrays
    if op in _ELEMENTWISE:
        return np.asarray(_ELEMENTWISE[op](first, *others))
    if op in _OF_SEVERAL:
        return np.asarray(_OF_SEVERAL[op](np.broadcast_arrays(first, *others), axis=0))
    return _arranged(op, first, others, attributes)


def _arranged(
    op: str, first: Numbers, others: Sequence[Numbers], attributes: Attributes
) -> Numbers | None:
    """Return the numbers of an op that divides, casts, reduces or arranges those of its inputs."""
    axis = attributes.get("axis", 0)
    axes: Any = others[0].tolist() if others else attributes.get("axes")
    match op:
        case "Cast" | "CastLike":
            is_float = ELEMENT_TYPES.get(attributes.get("to", 0)) in FLOATS
            dtype = others[0].dtype if others else np.dtype(float if is_float else np.int64)
            return first.astype(dtype)
        case "Div" if first.dtype == np.int64 == others[0].dtype:
            return np.trunc(np.divide(first, others[0])).astype(np.int64)
        case "Div":
            return np.asarray(np.divide(first, others[0]))
        case "Mod":
            compute = np.fmod if attributes.get("fmod") else np.mod
            return np.asarray(compute(first, others[0]))
        case "Concat":
            return np.concatenate([first, *others], axis)
        case "Gather":
            return np.asarray(np.take(first, others[0], axis))
        case "Reshape":
            return first.reshape(others[0].tolist())
        case "Slice" if first.ndim == 1 and len(others) > 1:
            starts, ends, *rest = (array.item() for array in others)
            return first[starts : ends : rest[1] if len(rest) > 1 else 1]
        case "Squeeze":
            return np.squeeze(first, None if axes is None else tuple(axes))
        case "Unsqueeze":
            return np.expand_dims(first, tuple(axes))
        case _ if op in _REDUCTIONS:
            kept = bool(attributes.get("keepdims", 1))
            reduced = None if axes is None else tuple(axes)
            return np.asarray(_REDUCTIONS[op](first, axis=reduced, keepdims=kept))
    return None


def _like_inputs(op: str, inputs: Inputs) -> KnownTensor | None:
    """Return the sizes of a node that computes each number from those at its place."""
    shapes = [known.shape for known in inputs if known is not None]
    if op not in _ALIKE or len(shapes) < len(inputs):
        return None
    return KnownTensor(np.broadcast_shapes(*shapes))
