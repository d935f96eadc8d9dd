"""aten::cdist: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_13(op: Any, x1: Any, x2: Any, p: Any, compute_mode: Any) -> Any:
    """aten::cdist in ONNX; `op` writes the nodes for the exporter that asks."""
    unsqueeze = op.Unsqueeze(x1, op.constant([-2], like="INT64"))
    unsqueeze_2 = op.Unsqueeze(x2, op.constant([-3], like="INT64"))
    sub = op.Sub(unsqueeze, unsqueeze_2)
    difference = op.Abs(sub)
    if p == 2.0:
        mul = op.Mul(difference, difference)
        reduce_sum = op.ReduceSum(mul, op.constant([-1], like="INT64"), keepdims=0)
        result_9 = op.Sqrt(reduce_sum)
    else:
        if p == 1.0:
            result_8 = op.ReduceSum(difference, op.constant([-1], like="INT64"), keepdims=0)
        else:
            if p == 0.0:
                sign = op.Sign(difference)
                result_7 = op.ReduceSum(sign, op.constant([-1], like="INT64"), keepdims=0)
            else:
                if p > 1e30:
                    result_6 = op.ReduceMax(difference, axes=[-1], keepdims=0)
                else:
                    pow = op.Pow(difference, op.constant(p, like="FLOAT"))
                    reduce_sum_2 = op.ReduceSum(pow, op.constant([-1], like="INT64"), keepdims=0)
                    result_6 = op.Pow(reduce_sum_2, op.constant(1.0 / p, like="FLOAT"))
                result_7 = result_6
            result_8 = result_7
        result_9 = result_8
    return result_9


def rule_18(op: Any, x1: Any, x2: Any, p: Any, compute_mode: Any) -> Any:
    """aten::cdist in ONNX; `op` writes the nodes for the exporter that asks."""
    unsqueeze = op.Unsqueeze(x1, op.constant([-2], like="INT64"))
    unsqueeze_2 = op.Unsqueeze(x2, op.constant([-3], like="INT64"))
    sub = op.Sub(unsqueeze, unsqueeze_2)
    difference = op.Abs(sub)
    if p == 2.0:
        mul = op.Mul(difference, difference)
        reduce_sum = op.ReduceSum(mul, op.constant([-1], like="INT64"), keepdims=0)
        result_9 = op.Sqrt(reduce_sum)
    else:
        if p == 1.0:
            result_8 = op.ReduceSum(difference, op.constant([-1], like="INT64"), keepdims=0)
        else:
            if p == 0.0:
                sign = op.Sign(difference)
                result_7 = op.ReduceSum(sign, op.constant([-1], like="INT64"), keepdims=0)
            else:
                if p > 1e30:
                    result_6 = op.ReduceMax(difference, op.constant([-1], like="INT64"), keepdims=0)
                else:
                    pow = op.Pow(difference, op.constant(p, like="FLOAT"))
                    reduce_sum_2 = op.ReduceSum(pow, op.constant([-1], like="INT64"), keepdims=0)
                    result_6 = op.Pow(reduce_sum_2, op.constant(1.0 / p, like="FLOAT"))
                result_7 = result_6
            result_8 = result_7
        result_9 = result_8
    return result_9


OP = _onnxop.Operator(
    name="aten::cdist.default",
    existing="aten::cdist.default",
    rules={
        range(13, 18): rule_13,
        range(18, 26): rule_18,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cdist",
    doc="The operator aten::cdist.",
    spec="sha256:341980576a0ce6ffa46e46ae77bb6dd15e6ae22e6a1d6b6cd85914a9cbff64c0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cdist.default


def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: int | None = None,
) -> Tensor:
    """The operator aten::cdist.

    Args:
        x1: a tensor.
        x2: a tensor.
        p: a float; 2.0 by default.
        compute_mode: an integer or None; None by default.

    Returns:
        What PyTorch's aten::cdist returns.
    """
    result: Tensor = _operator(
        x1,
        x2,
        p,
        compute_mode,
    )
    return result


class Cdist(torch.nn.Module):
    """`cdist` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float = 2.0,
        compute_mode: int | None = None,
    ) -> None:
        super().__init__()
        self.p = p
        self.compute_mode = compute_mode

    def forward(
        self,
        x1: Tensor,
        x2: Tensor,
    ) -> Tensor:
        return cdist(
            x1,
            x2,
            self.p,
            self.compute_mode,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
                f"compute_mode={self.compute_mode}",
            ]
        )
