"""A node of a mapping → the numbers and sizes that follow from known ones, so that no node makes
too many numbers.

ONNX's inference, the exporters and ONNX Runtime compute the nodes of constants: a size that is too
large takes all memory of each of them.
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
from .problems import MappingError, MappingProblem, error

Numbers = NDArray[Any]
"""Numbers of float64 or int64."""
Shape = tuple[int, ...]

MOST_NUMBERS = 2**28
"""The numbers that a node may make out of sizes that are known before the model runs: a mask of
16,384 * 16,384.
"""
_MOST_COMPUTED = 1_000
"""The most numbers that are computed here: sizes of tensors are few."""


@dataclass(frozen=True)
class KnownTensor:
    """What is known of a tensor before the model runs: its sizes, and its numbers if they
    are few.
    """

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
    shape = tuple(sizes_of(value) or ())
    if not items or not all(map(_fits_64_bits, items)):
        return KnownTensor(shape)
    return KnownTensor(shape, np.array(value))


def _fits_64_bits(item: object) -> bool:
    """Return whether numpy holds a number as float64 or int64."""
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
    """Return what is known of the first output of a node. Raise MappingError if it would have too
    many numbers.
    """
    try:
        with np.errstate(all="ignore"):
            if op in _SHAPES:
                shape = _SHAPES[op](inputs)
                return None if shape is None else _with_few_numbers(op, shape)
            numbers = _computed(op, inputs, attributes)
            if numbers is not None and numbers.size <= _MOST_COMPUTED:
                return KnownTensor(numbers.shape, numbers)
            return _broadcast(op, inputs)
    except MappingError:
        raise
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return None  # ONNX refuses the node


def _with_few_numbers(op: str, shape: Shape) -> KnownTensor:
    """Return an output of this shape. Raise MappingError if it has too many numbers."""
    if math.prod(shape) > MOST_NUMBERS:
        problem = too_many_numbers(op)
        raise error(problem.fact, problem.remedy)
    return KnownTensor(shape)


def too_many_numbers(op: str) -> MappingProblem:
    """Return the problem of a node whose output has too many numbers."""
    fact = f"op.{op} makes more than {MOST_NUMBERS:,} numbers here"
    return MappingProblem(fact, "write smaller numbers")


# ---- Nodes whose output may be much larger than their inputs: each function returns its shape ----


def _range_shape(inputs: Inputs) -> Shape | None:
    arrays = _arrays(inputs)
    if len(arrays) < len(inputs):
        return None
    start, limit, delta = (array.item() for array in arrays)
    count = (limit - start) / delta if delta else 0
    return (math.ceil(max(count, 0)),)


def _constant_shape(inputs: Inputs) -> Shape | None:
    return _sizes(inputs[0])


def _expand_shape(inputs: Inputs) -> Shape | None:
    sizes, tensor = _sizes(inputs[1]), inputs[0]
    if sizes is None or tensor is None:
        return sizes
    pairs = [*zip_longest(reversed(tensor.shape), reversed(sizes), fillvalue=1)]
    return tuple(max(pair) if min(pair) else 0 for pair in pairs)[::-1]


def _tile_shape(inputs: Inputs) -> Shape | None:
    repeats, tensor = _sizes(inputs[1]), inputs[0]
    if repeats is None or tensor is None or len(repeats) != len(tensor.shape):
        return repeats
    return tuple(size * count for size, count in zip(tensor.shape, repeats, strict=True))


def _pad_shape(inputs: Inputs) -> Shape | None:
    pads = _sizes(inputs[1]) if len(inputs) > 1 else None
    if pads is None:
        return None
    rank = len(pads) // 2
    sizes = (0,) * rank if inputs[0] is None else inputs[0].shape
    sides = zip(sizes, pads[:rank], pads[rank:], strict=False)
    return tuple(max(size + before + after, 0) for size, before, after in sides)


def _one_hot_shape(inputs: Inputs) -> Shape | None:
    tensor, depth = inputs[0], inputs[1]
    if depth is None or depth.numbers is None:
        return None
    return (*(() if tensor is None else tensor.shape), int(depth.numbers.reshape(()).item()))


_SHAPES: dict[str, Callable[[Inputs], Shape | None]] = {
    "ConstantOfShape": _constant_shape,
    "Expand": _expand_shape,
    "OneHot": _one_hot_shape,
    "Pad": _pad_shape,
    "Range": _range_shape,
    "Tile": _tile_shape,
}


def _arrays(inputs: Inputs) -> list[Numbers]:
    """Return the numbers of the inputs whose numbers are known."""
    return [known.numbers for known in inputs if known is not None and known.numbers is not None]


def _sizes(known: KnownTensor | None) -> Shape | None:
    """Return the integers of an input of sizes, counts or pads; None if they are unknown."""
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
_VARIADIC: dict[str, Callable[..., Any]] = {"Max": np.max, "Min": np.min, "Sum": np.sum}
_REDUCTIONS: dict[str, Callable[..., Any]] = {
    "ReduceMax": np.max,
    "ReduceMin": np.min,
    "ReduceProd": np.prod,
    "ReduceSum": np.sum,
}
_BROADCASTING = {
    *_ELEMENTWISE,
    "Cast",
    "CastLike",
    "Div",
    "Max",
    "Min",
    "Mod",
    "Not",
    "Sqrt",
    "Sum",
}
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
    if op in _VARIADIC:
        return np.asarray(_VARIADIC[op](np.broadcast_arrays(first, *others), axis=0))
    return _rearranged(op, first, others, attributes)


def _rearranged(
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
            start, end, *axis_and_step = (array.item() for array in others)
            step = axis_and_step[1] if len(axis_and_step) > 1 else 1
            return first[start:end:step]
        case "Squeeze":
            return np.squeeze(first, None if axes is None else tuple(axes))
        case "Unsqueeze":
            return np.expand_dims(first, tuple(axes))
        case _ if op in _REDUCTIONS:
            keepdims = bool(attributes.get("keepdims", 1))
            axis = None if axes is None else tuple(axes)
            return np.asarray(_REDUCTIONS[op](first, axis=axis, keepdims=keepdims))
    return None


def _broadcast(op: str, inputs: Inputs) -> KnownTensor | None:
    """Return the shape to which an elementwise node broadcasts its inputs."""
    shapes = [known.shape for known in inputs if known is not None]
    if op not in _BROADCASTING or len(shapes) < len(inputs):
        return None
    return KnownTensor(np.broadcast_shapes(*shapes))
