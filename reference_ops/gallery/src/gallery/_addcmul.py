"""aten::addcmul: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::addcmul.default",
    existing="aten::addcmul.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="addcmul",
    doc="The operator aten::addcmul.",
    spec="sha256:90dc6f8cf7fdfc309a79c2c1d551555f0d8501888109743f52b011117d839c11",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.addcmul.default


@_onnxop.script.scripted(OP)
def addcmul(
    self: Tensor,
    tensor1: Tensor,
    tensor2: Tensor,
    *,
    value: float = 1,
) -> Tensor:
    """The operator aten::addcmul.

    Args:
        self: a tensor.
        tensor1: a tensor.
        tensor2: a tensor.
        value: a number; 1 by default.

    Returns:
        What PyTorch's aten::addcmul returns.
    """
    result: Tensor = _operator(
        self,
        tensor1,
        tensor2,
        value=_onnxop.number(value),
    )
    return result


class Addcmul(torch.nn.Module):
    """`addcmul` as a module; what is no tensor is fixed."""

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
        return addcmul(
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
