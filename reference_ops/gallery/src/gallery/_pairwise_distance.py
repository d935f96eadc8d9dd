"""aten::pairwise_distance: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::pairwise_distance.default",
    existing="aten::pairwise_distance.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="pairwise_distance",
    doc="The operator aten::pairwise_distance.",
    spec="sha256:bb680c85996e41457680d04dab0a204696ee1370e7cdf67dbd343e1f948837b5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.pairwise_distance.default


@_onnxop.script.scripted(OP)
def pairwise_distance(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    eps: float = 1e-06,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::pairwise_distance.

    Args:
        x1: a tensor.
        x2: a tensor.
        p: a float; 2.0 by default.
        eps: a float; 1e-06 by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::pairwise_distance returns.
    """
    result: Tensor = _operator(
        x1,
        x2,
        p,
        eps,
        keepdim,
    )
    return result


class PairwiseDistance(torch.nn.Module):
    """`pairwise_distance` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float = 2.0,
        eps: float = 1e-06,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.p = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(
        self,
        x1: Tensor,
        x2: Tensor,
    ) -> Tensor:
        return pairwise_distance(
            x1,
            x2,
            self.p,
            self.eps,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
                f"eps={self.eps}",
                f"keepdim={self.keepdim}",
            ]
        )
