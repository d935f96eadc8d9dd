"""vision_ops::nms_rotated: the operator, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

# mypy: allow-untyped-defs

from __future__ import annotations

from typing import Any

import onnxop_runtime
import torch
from onnxop_runtime import OnnxOps, OnnxValue
from torch import Tensor, maximum, minimum, where, zeros_like

# api: the version of onnxop_runtime's interface that this package was made for.
package = onnxop_runtime.Package.of(__package__, api=1)


def _reference(boxes: Tensor, scores: Tensor, iou_threshold: float, clockwise: bool = False) -> Any:
    """Compute the operator by PyTorch's own, where the kernel does not support the call."""
    order = scores.argsort(descending=True, stable=True)
    cx, cy, w, h, angle = boxes.double()[order].unbind(1)
    w, h = w.clamp(min=0), h.clamp(min=0)
    sine, cosine = (angle if clockwise else -angle).sin(), angle.cos()
    area = w * h
    corners = [
        (cx + (w * a * cosine - h * b * sine) / 2, cy + (w * a * sine + h * b * cosine) / 2)
        for a, b in ((1, 1), (-1, 1), (-1, -1), (1, -1))
    ]

    def overlaps(i):
        right, up = w[i] / 2, h[i] / 2
        x, y = cx - cx[i], cy - cy[i]
        c, s = (
            (cosine * cosine[i] + sine * sine[i]).abs(),
            (sine * cosine[i] - cosine * sine[i]).abs(),
        )
        meet = area > 0
        for distance, reach in (
            (x * cosine[i] + y * sine[i], right + w / 2 * c + h / 2 * s),
            (y * cosine[i] - x * sine[i], up + w / 2 * s + h / 2 * c),
            (x * cosine + y * sine, w / 2 + right * c + up * s),
            (y * cosine - x * sine, h / 2 + right * s + up * c),
        ):
            meet = meet & (distance.abs() < reach - reach * 1e-14)
        turned = [
            (
                (x - cx[i]) * cosine[i] + (y - cy[i]) * sine[i],
                (y - cy[i]) * cosine[i] - (x - cx[i]) * sine[i],
            )
            for x, y in corners
        ]
        shared = zeros_like(area)
        for (xa, ya), (xb, yb) in zip(turned, [*turned[1:], turned[0]]):
            a, b = xa.clamp(-right, right), xb.clamp(-right, right)
            slope = (yb - ya) / where(xa == xb, 1, xb - xa)
            low, high = ya + (a - xa) * slope, ya + (b - xa) * slope
            low, high = minimum(low, high), maximum(low, high)
            rise = (high - low).clamp(min=1e-300)
            below, above = ((-up - low) / rise).clamp(0, 1), ((high - up) / rise).clamp(0, 1)
            middle = (low.clamp(-up, up) + high.clamp(-up, up)) / 2
            shared = shared + (a - b) * (middle * (1 - below - above) + up * (above - below))
        shared = where(meet, shared, 0)
        union = area + area[i] - shared
        return where(union > 0, shared / union, 0)

    goes, kept = zeros_like(area, dtype=torch.bool), []
    for i in range(len(scores)):
        if not goes[i]:
            kept.append(i)
            goes = goes | (overlaps(i) > iou_threshold)
    return order[kept]


