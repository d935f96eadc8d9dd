"""aten::rrelu: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, lower: Any, upper: Any, training: Any) -> Any:
    """aten::rrelu in ONNX; `op` writes the nodes for the exporter that asks."""
    if training:
        slope_2 = op.RandomUniformLike(self, low=float(lower), high=float(upper))
    else:
        slope_2 = op.constant(float(lower + upper) / 2.0, like="FLOAT")
    less_or_equal = op.LessOrEqual(self, op.constant(0, like=self))
    mul = op.Mul(self, slope_2)
    return op.Where(less_or_equal, mul, self)


OP = _onnxop.Operator(
    name="aten::rrelu.default",
    existing="aten::rrelu.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="rrelu",
    doc="The operator aten::rrelu.",
    spec="sha256:eff11fff977fc49b972efda972eec447f36c4336c17904ab89d977947cbce85c",
    held=[
        "generator",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.rrelu.default


@_onnxop.script.scripted(OP)
def rrelu(
    self: Tensor,
    lower: float = 0.125,
    upper: float = 0.3333333333333333,
    training: bool = False,
) -> Tensor:
    """The operator aten::rrelu.

    Args:
        self: a tensor.
        lower: a number; 0.125 by default.
        upper: a number; 0.3333333333333333 by default.
        training: a boolean; False by default.

    Returns:
        What PyTorch's aten::rrelu returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(lower),
        _onnxop.number(upper),
        training,
    )
    return result


class Rrelu(torch.nn.Module):
    """`rrelu` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        lower: float = 0.125,
        upper: float = 0.3333333333333333,
        training: bool = False,
    ) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.training_ = training

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return rrelu(
            input,
            self.lower,
            self.upper,
            self.training_,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"lower={self.lower}",
                f"upper={self.upper}",
                f"training={self.training_}",
            ]
        )
