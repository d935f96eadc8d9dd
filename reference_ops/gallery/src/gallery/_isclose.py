"""aten::isclose: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::isclose.default",
    existing="aten::isclose.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="isclose",
    doc="The operator aten::isclose.",
    spec="sha256:44ddb90e8d54543142d434224ba3dbdb328f3b1524f5e0d154c2cc20c08cc483",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.isclose.default


@_onnxop.script.scripted(OP)
def isclose(
    self: Tensor,
    other: Tensor,
    rtol: float = 1e-05,
    atol: float = 1e-08,
    equal_nan: bool = False,
) -> Tensor:
    """The operator aten::isclose.

    Args:
        self: a tensor.
        other: a tensor.
        rtol: a float; 1e-05 by default.
        atol: a float; 1e-08 by default.
        equal_nan: a boolean; False by default.

    Returns:
        What PyTorch's aten::isclose returns.
    """
    result: Tensor = _operator(
        self,
        other,
        rtol,
        atol,
        equal_nan,
    )
    return result


class Isclose(torch.nn.Module):
    """`isclose` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        rtol: float = 1e-05,
        atol: float = 1e-08,
        equal_nan: bool = False,
    ) -> None:
        super().__init__()
        self.rtol = rtol
        self.atol = atol
        self.equal_nan = equal_nan

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return isclose(
            input,
            other,
            self.rtol,
            self.atol,
            self.equal_nan,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"rtol={self.rtol}",
                f"atol={self.atol}",
                f"equal_nan={self.equal_nan}",
            ]
        )