def to_onnx(
    op: OnnxOps,
    boxes: OnnxValue,
    scores: OnnxValue,
    iou_threshold: float,
    clockwise: bool,
) -> OnnxValue:
    """Return the operator in ONNX; `op` adds the nodes for the calling exporter."""
    ranks = op.Cast(scores, to=11)
    ranks = op.Where(op.IsNaN(ranks), float("inf"), op.Min(ranks, 1.7976931348623157e308))
    _, order = op.TopK(ranks, op.Shape(scores), axis=0)
    sorted = op.Cast(op.Gather(boxes, order, axis=0), to=11)
    cx, cy, w, h, angle = [op.Gather(sorted, i, axis=1) for i in range(5)]
    w, h = op.Max(w, 0.0), op.Max(h, 0.0)
    sine, cosine = op.Sin(angle), op.Cos(angle)
    if not clockwise:
        sine = op.Neg(sine)
    area = w * h
    rights, ups = [0.5, -0.5, -0.5, 0.5], [0.5, 0.5, -0.5, -0.5]
    xs = [cx + w * a * cosine - h * b * sine for a, b in zip(rights, ups)]
    ys = [cy + w * a * sine + h * b * cosine for a, b in zip(rights, ups)]
    number = op.Squeeze(op.Shape(scores), [0])
    places = op.Range(op.Constant(value_int=0), number, op.Constant(value_int=1))

    def step(i, keep, kept):
        x0, y0, c, s = op.Gather(cx, i), op.Gather(cy, i), op.Gather(cosine, i), op.Gather(sine, i)
        right, up = op.Gather(w, i) / 2.0, op.Gather(h, i) / 2.0
        x, y, turned, aside = (
            cx - x0,
            cy - y0,
            op.Abs(cosine * c + sine * s),
            op.Abs(sine * c - cosine * s),
        )
        meets = [
            op.Less(op.Abs(distance), reach - reach * 1e-14)
            for distance, reach in zip(
                [x * c + y * s, y * c - x * s, x * cosine + y * sine, y * cosine - x * sine],
                [
                    right + w / 2.0 * turned + h / 2.0 * aside,
                    up + w / 2.0 * aside + h / 2.0 * turned,
                    w / 2.0 + right * turned + up * aside,
                    h / 2.0 + right * aside + up * turned,
                ],
            )
        ]
        meet = op.And(op.And(meets[0], meets[1]), op.And(meets[2], meets[3]))
        across = [(x - x0) * c + (y - y0) * s for x, y in zip(xs, ys)]
        along = [(y - y0) * c - (x - x0) * s for x, y in zip(xs, ys)]
        shared = area * 0.0
        for corner in range(4):
            xa, ya, xb, yb = across[corner], along[corner], across[corner - 3], along[corner - 3]
            a, b = (
                op.Max(op.Min(xa, right), op.Neg(right)),
                op.Max(op.Min(xb, right), op.Neg(right)),
            )
            run = xb - xa
            slope = (yb - ya) / op.Where(op.Equal(run, 0.0), 1.0, run)
            low, high = ya + (a - xa) * slope, ya + (b - xa) * slope
            low, high = op.Min(low, high), op.Max(low, high)
            rise = op.Max(high - low, 1e-300)
            below = op.Max(op.Min((op.Neg(up) - low) / rise, 1.0), 0.0)
            above = op.Max(op.Min((high - up) / rise, 1.0), 0.0)
            middle = (
                op.Max(op.Min(low, up), op.Neg(up)) + op.Max(op.Min(high, up), op.Neg(up))
            ) / 2.0
            shared = shared + (a - b) * (middle * (1.0 - below - above) + up * (above - below))
        shared = op.Where(op.And(meet, op.Greater(area, 0.0)), shared, 0.0)
        union = area + op.Gather(area, i) - shared
        overlap = op.Where(
            op.Greater(union, 0.0), shared / op.Where(op.Greater(union, 0.0), union, 1.0), 0.0
        )
        goes = op.And(op.Greater(overlap, iou_threshold), op.Greater(places, i))
        return keep, op.And(kept, op.Not(op.And(goes, op.Gather(kept, i))))

    kept = op.Loop(number, None, op.Equal(places, places), body=step)
    return op.Compress(order, kept, axis=0)


