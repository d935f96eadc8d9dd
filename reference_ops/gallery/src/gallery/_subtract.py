"""aten::subtract: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any, alpha: Any) -> Any:
    """aten::subtract in ONNX; `op` writes the nodes for the exporter that asks."""
    if alpha != 1:
        mul = op.Mul(other, op.constant(alpha, like=other, is_number=True))
        result = op.Sub(self, mul)
    else:
        result = op.Sub(self, other)
    return result


OP = _onnxop.Operator(
    name="aten::subtract.Tensor",
    existing="aten::subtract.Tensor",
    rules={
        range(14, 26): rule,
    },
    torchscript=range(14, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="subtract",
    doc="The operator aten::subtract.",
    spec="sha256:124f0ece3a876ae912781a497af454c3a65aafe4320ead616c277fb252c3f716",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.subtract.Tensor


@_onnxop.script.scripted(OP)
def subtract(
    self: Tensor,
    other: Tensor,
    *,
    alpha: float = 1,
) -> Tensor:
    """The operator aten::subtract.

    Args:
        self: a tensor.
        other: a tensor.
        alpha: a number; 1 by default.

    Returns:
        What PyTorch's aten::subtract returns.
    """
    result: Tensor = _operator(
        self,
        other,
        alpha=_onnxop.number(alpha),
    )
    return result


class Subtract(torch.nn.Module):
    """`subtract` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        alpha: float = 1,
    ) -> None:
        super().__init__()
        self.alpha = alpha

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return subtract(
            input,
            other,
            alpha=self.alpha,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"alpha={self.alpha}",
            ]
        )
