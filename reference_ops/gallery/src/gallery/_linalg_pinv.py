"""aten::linalg_pinv: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_pinv.atol_rtol_float",
    existing="aten::linalg_pinv.atol_rtol_float",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_pinv",
    doc="The operator aten::linalg_pinv.",
    spec="sha256:db9a8da39888f114a724f4dc404e3d312da8cdb5d80c0406569bff1f24b29096",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_pinv.atol_rtol_float


@_onnxop.script.scripted(OP)
def linalg_pinv(
    self: Tensor,
    *,
    atol: float | None = None,
    rtol: float | None = None,
    hermitian: bool = False,
) -> Tensor:
    """The operator aten::linalg_pinv.

    Args:
        self: a tensor.
        atol: a float or None; None by default.
        rtol: a float or None; None by default.
        hermitian: a boolean; False by default.

    Returns:
        What PyTorch's aten::linalg_pinv returns.
    """
    result: Tensor = _operator(
        self,
        atol=atol,
        rtol=rtol,
        hermitian=hermitian,
    )
    return result


class LinalgPinv(torch.nn.Module):
    """`linalg_pinv` as a module; what is no tensor is fixed."""

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
        return linalg_pinv(
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
