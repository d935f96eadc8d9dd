"""aten::linalg_svd: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_svd.default",
    existing="aten::linalg_svd.default",
    results=[
        "U",
        "S",
        "Vh",
    ],
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_svd",
    doc="The operator aten::linalg_svd.",
    spec="sha256:9b11c5249f887c8eec833db30470996d320a393e8c19c323e57385bbdf92256d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_svd.default


@_onnxop.script.scripted(OP)
def linalg_svd(
    A: Tensor,
    full_matrices: bool = True,
    *,
    driver: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The operator aten::linalg_svd.

    Args:
        A: a tensor.
        full_matrices: a boolean; True by default.
        driver: a string or None; None by default.

    Returns:
        What PyTorch's aten::linalg_svd returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        A,
        full_matrices,
        driver=driver,
    )
    return result


class LinalgSvd(torch.nn.Module):
    """`linalg_svd` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        full_matrices: bool = True,
        *,
        driver: str | None = None,
    ) -> None:
        super().__init__()
        self.full_matrices = full_matrices
        self.driver = driver

    def forward(
        self,
        A: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return linalg_svd(
            A,
            self.full_matrices,
            driver=self.driver,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"full_matrices={self.full_matrices}",
                f"driver={self.driver}",
            ]
        )
