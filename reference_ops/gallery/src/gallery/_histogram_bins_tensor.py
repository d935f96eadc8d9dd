"""gallery::histogram_bins_tensor: the operator, composed of PyTorch's own, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def _kernel(
    self: Tensor,
    bins: Tensor,
    *,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, ...]:
    """gallery::histogram_bins_tensor itself, without its registration."""
    return torch.histogram(self, bins, weight=weight, density=density)


def _fake(
    self: Tensor,
    bins: Tensor,
    *,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    """What the kernel returns, without its values: shape, dtype and device."""
    return (self.new_empty([bins.shape[0] - 1]), self.new_empty(bins.shape))


def rule(op: Any, self: Any, bins: Any, weight: Any, density: Any) -> Any:
    """gallery::histogram_bins_tensor in ONNX; `op` writes the nodes for the exporter that asks."""
    x = op.Reshape(self, op.constant([-1], like="INT64"))
    edges = op.Identity(bins)
    slice = op.Slice(
        edges,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    less = op.Less(x, slice)
    not_2 = op.Not(less)
    slice_2 = op.Slice(
        edges,
        op.constant([-1], like="INT64"),
        op.constant([9223372036854775807], like="INT64"),
        op.constant([0], like="INT64"),
    )
    less_or_equal = op.LessOrEqual(x, slice_2)
    is_within = op.And(not_2, less_or_equal)
    slice_3 = op.Slice(
        edges,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    x_2 = op.Where(is_within, x, slice_3)
    shape = op.Shape(edges)
    count = op.Sub(shape, op.constant(1, like="INT64"))
    unsqueeze = op.Unsqueeze(x_2, op.constant([1], like="INT64"))
    less_or_equal_2 = op.LessOrEqual(edges, unsqueeze)
    cast = op.Cast(less_or_equal_2, to=7)
    reduce_sum = op.ReduceSum(cast, op.constant([1], like="INT64"), keepdims=0)
    place = op.Sub(reduce_sum, op.constant(1, like="INT64"))
    max = op.Max(place, op.constant(0, like="INT64"))
    sub = op.Sub(count, op.constant(1, like="INT64"))
    place_2 = op.Min(max, sub)
    cast_like = op.CastLike(op.constant(0.0, like="FLOAT"), x_2)
    hist = op.Expand(cast_like, count)
    if weight is not None:
        values = op.Reshape(weight, op.constant([-1], like="INT64"))
    else:
        cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), x_2)
        shape_2 = op.Shape(x_2)
        values = op.Expand(cast_like_2, shape_2)
    where = op.Where(is_within, values, op.constant(0.0, like=self))
    hist_2 = op.ScatterElements(hist, place_2, where, axis=0, reduction="add")
    if density:
        reduce_sum_2 = op.ReduceSum(hist_2, op.constant([0], like="INT64"), keepdims=1)
        div = op.Div(hist_2, reduce_sum_2)
        slice_4 = op.Slice(
            edges,
            op.constant([1], like="INT64"),
            op.constant([9223372036854775807], like="INT64"),
            op.constant([0], like="INT64"),
        )
        slice_5 = op.Slice(
            edges,
            op.constant([0], like="INT64"),
            op.constant([-1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        sub_2 = op.Sub(slice_4, slice_5)
        hist_4 = op.Div(div, sub_2)
    else:
        hist_4 = hist_2
    return hist_4, edges


OP = _onnxop.Operator(
    name="gallery::histogram_bins_tensor.default",
    called="histogram_bins_tensor",
    existing="aten::histogram.bins_tensor",
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
    op_type="histogram_bins_tensor",
    doc="The operator aten::histogram.bins_tensor.",
    spec="sha256:221f1c25d83eb456f70481af4f299b51493abb3e998c5ce4116447726e22f188",
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
)
_onnxop.composed.define(
    OP,
    "(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
    module=__file__,
)
_onnxop.rules.register(OP)


class HistogramBinsTensorFunction(_onnxop.autograd.Function):
    """`histogram_bins_tensor` with its gradients, and its symbolic for the TorchScript exporter.

    `histogram_bins_tensor` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        _onnxop.autograd.mark_integers(ctx, output)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        gradients: list[Tensor | None] = [None] * 4
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return _onnxop.rules.symbolic(OP)(g, *arguments)


_operator = _onnxop.autograd.register(OP, HistogramBinsTensorFunction)


@_onnxop.script.scripted(OP)
def histogram_bins_tensor(
    self: Tensor,
    bins: Tensor,
    *,
    weight: Tensor | None = None,
    density: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::histogram.bins_tensor.

    Args:
        self: a tensor.
        bins: a tensor.
        weight: a tensor or None; None by default.
        density: a boolean; False by default.

    Returns:
        hist and bin_edges: contiguous tensors, in a tuple.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        bins,
        weight=weight,
        density=density,
    )
    return result


class HistogramBinsTensor(torch.nn.Module):
    """`histogram_bins_tensor` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        density: bool = False,
    ) -> None:
        super().__init__()
        self.density = density

    def forward(
        self,
        input: Tensor,
        bins: Tensor,
        weight: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        return histogram_bins_tensor(
            input,
            bins,
            weight=weight,
            density=self.density,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"density={self.density}",
            ]
        )
