"""aten::histc: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, bins: Any, min: Any, max: Any) -> Any:
    """aten::histc in ONNX; `op` writes the nodes for the exporter that asks."""
    x = op.Reshape(self, op.constant([-1], like="INT64"))
    if float(min) == float(max):
        concat = op.Concat(x, op.constant([0.0], like=self), axis=0)
        slice = op.Slice(
            concat,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        some = op.Concat(x, slice, axis=0)
        least = op.ReduceMin(some, keepdims=1)
        most = op.ReduceMax(some, keepdims=1)
        is_one = op.Equal(least, most)
        sub = op.Sub(least, op.constant(1.0, like=self))
        low = op.Where(is_one, sub, least)
        add = op.Add(most, op.constant(1.0, like=self))
        high = op.Where(is_one, add, most)
        low_3, high_3 = low, high
    else:
        constant_2 = op.Constant(value_floats=[float(min)])
        low_2 = op.CastLike(constant_2, x)
        constant_3 = op.Constant(value_floats=[float(max)])
        high_2 = op.CastLike(constant_3, x)
        low_3, high_3 = low_2, high_2
    less = op.Less(x, low_3)
    not_2 = op.Not(less)
    less_or_equal = op.LessOrEqual(x, high_3)
    is_within = op.And(not_2, less_or_equal)
    where = op.Where(is_within, x, low_3)
    sub_2 = op.Sub(where, low_3)
    mul = op.Mul(sub_2, op.constant(float(bins), like=self))
    sub_3 = op.Sub(high_3, low_3)
    div = op.Div(mul, sub_3)
    place = op.Cast(div, to=7)
    place_2 = op.Min(place, op.constant(bins - 1, like="INT64"))
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), x)
    counts = op.Expand(cast_like, op.constant([bins], like="INT64"))
    cast_like_2 = op.CastLike(is_within, x)
    return op.ScatterElements(counts, place_2, cast_like_2, axis=0, reduction="add")


OP = _onnxop.Operator(
    name="aten::histc.default",
    existing="aten::histc.default",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="histc",
    doc="The operator aten::histc.",
    spec="sha256:658a44c57efe9d33f185e349e8a8ca901153ca931fd8c88fd1aba5c26f4f7129",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.histc.default


@_onnxop.script.scripted(OP)
def histc(
    self: Tensor,
    bins: int = 100,
    min: float = 0,
    max: float = 0,
) -> Tensor:
    """The operator aten::histc.

    Args:
        self: a tensor.
        bins: an integer; 100 by default.
        min: a number; 0 by default.
        max: a number; 0 by default.

    Returns:
        What PyTorch's aten::histc returns.
    """
    result: Tensor = _operator(
        self,
        bins,
        _onnxop.number(min),
        _onnxop.number(max),
    )
    return result


class Histc(torch.nn.Module):
    """`histc` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        bins: int = 100,
        min: float = 0,
        max: float = 0,
    ) -> None:
        super().__init__()
        self.bins = bins
        self.min = min
        self.max = max

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return histc(
            input,
            self.bins,
            self.min,
            self.max,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"bins={self.bins}",
                f"min={self.min}",
                f"max={self.max}",
            ]
        )
