"""aten::linalg_eigvalsh: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_eigvalsh.default",
    existing="aten::linalg_eigvalsh.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_eigvalsh",
    doc="The operator aten::linalg_eigvalsh.",
    spec="sha256:9f572aef5581a0ca971968251528e647243deb2931b1afbf400b05930d5c097d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_eigvalsh.default


@_onnxop.script.scripted(OP)
def linalg_eigvalsh(
    self: Tensor,
    UPLO: str = "L",
) -> Tensor:
    """The operator aten::linalg_eigvalsh.

    Args:
        self: a tensor.
        UPLO: a string; 'L' by default.

    Returns:
        What PyTorch's aten::linalg_eigvalsh returns.
    """
    result: Tensor = _operator(
        self,
        UPLO,
    )
    return result


class LinalgEigvalsh(torch.nn.Module):
    """`linalg_eigvalsh` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        UPLO: str = "L",
    ) -> None:
        super().__init__()
        self.UPLO = UPLO

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_eigvalsh(
            input,
            self.UPLO,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"UPLO={self.UPLO}",
            ]
        )
