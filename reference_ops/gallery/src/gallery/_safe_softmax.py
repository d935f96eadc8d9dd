"""aten::_safe_softmax: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::_safe_softmax.default",
    called="safe_softmax",
    existing="aten::_safe_softmax.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="safe_softmax",
    doc="The operator aten::_safe_softmax.",
    spec="sha256:c9f58c379cc450a9c3a273a100977ceea01abf1ef31087a8046fa9d73d8ae3db",
    held=[
        "dtype",
    ],
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._safe_softmax.default


@_onnxop.script.scripted(OP)
def safe_softmax(
    self: Tensor,
    dim: int,
) -> Tensor:
    """The operator aten::_safe_softmax.

    Args:
        self: a tensor.
        dim: an integer.

    Returns:
        What PyTorch's aten::_safe_softmax returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class SafeSoftmax(torch.nn.Module):
    """`safe_softmax` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return safe_softmax(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
