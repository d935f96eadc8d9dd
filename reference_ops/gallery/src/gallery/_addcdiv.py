"""aten::addcdiv: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, tensor1: Any, tensor2: Any, value: Any) -> Any:
    """aten::addcdiv in ONNX; `op` writes the nodes for the exporter that asks."""
    mul = op.Mul(op.constant(value, like=tensor1, is_number=True), tensor1)
    div = op.Div(mul, tensor2)
    return op.Add(self, div)


OP = _onnxop.Operator(
    name="aten::addcdiv.default",
    existing="aten::addcdiv.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="addcdiv",
    doc="The operator aten::addcdiv.",
    spec="sha256:9fe545631eeb34031525abe190d2ade60fbee7808f158bfbcbd6cc7b8e76c8ad",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.addcdiv.default


@_onnxop.script.scripted(OP)
def addcdiv(
    self: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: float = 1,
) -> Tensor:
    """The operator aten::addcdiv.

    Args:
        self: a tensor.
        tensor1: a tensor.
        tensor2: a tensor.
        value: a number; 1 by default.

    Returns:
        What PyTorch's aten::addcdiv returns.
    """
    result: Tensor = _operator(
        self,
        tensor1,
        tensor2,
        value=_onnxop.number(value),
    )
    return result


class Addcdiv(torch.nn.Module):
    """`addcdiv` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        value: float = 1,
    ) -> None:
        super().__init__()
        self.value = value

    def forward(
        self,
        input: Tensor,
        tensor1: Tensor,
        tensor2: Tensor,
    ) -> Tensor:
        return addcdiv(
            input,
            tensor1,
            tensor2,
            value=self.value,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"value={self.value}",
            ]
        )