OP = package.operator(
    name="vision_ops::nms_rotated.default",
    rule=to_onnx,
    opset=16,
    domain="vision_ops",
    op_type="nms_rotated",
    doc="Greedy non-maximum suppression of rotated boxes, as in arXiv 1703.01086, 3.3.",
    spec_hash="sha256:688aa93c897f86643acc5453b90116b9bc2c53fbc98f13dd6fefffc90b28e0b7",
    is_native=True,
    kernel=package.kernel.nms_rotated,
    infer=package.kernel._infer_nms_rotated,
    reference=_reference,
    dtypes=package.kernel._dtypes_nms_rotated(),
)


class NmsRotatedFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `nms_rotated` goes through the dispatcher: it is quicker, with the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        pass

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients: list[Tensor | None] = [None] * 4
        if ctx.needs_input_grad[0]:
            raise OP.missing("boxes")
        if ctx.needs_input_grad[1]:
            raise OP.missing("scores")
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return package.symbolic(OP)(g, *arguments)


_operator = package.register(OP, NmsRotatedFunction)


@package.scripted(OP)
def nms_rotated(
    boxes: Tensor,
    scores: Tensor,
    iou_threshold: float,
    clockwise: bool = False,
) -> Tensor:
    """Greedy non-maximum suppression of rotated boxes, as in arXiv 1703.01086, 3.3.

    A box is (cx, cy, w, h, angle in radians). The angle is counterclockwise as the image is seen:
    its y axis points down, and the side w lies along (cos, -sin). With `clockwise=True`, w lies
    along (cos, sin). `nms_rotated` and `roi_align_rotated` have the same default; mmcv's do not.
    These calls compute the same:

    | call | angle | here |
    | --- | --- | --- |
    | `mmcv.ops.nms_rotated(boxes, scores, t)` | radians, clockwise | `nms_rotated(boxes, scores, t, clockwise=True)` |
    | `mmcv.ops.nms_rotated(boxes, scores, t, clockwise=False)` | radians, counterclockwise | `nms_rotated(boxes, scores, t)` |
    | `mmcv.ops.RoIAlignRotated((h, w), scale, n)(x, rois)` | radians, counterclockwise | `roi_align_rotated(x, rois, scale, h, w, n)` |
    | `mmcv.ops.RoIAlignRotated((h, w), scale, n, clockwise=True)(x, rois)` | radians, clockwise | `roi_align_rotated(x, rois, scale, h, w, n, clockwise=True)` |
    | `detectron2.layers.nms_rotated(boxes, scores, t)` | degrees, counterclockwise | `nms_rotated(boxes, scores, t)`, angles times pi / 180 |
    | `detectron2.layers.ROIAlignRotated((h, w), scale, n)(x, rois)` | degrees, counterclockwise | `roi_align_rotated(x, rois, scale, h, w, n)`, angles times pi / 180 |

    mmcv's `nms_rotated` returns the boxes, and the indices that this one returns. Its `labels`
    compare boxes of one class only: move the boxes of each class apart first.

    Args:
        boxes: [n, 5]: cx, cy, w, h and the angle of each box.
        scores: [n], the score of each box.
        iou_threshold: the largest intersection over union of a box with one that was kept, of a
            higher score.
        clockwise: whether angles are clockwise; False by default.

    Returns:
        A contiguous tensor.

    Raises:
        RuntimeError: ops/nms_rotated.h rejects the arguments.
    """
    result: Tensor = _operator(boxes, scores, iou_threshold, clockwise)
    return result


class NmsRotated(torch.nn.Module):
    """`nms_rotated` as a module; its constructor takes all but the tensors."""

    def __init__(self, iou_threshold: float, clockwise: bool = False) -> None:
        super().__init__()
        self.iou_threshold = iou_threshold
        self.clockwise = clockwise

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"iou_threshold={self.iou_threshold}",
                f"clockwise={self.clockwise}",
            ]
        )

    def forward(self, boxes: Tensor, scores: Tensor) -> Tensor:
        result: Tensor = nms_rotated(boxes, scores, self.iou_threshold, self.clockwise)
        return result
