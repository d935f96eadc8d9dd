"""aten::logsumexp: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::logsumexp.default",
    existing="aten::logsumexp.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="logsumexp",
    doc="The operator aten::logsumexp.",
    spec="sha256:982a006abe8666937fd49956fedf261de16f9876d74fc9259ff9512a82ab7dd2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.logsumexp.default


@_onnxop.script.scripted(OP)
def logsumexp(
    self: Tensor,
    dim: Sequence[int],
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::logsumexp.

    Args:
        self: a tensor.
        dim: 1 integers.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::logsumexp returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class Logsumexp(torch.nn.Module):
    """`logsumexp` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: Sequence[int],
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return logsumexp(
            input,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
