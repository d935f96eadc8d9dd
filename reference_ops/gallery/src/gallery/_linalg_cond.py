"""aten::linalg_cond: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_cond.default",
    existing="aten::linalg_cond.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_cond",
    doc="The operator aten::linalg_cond.",
    spec="sha256:bd0372041ae6bfae5919c3ce7aabe0f5388e086516c34380b02bc543b97e6c27",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_cond.default


@_onnxop.script.scripted(OP)
def linalg_cond(
    self: Tensor,
    p: float | None = None,
) -> Tensor:
    """The operator aten::linalg_cond.

    Args:
        self: a tensor.
        p: a number or None; None by default.

    Returns:
        What PyTorch's aten::linalg_cond returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(p),
    )
    return result


class LinalgCond(torch.nn.Module):
    """`linalg_cond` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float | None = None,
    ) -> None:
        super().__init__()
        self.p = p

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_cond(
            input,
            self.p,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
            ]
        )
