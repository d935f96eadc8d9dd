"""Values of arguments: their forms in a spec's samples, and in calls of PyTorch."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.tensors import (
    SAMPLE_DTYPES,
    Literal,
    RandomTensor,
    SampleValue,
    TensorList,
)

_MOST_VALUES = 64  # of a tensor whose values are written out
_MOST_WITH_INDICES = 1024  # of floats that may be indices, as the first column of boxes is
_TYPES = (bool, int, float, str)


def value_of(value: SampleValue) -> Any:
    """Return the value for a call of PyTorch; draw a random tensor as a package's tests do."""
    import torch

    match value:
        case TensorList(items=items):
            return [value_of(item) for item in items]
        case Literal(expression=expression) if value.is_tensor:
            dtype = None if value.is_inferred else getattr(torch, value.dtype)
            return torch.tensor(_evaluated(expression), dtype=dtype)
        case Literal(expression=expression):
            if expression.startswith("torch."):
                return getattr(torch, expression.removeprefix("torch."))
            return _evaluated(expression)
    return _drawn(value)


class _Floats(ast.NodeTransformer):
    """Replace ``float("nan")`` and the like, which are not literals, by their values."""

    def visit_Call(self, node: ast.Call) -> ast.Constant:
        return ast.Constant(float(ast.literal_eval(node.args[0])))


def _evaluated(expression: str) -> Any:
    return ast.literal_eval(_Floats().visit(ast.parse(expression, mode="eval")))


def _drawn(tensor: RandomTensor) -> Any:
    """Draw a tensor as a sample describes it."""
    import torch

    dtype, shape = getattr(torch, tensor.dtype), tensor.shape
    if dtype == torch.bool:
        return torch.rand(shape) < 0.5
    if tensor.low is None and tensor.high is None:
        drawn = torch.randn(shape) if dtype.is_floating_point else torch.randint(0, 8, shape)
        return drawn.to(dtype)
    low = tensor.low if tensor.low is not None else 0
    high = tensor.high if tensor.high is not None else low + 1
    if not dtype.is_floating_point:
        return torch.randint(int(low), int(high) + 1, shape).to(dtype)
    return (torch.rand(shape) * (high - low) + low).to(dtype)


def recorded(value: object) -> SampleValue | None:
    """Return an argument's value in a model as one for a sample: a few values as they are, many by
    their bounds. Return None if a sample cannot have it.
    """
    import torch

    if isinstance(value, torch.Tensor):
        return _tensor(value)
    if isinstance(value, torch.dtype):
        name = str(value).removeprefix("torch.")
        return Literal(f"torch.{name}") if name in SAMPLE_DTYPES else None
    if value is None:
        return Literal("None")
    if isinstance(value, list | tuple):
        if any(isinstance(item, torch.Tensor) for item in value):
            items = [recorded(item) for item in value]
            kept = tuple(item for item in items if isinstance(item, RandomTensor | Literal))
            return TensorList(kept) if len(kept) == len(items) else None
        is_plain = all(isinstance(item, bool | int | float) for item in value)
        return Literal(pyexpr.literal(list(value))) if is_plain else None
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return Literal(pyexpr.literal(value)) if isinstance(value, _TYPES) else None


def _tensor(value: Any) -> SampleValue | None:
    """Describe a tensor of a call for a sample: by its values, or by its bounds; None if it
    cannot.
    """
    import torch

    dtype = str(value.dtype).removeprefix("torch.")
    if dtype not in SAMPLE_DTYPES or value.layout != torch.strided or value.is_quantized:
        return None
    value, shape = value.detach().cpu(), tuple(value.shape)
    if 0 in shape:
        return RandomTensor(dtype, shape, shape)
    if value.dtype.is_floating_point:
        return _tensor_of_floats(value, dtype, shape)
    if value.numel() <= _MOST_VALUES:
        return Literal(pyexpr.literal(value.tolist()), dtype, shape, dtype in ("int64", "bool"))
    if value.dtype == torch.bool:
        return RandomTensor(dtype, shape, shape)
    return RandomTensor(dtype, shape, shape, int(value.min()), int(value.max()))


def _tensor_of_floats(value: Any, dtype: str, shape: tuple[int, ...]) -> SampleValue:
    """Describe floats by their values if they are few, or have a column of whole numbers, which may
    be indices; else by their bounds.
    """
    finite = value.double()[value.isfinite()]
    has_indices = len(shape) == 2 and bool((value == value.round()).all(0).any())
    most = _MOST_WITH_INDICES if has_indices else _MOST_VALUES
    if value.numel() <= most and value.isfinite().all():
        return Literal(pyexpr.literal(_shortest(value)), dtype, shape, dtype == "float32")
    low, high = (float(finite.min()), float(finite.max())) if finite.numel() else (0.0, 1.0)
    if low < -0.5 and high > 0.5 and max(-low, high) < 8:
        return RandomTensor(dtype, shape, shape)  # they look normally distributed
    low, high = float(f"{low:.4g}"), float(f"{high:.4g}")
    return RandomTensor(dtype, shape, shape, min(low, high), max(low, high))


def _shortest(value: Any) -> Any:
    """Return the floats of a tensor, with no more digits than its dtype distinguishes."""
    if value.dim():
        return [_shortest(item) for item in value]
    return float(str((value.float() if value.dtype.itemsize == 2 else value).numpy()[()]))


def table(sample: Mapping[str, SampleValue]) -> str:
    """Return the sample as a TOML table, without arguments that are None."""
    lines = [f"{name} = {toml(v)}" for name, v in sample.items() if v != Literal("None")]
    return "\n".join(["[[samples]]", *lines])


def toml(value: SampleValue) -> str:
    """Return the value in TOML."""
    match value:
        case TensorList(items=items):
            return "[" + ", ".join(toml(item) if item.dtype else '"None"' for item in items) + "]"
        case Literal(expression=expression):
            if expression.startswith("torch."):
                return f'"{expression.removeprefix("torch.")}"'
            written = _in_toml(_evaluated(expression))
            if not value.is_tensor or (value.is_inferred and value.shape):
                return written
            return f'{{ dtype = "{value.dtype}", values = {written} }}'
    if value.low is None:
        return f'"{value.notation}"'
    sizes = ", ".join(map(str, value.shape))
    bounds = f"low = {_in_toml(value.low)}, high = {_in_toml(value.high)}"
    return f'{{ dtype = "{value.dtype}", shape = [{sizes}], {bounds} }}'


def _in_toml(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case list() | tuple():
            return f"[{', '.join(map(_in_toml, value))}]"
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return repr(value)
