"""aten::addmv: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::addmv.default",
    existing="aten::addmv.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="addmv",
    doc="The operator aten::addmv.",
    spec="sha256:826ed4363d5fa1429d41592af63b1172f9cf21746d8740db3369e114cb6b5299",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.addmv.default


@_onnxop.script.scripted(OP)
def addmv(
    self: Tensor,
    mat: Tensor,
    vec: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
) -> Tensor:
    """The operator aten::addmv.

    Args:
        self: a tensor.
        mat: a tensor.
        vec: a tensor.
        beta: a number; 1 by default.
        alpha: a number; 1 by default.

    Returns:
        What PyTorch's aten::addmv returns.
    """
    result: Tensor = _operator(
        self,
        mat,
        vec,
        beta=_onnxop.number(beta),
        alpha=_onnxop.number(alpha),
    )
    return result


class Addmv(torch.nn.Module):
    """`addmv` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        beta: float = 1,
        alpha: float = 1,
    ) -> None:
        super().__init__()
        self.beta = beta
        self.alpha = alpha

    def forward(
        self,
        input: Tensor,
        mat: Tensor,
        vec: Tensor,
    ) -> Tensor:
        return addmv(
            input,
            mat,
            vec,
            beta=self.beta,
            alpha=self.alpha,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"beta={self.beta}",
                f"alpha={self.alpha}",
            ]
        )
