"""vision_ops::roi_align_rotated: the operator, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

# mypy: allow-untyped-defs, disable-error-code=var-annotated

from __future__ import annotations

from typing import Any

import onnxop_runtime
import torch
from onnxop_runtime import OnnxOps, OnnxValue
from torch import Tensor, arange, ceil, full_like, promote_types, where

# api: the version of onnxop_runtime's interface that this package was made for.
package = onnxop_runtime.Package.of(__package__, api=1)


def _reference(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float = 1.0,
    output_height: int = 7,
    output_width: int = 7,
    sampling_ratio: int = 0,
    aligned: bool = True,
    clockwise: bool = False,
) -> Any:
    """Compute the operator by PyTorch's own, where the kernel does not support the call."""
    dtype = promote_types(input.dtype, torch.float32)
    batch, channels, height, width = input.shape
    boxes = rois.detach().double()
    cx, cy, w, h = (boxes[:, 1:5] * spatial_scale).unbind(1)
    if aligned:
        cx, cy = cx - 0.5, cy - 0.5
    else:
        w, h = w.clamp(min=1.0), h.clamp(min=1.0)
    angle = -boxes[:, 5] if clockwise else boxes[:, 5]
    sine, cosine = (t[:, None, None, None, None] for t in (angle.sin(), angle.cos()))

    def side(size, bins):
        count = (
            full_like(size, sampling_ratio)
            if sampling_ratio > 0
            else ceil(size / bins).clamp(min=0)
        )
        point = arange(int(count.max()) if count.numel() else 0, device=size.device)
        bin = arange(bins, device=size.device)[:, None]
        place = ((bin + (point + 0.5) / count.clamp(min=1)[:, None, None]) / bins - 0.5) * size[
            :, None, None
        ]
        return place, point < count[:, None]

    yy, has_row = side(h, output_height)
    xx, has_column = side(w, output_width)
    yy, xx = yy[:, :, :, None, None], xx[:, None, None]
    y = yy * cosine - xx * sine + cy[:, None, None, None, None]
    x = yy * sine + xx * cosine + cx[:, None, None, None, None]
    inside = (y >= -1) & (y <= height) & (x >= -1) & (x <= width)
    y, x = where(inside, y, 0).clamp(0, height - 1), where(inside, x, 0).clamp(0, width - 1)
    top, left = y.long(), x.long()
    bottom, right = (top + 1).clamp(max=height - 1), (left + 1).clamp(max=width - 1)
    down, along = y - top, x - left
    pixels = input.to(dtype).permute(0, 2, 3, 1).reshape(-1, channels)
    image = (
        where((boxes[:, 0] >= 0) & (boxes[:, 0] < batch), boxes[:, 0], batch).long()[
            :, None, None, None, None
        ]
        * height
    )
    taking_part = inside * has_row[:, None, :, None, None] * has_column[:, None, None, None, :]
    result = 0
    for row, column, share in (
        (top, left, (1 - down) * (1 - along)),
        (top, right, (1 - down) * along),
        (bottom, left, down * (1 - along)),
        (bottom, right, down * along),
    ):
        corner = pixels[(image + row) * width + column]
        result = result + ((share * taking_part).to(dtype)[..., None] * corner).sum((2, 4))
    points = (has_row.sum(1) * has_column.sum(1)).clamp(min=1)
    return (
        (result / points[:, None, None, None].to(dtype))
        .permute(0, 3, 1, 2)
        .to(input.dtype)
        .contiguous()
    )


def to_onnx(
    op: OnnxOps,
    input: OnnxValue,
    rois: OnnxValue,
    spatial_scale: float,
    output_height: int,
    output_width: int,
    sampling_ratio: int,
    aligned: bool,
    clockwise: bool,
) -> OnnxValue:
    """Return the operator in ONNX; `op` adds the nodes for the calling exporter."""
    boxes = op.Cast(rois, to=11)
    cx, cy, w, h = [
        op.Unsqueeze(op.Gather(boxes, i, axis=1), [1, 2, 3, 4]) * spatial_scale for i in range(1, 5)
    ]
    if aligned:
        cx, cy = cx - 0.5, cy - 0.5
    else:
        w, h = op.Max(w, 1.0), op.Max(h, 1.0)
    angle = op.Unsqueeze(op.Gather(boxes, 5, axis=1), [1, 2, 3, 4])
    sine, cosine = op.Sin(angle), op.Cos(angle)
    if clockwise:
        sine = op.Neg(sine)

    # For each box, bin and point of the bin: the offset from the centre, and whether the box has
    # the point.
    sides = []
    for size, bins in zip([h, w], [output_height, output_width]):
        count = (
            size * 0.0 + float(sampling_ratio)
            if sampling_ratio > 0
            else op.Max(op.Ceil(size / float(bins)), 0.0)
        )
        most = op.ReduceMax(
            op.Concat(op.Reshape(count, [-1]), op.Cast([0.0], to=11), axis=0), keepdims=0
        )
        point = op.Range(op.Cast(0.0, to=11), most, op.Cast(1.0, to=11))
        bin = op.Unsqueeze(op.Cast([float(i) for i in range(bins)], to=11), [1])
        place = (bin + (point + 0.5) / op.Max(op.Squeeze(count, [3, 4]), 1.0)) / float(bins) - 0.5
        sides = [
            *sides,
            place * op.Squeeze(size, [3, 4]),
            op.Less(point, op.Squeeze(count, [2, 3, 4])),
            count,
        ]
    yy, is_row, rows, xx, is_column, columns = sides
    yy, xx = op.Unsqueeze(yy, [3, 4]), op.Unsqueeze(xx, [1, 2])
    is_point = op.And(op.Unsqueeze(is_row, [1, 3, 4]), op.Unsqueeze(is_column, [1, 2, 3]))
    y, x = yy * cosine - xx * sine + cy, yy * sine + xx * cosine + cx
    height, width = op.Shape(input, start=2, end=3), op.Shape(input, start=3, end=4)

    # For each coordinate: the pixels on both sides, and the distance from the first one.
    for at, size in zip([y, x], [height, width]):
        is_point = op.And(
            is_point, op.And(op.GreaterOrEqual(at, -1.0), op.LessOrEqual(at, op.Cast(size, to=11)))
        )
    corners = []
    for at, size in zip([y, x], [height, width]):
        last = op.Cast(size - 1, to=11)
        at = op.Max(op.Min(op.Where(is_point, at, 0.0), last), 0.0)
        low = op.Floor(at)
        corners = [*corners, op.Cast(low, to=7), op.Cast(op.Min(low + 1.0, last), to=7), at - low]
    top, bottom, down, left, right, along = corners
    pixels = op.Reshape(
        op.Transpose(input, perm=[0, 2, 3, 1]),
        op.Concat([-1], op.Shape(input, start=1, end=2), axis=0),
    )
    image = op.Unsqueeze(op.Gather(boxes, 0, axis=1), [1, 2, 3, 4])
    images = op.Cast(op.Shape(input, start=0, end=1), to=11)
    is_image = op.And(op.GreaterOrEqual(image, 0.0), op.Less(image, images))
    image = op.Cast(op.Where(is_image, image, images), to=7) * height
    share = op.Cast(is_point, to=11) / op.Max(rows * columns, 1.0)
    parts = [
        op.Gather(pixels, (image + row) * width + column)
        * op.Unsqueeze(op.CastLike(part * share, input), [5])
        for row, across in zip([top, bottom], [1.0 - down, down])
        for column, part in zip([left, right], [across * (1.0 - along), across * along])
    ]
    return op.Transpose(op.ReduceSum(op.Sum(*parts), [2, 4], keepdims=0), perm=[0, 3, 1, 2])


