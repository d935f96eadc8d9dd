"""aten::logit: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, eps: Any) -> Any:
    """aten::logit in ONNX; `op` writes the nodes for the exporter that asks."""
    if eps is None:
        x_5 = op.Identity(self)
    else:
        if eps > 0.5:
            less = op.Less(self, op.constant(eps, like=self))
            greater = op.Greater(self, op.constant(1.0 - eps, like=self))
            where = op.Where(greater, op.constant(1.0 - eps, like=self), self)
            x_4 = op.Where(less, op.constant(eps, like=self), where)
        else:
            x_4 = op.Clip(self, op.constant(eps, like=self), op.constant(1.0 - eps, like=self))
        x_5 = x_4
    sub = op.Sub(op.constant(1.0, like=self), x_5)
    div = op.Div(x_5, sub)
    return op.Log(div)


OP = _onnxop.Operator(
    name="aten::logit.default",
    existing="aten::logit.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="logit",
    doc="The operator aten::logit.",
    spec="sha256:42c0b8e7c546a042fa795c82d41dc0fc2c22707cbe19b4cfdaf8b372f67a2bb2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logit.default


@_onnxop.script.scripted(OP)
def logit(
    self: Tensor,
    eps: float | None = None,
) -> Tensor:
    """The operator aten::logit.

    Args:
        self: a tensor.
        eps: a float or None; None by default.

    Returns:
        What PyTorch's aten::logit returns.
    """
    result: Tensor = _operator(
        self,
        eps,
    )
    return result


class Logit(torch.nn.Module):
    """`logit` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        eps: float | None = None,
    ) -> None:
        super().__init__()
        self.eps = eps

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return logit(
            input,
            self.eps,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"eps={self.eps}",
            ]
        )
