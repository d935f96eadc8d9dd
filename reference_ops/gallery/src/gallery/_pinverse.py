"""aten::pinverse: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::pinverse.default",
    existing="aten::pinverse.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="pinverse",
    doc="The operator aten::pinverse.",
    spec="sha256:522d1eec1a4b6d14b7119752af5a708d95c76d9515474b24d82f0849f8670525",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.pinverse.default


@_onnxop.script.scripted(OP)
def pinverse(
    self: Tensor,
    rcond: float = 1e-15,
) -> Tensor:
    """The operator aten::pinverse.

    Args:
        self: a tensor.
        rcond: a float; 1e-15 by default.

    Returns:
        What PyTorch's aten::pinverse returns.
    """
    result: Tensor = _operator(
        self,
        rcond,
    )
    return result


class Pinverse(torch.nn.Module):
    """`pinverse` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        rcond: float = 1e-15,
    ) -> None:
        super().__init__()
        self.rcond = rcond

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return pinverse(
            input,
            self.rcond,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"rcond={self.rcond}",
            ]
        )