OP = package.operator(
    name="vision_ops::roi_align_rotated.default",
    rule=to_onnx,
    opset=16,
    domain="vision_ops",
    op_type="roi_align_rotated",
    doc="RoIAlign (arXiv 1703.06870) of rotated boxes (arXiv 1703.01086).",
    spec_hash="sha256:ab8ac586730552be7436d81e5e21642b076057328adccd89040a013a54e6857f",
    is_native=True,
    kernel=package.kernel.roi_align_rotated,
    infer=package.kernel._infer_roi_align_rotated,
    differentiable=["input"],
    reference=_reference,
    dtypes=package.kernel._dtypes_roi_align_rotated(),
)


class RoiAlignRotatedFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `roi_align_rotated` goes through the dispatcher: it is quicker, with the same gradients.
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
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return package.symbolic(OP)(g, *arguments)


_operator = package.register(
    OP,
    RoiAlignRotatedFunction,
    source="ops/roi_align_rotated.h",
)


@package.scripted(OP)
def roi_align_rotated(
    input: Tensor,
    rois: Tensor,
    spatial_scale: float = 1.0,
    output_height: int = 7,
    output_width: int = 7,
    sampling_ratio: int = 0,
    aligned: bool = True,
    clockwise: bool = False,
) -> Tensor:
    """RoIAlign (arXiv 1703.06870) of rotated boxes (arXiv 1703.01086).

    A box of `rois` is (batch, cx, cy, w, h, angle in radians). The angle is counterclockwise as the
    image is seen, or clockwise with `clockwise=True`, as in `nms_rotated`, whose page compares the
    calls of mmcv and detectron2.

    Args:
        input: [n, c, h, w], the images.
        rois: [k, 6]: the image's index, cx, cy, w, h and the angle of each box.
        spatial_scale: the factor from the boxes' coordinates to pixels of `input`; 1.0 by
            default.
        output_height: the number of bins along h; 7 by default.
        output_width: the number of bins along w; 7 by default.
        sampling_ratio: the number of samples along each side of a bin; 0: one for each pixel; 0
            by default.
        aligned: whether coordinates are moved by half a pixel, to the centres of pixels; True
            by default.
        clockwise: whether angles are clockwise; False by default.

    Returns:
        A contiguous tensor.

    Raises:
        RuntimeError: ops/roi_align_rotated.h rejects the arguments.
    """
    result: Tensor = _operator(
        input,
        rois,
        spatial_scale,
        output_height,
        output_width,
        sampling_ratio,
        aligned,
        clockwise,
    )
    return result


class RoiAlignRotated(torch.nn.Module):
    """`roi_align_rotated` as a module; its constructor takes all but the tensors."""

    def __init__(
        self,
        spatial_scale: float = 1.0,
        output_height: int = 7,
        output_width: int = 7,
        sampling_ratio: int = 0,
        aligned: bool = True,
        clockwise: bool = False,
    ) -> None:
        super().__init__()
        self.spatial_scale = spatial_scale
        self.output_height = output_height
        self.output_width = output_width
        self.sampling_ratio = sampling_ratio
        self.aligned = aligned
        self.clockwise = clockwise

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"spatial_scale={self.spatial_scale}",
                f"output_height={self.output_height}",
                f"output_width={self.output_width}",
                f"sampling_ratio={self.sampling_ratio}",
                f"aligned={self.aligned}",
                f"clockwise={self.clockwise}",
            ]
        )

    def forward(self, input: Tensor, rois: Tensor) -> Tensor:
        result: Tensor = roi_align_rotated(
            input,
            rois,
            self.spatial_scale,
            self.output_height,
            self.output_width,
            self.sampling_ratio,
            self.aligned,
            self.clockwise,
        )
        return result
