"""aten::fill: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, value: Any) -> Any:
    """aten::fill in ONNX; `op` writes the nodes for the exporter that asks."""
    cast_like = op.CastLike(op.constant(value, like="FLOAT"), self)
    shape = op.Shape(self)
    return op.Expand(cast_like, shape)


OP = _onnxop.Operator(
    name="aten::fill.Scalar",
    called="fill_scalar",
    existing="aten::fill.Scalar",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="fill_scalar",
    doc="The operator aten::fill.Scalar.",
    spec="sha256:fffd16c0de26499fd73b4c98a0be99245a46ca0706a6dbe4beb2000ca899239f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fill.Scalar


@_onnxop.script.scripted(OP)
def fill_scalar(
    self: Tensor,
    value: float,
) -> Tensor:
    """The operator aten::fill.Scalar.

    Args:
        self: a tensor.
        value: a number.

    Returns:
        What PyTorch's aten::fill returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(value),
    )
    return result


class FillScalar(torch.nn.Module):
    """`fill_scalar` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        value: float,
    ) -> None:
        super().__init__()
        self.value = value

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return fill_scalar(
            input,
            self.value,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"value={self.value}",
            ]
        )
