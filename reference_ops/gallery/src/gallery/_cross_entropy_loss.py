"""aten::cross_entropy_loss: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    target: Any,
    weight: Any,
    reduction: Any,
    ignore_index: Any,
    label_smoothing: Any,
) -> Any:
    """aten::cross_entropy_loss in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 1:
        x = op.Unsqueeze(self, op.constant([0], like="INT64"))
    else:
        x = op.Identity(self)
    if op.rank(self) == 1:
        wanted = op.Unsqueeze(target, op.constant([0], like="INT64"))
    else:
        wanted = op.Identity(target)
    if op.rank(target) == op.rank(self):
        part = op.LogSoftmax(x, axis=1)
        if label_smoothing > 0.0:
            shape = op.Shape(x)
            gather = op.Gather(shape, op.constant(1, like="INT64"))
            share = op.CastLike(gather, x)
            mul = op.Mul(wanted, op.constant(1.0 - label_smoothing, like=target))
            div = op.Div(op.constant(label_smoothing, like=self), share)
            wanted_3 = op.Add(mul, div)
        else:
            wanted_3 = wanted
        part_2 = op.Mul(part, wanted_3)
        if weight is not None:
            if len(list(range(1, max(op.rank(self), 2) - 1))) > 0:
                chosen = op.Unsqueeze(
                    weight,
                    op.constant(list(range(1, max(op.rank(self), 2) - 1)), like="INT64"),
                )
            else:
                chosen = op.Identity(weight)
            part_4 = op.Mul(part_2, chosen)
        else:
            part_4 = part_2
        reduce_sum = op.ReduceSum(part_4, op.constant([1], like="INT64"), keepdims=1)
        squeeze = op.Squeeze(reduce_sum, op.constant([1], like="INT64"))
        each = op.Neg(squeeze)
        if reduction == 0:
            if op.rank(self) == 1:
                result = op.Squeeze(each, op.constant([0], like="INT64"))
            else:
                result = each
            result_3 = result
        else:
            if reduction == 1:
                result_2 = op.ReduceMean(each, keepdims=0)
            else:
                result_2 = op.ReduceSum(each, keepdims=0)
            result_3 = result_2
        result_5 = result_3
    else:
        loss = op.SoftmaxCrossEntropyLoss(
            x,
            wanted,
            weight,
            reduction="none" if reduction == 0 else "mean" if reduction == 1 else "sum",
            ignore_index=ignore_index,
        )
        if label_smoothing > 0.0:
            part_5 = op.LogSoftmax(x, axis=1)
            if weight is not None:
                if len(list(range(1, max(op.rank(self), 2) - 1))) > 0:
                    chosen_2 = op.Unsqueeze(
                        weight,
                        op.constant(list(range(1, max(op.rank(self), 2) - 1)), like="INT64"),
                    )
                else:
                    chosen_2 = op.Identity(weight)
                part_7 = op.Mul(part_5, chosen_2)
            else:
                part_7 = part_5
            is_left_out = op.Equal(wanted, op.constant(ignore_index, like=target))
            reduce_sum_3 = op.ReduceSum(part_7, op.constant([1], like="INT64"), keepdims=1)
            squeeze_3 = op.Squeeze(reduce_sum_3, op.constant([1], like="INT64"))
            smooth = op.Neg(squeeze_3)
            smooth_2 = op.Where(is_left_out, op.constant(0, like=self), smooth)
            if reduction != 0:
                smooth_4 = op.ReduceSum(smooth_2, keepdims=0)
            else:
                smooth_4 = smooth_2
            if reduction == 1:
                if weight is not None:
                    where = op.Where(is_left_out, op.constant(0, like=target), wanted)
                    count_3 = op.Gather(weight, where)
                else:
                    cast_like = op.CastLike(op.constant(1, like="INT64"), x)
                    shape_2 = op.Shape(wanted)
                    count_3 = op.Expand(cast_like, shape_2)
                where_2 = op.Where(is_left_out, op.constant(0, like=self), count_3)
                reduce_sum_4 = op.ReduceSum(where_2, keepdims=0)
                smooth_6 = op.Div(smooth_4, reduce_sum_4)
            else:
                smooth_6 = smooth_4
            shape_3 = op.Shape(x)
            gather_2 = op.Gather(shape_3, op.constant(1, like="INT64"))
            share_2 = op.CastLike(gather_2, x)
            mul_2 = op.Mul(loss, op.constant(1.0 - label_smoothing, like=self))
            div_2 = op.Div(op.constant(label_smoothing, like=self), share_2)
            mul_3 = op.Mul(smooth_6, div_2)
            loss_3 = op.Add(mul_2, mul_3)
        else:
            loss_3 = loss
        if op.rank(self) == 1 and reduction == 0:
            result_4 = op.Squeeze(loss_3, op.constant([0], like="INT64"))
        else:
            result_4 = loss_3
        result_5 = result_4
    return result_5


OP = _onnxop.Operator(
    name="aten::cross_entropy_loss.default",
    existing="aten::cross_entropy_loss.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cross_entropy_loss",
    doc="The operator aten::cross_entropy_loss.",
    spec="sha256:6457f142dab0aeb511eeb846fb2e4be22975e6fe08b7de702f38c61dc561eb6e",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cross_entropy_loss.default


@_onnxop.script.scripted(OP)
def cross_entropy_loss(
    self: Tensor,
    target: Tensor,
    weight: Tensor | None = None,
    reduction: int = 1,
    ignore_index: int = -100,
    label_smoothing: float = 0.0,
) -> Tensor:
    """The operator aten::cross_entropy_loss.

    Args:
        self: a tensor.
        target: a tensor.
        weight: a tensor or None; None by default.
        reduction: an integer; 1 by default.
        ignore_index: an integer; -100 by default.
        label_smoothing: a float; 0.0 by default.

    Returns:
        What PyTorch's aten::cross_entropy_loss returns.
    """
    result: Tensor = _operator(
        self,
        target,
        weight,
        reduction,
        ignore_index,
        label_smoothing,
    )
    return result


class CrossEntropyLoss(torch.nn.Module):
    """`cross_entropy_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        reduction: int = 1,
        ignore_index: int = -100,
        label_smoothing: float = 0.0,
    ) -> None:
        super().__init__()
        self.reduction = reduction
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(
        self,
        input: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
    ) -> Tensor:
        return cross_entropy_loss(
            input,
            target,
            weight,
            self.reduction,
            self.ignore_index,
            self.label_smoothing,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"reduction={self.reduction}",
                f"ignore_index={self.ignore_index}",
                f"label_smoothing={self.label_smoothing}",
            ]
        )
