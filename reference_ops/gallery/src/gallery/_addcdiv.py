"""aten::addcdiv: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::addcdiv.default",
    existing="aten::addcdiv.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="addcdiv",
    doc="The operator aten::addcdiv.",
    spec="sha256:fc1990c56dfd2a759cfa5c7fabbd1e36c7d8fb7edff2cf1996a7b7d2f7c5848b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.addcdiv.default


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
