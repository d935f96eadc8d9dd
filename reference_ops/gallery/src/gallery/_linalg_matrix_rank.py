"""aten::linalg_matrix_rank: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_matrix_rank.atol_rtol_float",
    existing="aten::linalg_matrix_rank.atol_rtol_float",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_matrix_rank",
    doc="The operator aten::linalg_matrix_rank.",
    spec="sha256:1cc63a101d03c2d7baf0f327153817658045d35df2b9937974d73312bc5325b0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_matrix_rank.atol_rtol_float


@_onnxop.script.scripted(OP)
def linalg_matrix_rank(
    self: Tensor,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    hermitian: bool = False,
) -> Tensor:
    """The operator aten::linalg_matrix_rank.

    Args:
        self: a tensor.
        atol: a float or None; None by default.
        rtol: a float or None; None by default.
        hermitian: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_matrix_rank returns.
    """
    result: Tensor = _operator(
        self,
        atol=atol,
        rtol=rtol,
        hermitian=hermitian,
    )
    return result


class LinalgMatrixRank(torch.nn.Module):
    """`linalg_matrix_rank` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        atol: float | None = None,
        rtol: float | None = None,
        hermitian: bool = False,
    ) -> None:
        super().__init__()
        self.atol = atol
        self.rtol = rtol
        self.hermitian = hermitian

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_matrix_rank(
            input,
            atol=self.atol,
            rtol=self.rtol,
            hermitian=self.hermitian,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"atol={self.atol}",
                f"rtol={self.rtol}",
                f"hermitian={self.hermitian}",
            ]
        )
