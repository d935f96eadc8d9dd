"""aten::linalg_matrix_power: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_matrix_power.default",
    existing="aten::linalg_matrix_power.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_matrix_power",
    doc="The operator aten::linalg_matrix_power.",
    spec="sha256:ed7427efe1a68ebb1b11f920df02f4c435314551bbbc4febe4058d1342cde938",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_matrix_power.default


@_onnxop.script.scripted(OP)
def linalg_matrix_power(
    self: Tensor,
    n: int,
) -> Tensor:
    """The operator aten::linalg_matrix_power.

    Args:
        self: a tensor.
        n: an integer.

    Returns:
        What PyTorch's aten::linalg_matrix_power returns.
    """
    result: Tensor = _operator(
        self,
        n,
    )
    return result


class LinalgMatrixPower(torch.nn.Module):
    """`linalg_matrix_power` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        n: int,
    ) -> None:
        super().__init__()
        self.n = n

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_matrix_power(
            input,
            self.n,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"n={self.n}",
            ]
        )
