"""aten::lu_solve: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::lu_solve.default",
    existing="aten::lu_solve.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="lu_solve",
    doc="The operator aten::lu_solve.",
    spec="sha256:1c9d872174f68fbe6e59f3fad05f0212e4ab8852095f52b058188bdf19aa4aa2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.lu_solve.default


@_onnxop.script.scripted(OP)
def lu_solve(
    self: Tensor,
    LU_data: Tensor,
    LU_pivots: Tensor,
) -> Tensor:
    """The operator aten::lu_solve.

    Args:
        self: a tensor.
        LU_data: a tensor.
        LU_pivots: a tensor.

    Returns:
        What PyTorch's aten::lu_solve returns.
    """
    result: Tensor = _operator(
        self,
        LU_data,
        LU_pivots,
    )
    return result


class LuSolve(torch.nn.Module):
    """`lu_solve` as a module."""

    def forward(
        self,
        input: Tensor,
        LU_data: Tensor,
        LU_pivots: Tensor,
    ) -> Tensor:
        return lu_solve(
            input,
            LU_data,
            LU_pivots,
        )
