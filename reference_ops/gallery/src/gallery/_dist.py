"""aten::dist: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::dist.default",
    existing="aten::dist.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="dist",
    doc="The operator aten::dist.",
    spec="sha256:e915d8a39a54ee372b357ffdca69da62490fb6a6e961c39d4238af0bb803bf19",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.dist.default


@_onnxop.script.scripted(OP)
def dist(
    self: Tensor,
    other: Tensor,
    p: float = 2,
) -> Tensor:
    """The operator aten::dist.

    Args:
        self: a tensor.
        other: a tensor.
        p: a number; 2 by default.

    Returns:
        What PyTorch's aten::dist returns.
    """
    result: Tensor = _operator(
        self,
        other,
        _onnxop.number(p),
    )
    return result


class Dist(torch.nn.Module):
    """`dist` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float = 2,
    ) -> None:
        super().__init__()
        self.p = p

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return dist(
            input,
            other,
            self.p,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
            ]
        )
