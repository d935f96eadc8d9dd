"""aten::poisson_nll_loss: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    input: Any,
    target: Any,
    log_input: Any,
    full: Any,
    eps: Any,
    reduction: Any,
) -> Any:
    """aten::poisson_nll_loss in ONNX; `op` writes the nodes for the exporter that asks."""
    if log_input:
        exp = op.Exp(input)
        mul = op.Mul(target, input)
        loss_3 = op.Sub(exp, mul)
    else:
        add = op.Add(input, op.constant(eps, like=input))
        log = op.Log(add)
        mul_2 = op.Mul(target, log)
        loss_3 = op.Sub(input, mul_2)
    if full:
        log_2 = op.Log(target)
        mul_3 = op.Mul(target, log_2)
        sub = op.Sub(mul_3, target)
        mul_4 = op.Mul(op.constant(2.0 * 3.141592653589793, like=target), target)
        log_3 = op.Log(mul_4)
        mul_5 = op.Mul(op.constant(0.5, like=target), log_3)
        stirling = op.Add(sub, mul_5)
        less_or_equal = op.LessOrEqual(target, op.constant(1, like=target))
        where = op.Where(less_or_equal, op.constant(0, like=target), stirling)
        loss_5 = op.Add(loss_3, where)
    else:
        loss_5 = loss_3
    if reduction == 0:
        result_2 = loss_5
    else:
        if reduction == 1:
            result = op.ReduceMean(loss_5, keepdims=0)
        else:
            result = op.ReduceSum(loss_5, keepdims=0)
        result_2 = result
    return result_2


OP = _onnxop.Operator(
    name="aten::poisson_nll_loss.default",
    existing="aten::poisson_nll_loss.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="poisson_nll_loss",
    doc="The operator aten::poisson_nll_loss.",
    spec="sha256:0dead6b9ecd0c56590a28a0bd0174f4d3a15c3db4a4605bc07fd0c6ed68f3de6",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.poisson_nll_loss.default


@_onnxop.script.scripted(OP)
def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool,
    full: bool,
    eps: float,
    reduction: int,
) -> Tensor:
    """The operator aten::poisson_nll_loss.

    Args:
        input: a tensor.
        target: a tensor.
        log_input: a boolean.
        full: a boolean.
        eps: a float.
        reduction: an integer.

    Returns:
        What PyTorch's aten::poisson_nll_loss returns.
    """
    result: Tensor = _operator(
        input,
        target,
        log_input,
        full,
        eps,
        reduction,
    )
    return result


class PoissonNllLoss(torch.nn.Module):
    """`poisson_nll_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        log_input: bool,
        full: bool,
        eps: float,
        reduction: int,
    ) -> None:
        super().__init__()
        self.log_input = log_input
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(
        self,
        input: Tensor,
        target: Tensor,
    ) -> Tensor:
        return poisson_nll_loss(
            input,
            target,
            self.log_input,
            self.full,
            self.eps,
            self.reduction,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"log_input={self.log_input}",
                f"full={self.full}",
                f"eps={self.eps}",
                f"reduction={self.reduction}",
            ]
        )
