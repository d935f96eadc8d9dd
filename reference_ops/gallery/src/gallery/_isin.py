"""aten::isin: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::isin.Tensor_Tensor",
    existing="aten::isin.Tensor_Tensor",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="isin",
    doc="The operator aten::isin.",
    spec="sha256:570fa977a035d77552603635d5538a0243519e724ed6a6601ce327d63aa320b0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.isin.Tensor_Tensor


def isin(
    elements: Tensor,
    test_elements: Tensor,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> Tensor:
    """The operator aten::isin.

    Args:
        elements: a tensor.
        test_elements: a tensor.
        assume_unique: a boolean; False by default.
        invert: a boolean; False by default.

    Returns:
        What PyTorch's aten::isin returns.
    """
    result: Tensor = _operator(
        elements,
        test_elements,
        assume_unique=assume_unique,
        invert=invert,
    )
    return result


class Isin(torch.nn.Module):
    """`isin` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        assume_unique: bool = False,
        invert: bool = False,
    ) -> None:
        super().__init__()
        self.assume_unique = assume_unique
        self.invert = invert

    def forward(
        self,
        elements: Tensor,
        test_elements: Tensor,
    ) -> Tensor:
        return isin(
            elements,
            test_elements,
            assume_unique=self.assume_unique,
            invert=self.invert,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"assume_unique={self.assume_unique}",
                f"invert={self.invert}",
            ]
        )
