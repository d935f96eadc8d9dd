"""gallery::histogram: the operator, composed of PyTorch's own, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def _kernel(
    self: Tensor,
    bins: int = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, ...]:
    """gallery::histogram itself, without its registration."""
    return torch.histogram(self, bins, range=range, weight=weight, density=density)


def _fake(
    self: Tensor,
    bins: int = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    """What the kernel returns, without its values: shape, dtype and device."""
    return (self.new_empty([bins]), self.new_empty([bins + 1]))


def rule(
    op: Any,
    self: Any,
    bins: Any,
    range: Any,
    weight: Any,
    density: Any,
) -> Any:
    """gallery::histogram in ONNX; `op` writes the nodes for the exporter that asks."""
    x = op.Reshape(self, op.constant([-1], like="INT64"))
    if range is not None:
        constant_2 = op.Constant(value_floats=[range[0]])
        least = op.CastLike(constant_2, x)
        constant_3 = op.Constant(value_floats=[range[1]])
        most = op.CastLike(constant_3, x)
        least_3, most_3 = least, most
    else:
        shape = op.Shape(x)
        none = op.Equal(shape, op.constant(0, like="INT64"))
        concat = op.Concat(x, op.constant([0.0], like=self), axis=0)
        slice = op.Slice(
            concat,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        some = op.Concat(x, slice, axis=0)
        least_2 = op.ReduceMin(some, keepdims=1)
        reduce_max = op.ReduceMax(some, keepdims=1)
        most_2 = op.Where(none, op.constant(1.0, like=self), reduce_max)
        least_3, most_3 = least_2, most_2
    is_one = op.Equal(least_3, most_3)
    sub = op.Sub(least_3, op.constant(0.5, like=self))
    low = op.Where(is_one, sub, least_3)
    add = op.Add(most_3, op.constant(0.5, like=self))
    high = op.Where(is_one, add, most_3)
    sub_2 = op.Sub(high, low)
    step = op.Div(sub_2, op.constant(float(bins), like=self))
    constant_4 = op.Constant(value_int=bins + 1)
    range_2 = op.Range(op.constant(0, like="INT64"), constant_4, op.constant(1, like="INT64"))
    number = op.CastLike(range_2, x)
    less = op.Less(number, op.constant((bins + 1) / 2, like=self))
    mul = op.Mul(number, step)
    add_2 = op.Add(low, mul)
    sub_3 = op.Sub(op.constant(float(bins), like=self), number)
    mul_2 = op.Mul(sub_3, step)
    sub_4 = op.Sub(high, mul_2)
    edges = op.Where(less, add_2, sub_4)
    less_2 = op.Less(x, low)
    not_2 = op.Not(less_2)
    less_or_equal = op.LessOrEqual(x, high)
    is_within = op.And(not_2, less_or_equal)
    x_2 = op.Where(is_within, x, low)
    sub_5 = op.Sub(x_2, low)
    mul_3 = op.Mul(sub_5, op.constant(float(bins), like=self))
    sub_6 = op.Sub(high, low)
    div = op.Div(mul_3, sub_6)
    near = op.Cast(div, to=7)
    sub_7 = op.Sub(near, op.constant(1, like="INT64"))
    first = op.Max(sub_7, op.constant(0, like="INT64"))
    place = op.Sub(first, op.constant(1, like="INT64"))
    place_2 = place
    for k in [0, 1, 2]:
        add_3 = op.Add(first, op.constant(k, like="INT64"))
        min = op.Min(add_3, op.constant(bins, like="INT64"))
        edge = op.Gather(edges, min)
        less_or_equal_2 = op.LessOrEqual(edge, x_2)
        add_4 = op.Add(first, op.constant(k, like="INT64"))
        add_5 = op.Add(near, op.constant(1, like="INT64"))
        min_2 = op.Min(add_5, op.constant(bins, like="INT64"))
        less_or_equal_3 = op.LessOrEqual(add_4, min_2)
        and_2 = op.And(less_or_equal_2, less_or_equal_3)
        cast = op.Cast(and_2, to=7)
        place_3 = op.Add(place_2, cast)
        place_2 = place_3
    place_4 = op.Min(place_2, op.constant(bins - 1, like="INT64"))
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), x_2)
    hist = op.Expand(cast_like, op.constant([bins], like="INT64"))
    if weight is not None:
        values = op.Reshape(weight, op.constant([-1], like="INT64"))
    else:
        cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), x_2)
        shape_2 = op.Shape(x_2)
        values = op.Expand(cast_like_2, shape_2)
    where = op.Where(is_within, values, op.constant(0.0, like=self))
    hist_2 = op.ScatterElements(hist, place_4, where, axis=0, reduction="add")
    if density:
        reduce_sum = op.ReduceSum(hist_2, op.constant([0], like="INT64"), keepdims=1)
        div_2 = op.Div(hist_2, reduce_sum)
        slice_2 = op.Slice(
            edges,
            op.constant([1], like="INT64"),
            op.constant([9223372036854775807], like="INT64"),
            op.constant([0], like="INT64"),
        )
        slice_3 = op.Slice(
            edges,
            op.constant([0], like="INT64"),
            op.constant([-1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        sub_8 = op.Sub(slice_2, slice_3)
        hist_4 = op.Div(div_2, sub_8)
    else:
        hist_4 = hist_2
    return hist_4, edges


OP = _onnxop.Operator(
    name="gallery::histogram.default",
    called="histogram",
    existing="aten::histogram.bin_ct",
    results=[
        "hist",
        "bin_edges",
    ],
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="histogram",
    doc="The operator aten::histogram.bin_ct.",
    spec="sha256:3fbe2fbd8ac8a6ab3ef47332dea721402ae6e080877799eb5d8b029b79bc95df",
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
)
_onnxop.composed.define(
    OP,
    "(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
    module=__file__,
)
_onnxop.rules.register(OP)


class HistogramFunction(_onnxop.autograd.Function):
    """`histogram` with its gradients, and its symbolic for the TorchScript exporter.

    `histogram` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _onnxop.autograd.mark_integers(ctx, output)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        gradients: list[Tensor | None] = [None] * 5
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return _onnxop.rules.symbolic(OP)(g, *arguments)


_operator = _onnxop.autograd.register(OP, HistogramFunction)


@_onnxop.script.scripted(OP)
def histogram(
    self: Tensor,
    bins: int = 100,
    *,
    range: Sequence[float] | None = None,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::histogram.bin_ct.

    Args:
        self: a tensor.
        bins: an integer; 100 by default.
        range: floats or None; None by default.
        weight: a tensor or None; None by default.
        density: a boolean; False by default.

    Returns:
        hist and bin_edges: contiguous tensors, in a tuple.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        bins,
        range=range,
        weight=weight,
        density=density,
    )
    return result


class Histogram(torch.nn.Module):
    """`histogram` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        bins: int = 100,
        *,
        range: Sequence[float] | None = None,
        density: bool = False,
    ) -> None:
        super().__init__()
        self.bins = bins
        self.range = range
        self.density = density

    def forward(
        self,
        input: Tensor,
        weight: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        return histogram(
            input,
            self.bins,
            range=self.range,
            weight=weight,
            density=self.density,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"bins={self.bins}",
                f"range={self.range}",
                f"density={self.density}",
            ]
        )
