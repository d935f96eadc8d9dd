"""aten::copysign: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::copysign in ONNX; `op` writes the nodes for the exporter that asks."""
    sign = op.CastLike(op.constant(other, like="FLOAT"), self)
    less = op.Less(sign, op.constant(0.0, like=self))
    equal = op.Equal(sign, op.constant(0.0, like=self))
    div = op.Div(op.constant(1.0, like=self), sign)
    less_2 = op.Less(div, op.constant(0.0, like=self))
    and_2 = op.And(equal, less_2)
    is_negative = op.Or(less, and_2)
    size = op.Abs(self)
    neg = op.Neg(size)
    return op.Where(is_negative, neg, size)


OP = _onnxop.Operator(
    name="aten::copysign.Scalar",
    called="copysign_scalar",
    existing="aten::copysign.Scalar",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="copysign_scalar",
    doc="The operator aten::copysign.Scalar.",
    spec="sha256:71f90e38efc3e0a618b60fec1a7e60d061e6d6f9ac2fb6b7412a8ad95bad9a87",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.copysign.Scalar


@_onnxop.script.scripted(OP)
def copysign_scalar(
    self: Tensor,
    other: float,
) -> Tensor:
    """The operator aten::copysign.Scalar.

    Args:
        self: a tensor.
        other: a number.

    Returns:
        What PyTorch's aten::copysign returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(other),
    )
    return result


class CopysignScalar(torch.nn.Module):
    """`copysign_scalar` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        other: float,
    ) -> None:
        super().__init__()
        self.other = other

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return copysign_scalar(
            input,
            self.other,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"other={self.other}",
            ]
        )
