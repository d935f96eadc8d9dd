"""vision_ops::ms_deform_attn: the operator, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

# mypy: disable-error-code=var-annotated

from __future__ import annotations

from typing import Any

import onnxop_runtime
import torch
from onnxop_runtime import OnnxOps, OnnxValue
from torch import Tensor, promote_types, where, zeros

# api: the version of onnxop_runtime's interface that this package was made for.
package = onnxop_runtime.Package.of(__package__, api=1)


def _reference(
    value: Tensor,
    spatial_shapes: Tensor,
    level_start_index: Tensor,
    sampling_locations: Tensor,
    attention_weights: Tensor,
) -> Any:
    """Compute the operator by PyTorch's own, where the kernel does not support the call."""
    dtype = promote_types(value.dtype, torch.float32)
    batch, _, heads, channels = value.shape
    _, queries, _, levels, points, _ = sampling_locations.shape
    if value.numel() == 0 or sampling_locations.numel() == 0:
        nothing = (
            value.flatten()[:0].sum()
            + sampling_locations.flatten()[:0].sum()
            + attention_weights.flatten()[:0].sum()
        )
        return value.new_zeros(batch, queries, heads * channels) + nothing
    height, width = spatial_shapes.unbind(1)
    height, width, start = height[:, None], width[:, None], level_start_index[:, None]
    x = sampling_locations[..., 0].to(dtype) * width - 0.5
    y = sampling_locations[..., 1].to(dtype) * height - 0.5
    is_near = (x >= -1) & (x < width) & (y >= -1) & (y < height)
    x, y, weights = (
        where(is_near, x, -2.0),
        where(is_near, y, -2.0),
        where(is_near, attention_weights, 0.0),
    )
    left, top = x.detach().floor(), y.detach().floor()
    rows = value.to(dtype).transpose(1, 2)
    result = zeros(1, dtype=dtype, device=value.device)
    for down in (0, 1):
        for right in (0, 1):
            row, column = top + down, left + right
            share = (y - top if down else 1 - (y - top)) * (x - left if right else 1 - (x - left))
            inside = (row >= 0) & (row < height) & (column >= 0) & (column < width)
            place = start + where(inside, row, 0).long() * width + where(inside, column, 0).long()
            place = where(inside, place, 0).transpose(1, 2).reshape(batch, heads, -1, 1)
            corner = rows.gather(2, place.expand(-1, -1, -1, channels)).view(
                batch, heads, queries, levels * points, channels
            )
            share, inside = (
                t.transpose(1, 2).reshape(batch, heads, queries, -1, 1)
                for t in (share * weights, inside)
            )
            result = result + where(inside, corner * share, 0).sum(3)
    return result.transpose(1, 2).reshape(batch, queries, heads * channels).to(value.dtype)


def to_onnx(
    op: OnnxOps,
    value: OnnxValue,
    spatial_shapes: OnnxValue,
    level_start_index: OnnxValue,
    sampling_locations: OnnxValue,
    attention_weights: OnnxValue,
    *,
    opset: int,
) -> OnnxValue:
    """Return the operator in ONNX; `op` adds the nodes for the calling exporter."""
    levels = spatial_shapes.shape[0]
    batch, heads = op.Shape(value, start=0, end=1), op.Shape(value, start=2, end=3)
    channels, queries = (
        op.Shape(value, start=3, end=4),
        op.Shape(sampling_locations, start=1, end=2),
    )
    images = op.Mul(batch, heads)
    rows = op.Reshape(
        op.Transpose(value, perm=[0, 2, 3, 1]),
        op.Concat(images, channels, op.Shape(value, start=1, end=2), axis=0),
        allowzero=1,
    )
    grid = sampling_locations * 2.0 - 1.0
    grid = op.Where(op.Less(op.Abs(grid), 3.0), grid, 3.0)
    places = op.Transpose(grid, perm=[3, 0, 2, 1, 4, 5])
    places = op.Reshape(
        places,
        op.Concat(
            [levels],
            images,
            op.Shape(sampling_locations, start=1, end=2),
            op.Shape(sampling_locations, start=4),
            axis=0,
        ),
        allowzero=1,
    )
    samples = []
    for level in range(levels):
        size = op.Squeeze(op.Gather(spatial_shapes, [level], axis=0), [0])
        start = op.Gather(level_start_index, [level])
        image = op.Slice(rows, start, start + op.ReduceProd(size), [2])
        image = op.Reshape(image, op.Concat(images, channels, size, axis=0), allowzero=1)
        place = op.Gather(places, level, axis=0)
        sample = (
            op.GridSample(image, place, mode="linear")
            if opset >= 20
            else op.GridSample(image, place, mode="bilinear")
        )
        samples = [*samples, sample]
    weights = op.Transpose(attention_weights, perm=[0, 2, 1, 3, 4])
    weights = op.Reshape(
        weights,
        op.Concat(
            images, [1], queries, op.Mul([levels], op.Shape(attention_weights, start=4)), axis=0
        ),
        allowzero=1,
    )
    summed = op.ReduceSum(op.Concat(*samples, axis=3) * weights, [3], keepdims=0)
    summed = op.Reshape(
        summed, op.Concat(batch, op.Mul(heads, channels), queries, axis=0), allowzero=1
    )
    return op.Transpose(summed, perm=[0, 2, 1])


