"""aten::renorm: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::renorm.default",
    existing="aten::renorm.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="renorm",
    doc="The operator aten::renorm.",
    spec="sha256:d967826231d46c2c8b412ee2f04ffdf40ee5fff85617be5823556ef7f45f4af0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.renorm.default


def renorm(
    self: Tensor,
    p: float,
    dim: int,
    maxnorm: float,
) -> Tensor:
    """The operator aten::renorm.

    Args:
        self: a tensor.
        p: a number.
        dim: an integer.
        maxnorm: a number.

    Returns:
        What PyTorch's aten::renorm returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(p),
        dim,
        _onnxop.number(maxnorm),
    )
    return result


class Renorm(torch.nn.Module):
    """`renorm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float,
        dim: int,
        maxnorm: float,
    ) -> None:
        super().__init__()
        self.p = p
        self.dim = dim
        self.maxnorm = maxnorm

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return renorm(
            input,
            self.p,
            self.dim,
            self.maxnorm,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
                f"dim={self.dim}",
                f"maxnorm={self.maxnorm}",
            ]
        )
