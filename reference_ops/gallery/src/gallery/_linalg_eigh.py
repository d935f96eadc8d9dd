"""aten::linalg_eigh: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_eigh.default",
    existing="aten::linalg_eigh.default",
    results=[
        "eigenvalues",
        "eigenvectors",
    ],
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_eigh",
    doc="The operator aten::linalg_eigh.",
    spec="sha256:a7301a723020912a8325da31640de303bba262c09ad7cd2f44de3a3a54440ce2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_eigh.default


@_onnxop.script.scripted(OP)
def linalg_eigh(
    self: Tensor,
    UPLO: str = "L",
) -> tuple[Tensor, Tensor]:
    """The operator aten::linalg_eigh.

    Args:
        self: a tensor.
        UPLO: a string; 'L' by default.

    Returns:
        What PyTorch's aten::linalg_eigh returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        UPLO,
    )
    return result


class LinalgEigh(torch.nn.Module):
    """`linalg_eigh` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        UPLO: str = "L",
    ) -> None:
        super().__init__()
        self.UPLO = UPLO

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return linalg_eigh(
            input,
            self.UPLO,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"UPLO={self.UPLO}",
            ]
        )