OP = package.operator(
    name="vision_ops::ms_deform_attn.default",
    rule=to_onnx,
    opset=16,
    domain="vision_ops",
    op_type="ms_deform_attn",
    doc="Multi-scale deformable attention: equation 3 of Deformable DETR, arXiv 2010.04159.",
    spec_hash="sha256:a988473813d06c6a14250ed5d8bc712aed53a7e1b29ac8142f1d7b5956ce1e05",
    is_native=True,
    kernel=package.kernel.ms_deform_attn,
    infer=package.kernel._infer_ms_deform_attn,
    differentiable=["value", "sampling_locations", "attention_weights"],
    reference=_reference,
    dtypes=package.kernel._dtypes_ms_deform_attn(),
)


class MsDeformAttnFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `ms_deform_attn` goes through the dispatcher: it is quicker, with the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        OP.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients = OP.gradients(ctx, [grad])
        if ctx.needs_input_grad[1]:
            raise OP.missing("spatial_shapes", is_integer=True)
        if ctx.needs_input_grad[2]:
            raise OP.missing("level_start_index", is_integer=True)
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return package.symbolic(OP)(g, *arguments)


_operator = package.register(
    OP,
    MsDeformAttnFunction,
    source="ops/ms_deform_attn.h",
)


@package.scripted(OP)
def ms_deform_attn(
    value: Tensor,
    spatial_shapes: Tensor,
    level_start_index: Tensor,
    sampling_locations: Tensor,
    attention_weights: Tensor,
) -> Tensor:
    """Multi-scale deformable attention: equation 3 of Deformable DETR, arXiv 2010.04159.

    Args:
        value: [n, s, heads, d], the pixels of all levels, one level after the other.
        spatial_shapes: int64[levels, 2], the height and the width of each level.
        level_start_index: int64[levels], the index of each level's first pixel in `value`.
        sampling_locations: [n, queries, heads, levels, points, 2], x and y of each sample, from
            0 to 1 within its level.
        attention_weights: [n, queries, heads, levels, points], the weight of each sample.

    Returns:
        A contiguous tensor.

    Raises:
        RuntimeError: ops/ms_deform_attn.h rejects the arguments.
    """
    result: Tensor = _operator(
        value,
        spatial_shapes,
        level_start_index,
        sampling_locations,
        attention_weights,
    )
    return result


class MsDeformAttn(torch.nn.Module):
    """`ms_deform_attn` as a module."""

    def forward(
        self,
        value: Tensor,
        spatial_shapes: Tensor,
        level_start_index: Tensor,
        sampling_locations: Tensor,
        attention_weights: Tensor,
    ) -> Tensor:
        result: Tensor = ms_deform_attn(
            value,
            spatial_shapes,
            level_start_index,
            sampling_locations,
            attention_weights,
        )
        return result
