"""aten::cosine_similarity: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::cosine_similarity.default",
    existing="aten::cosine_similarity.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="cosine_similarity",
    doc="The operator aten::cosine_similarity.",
    spec="sha256:9c7b0139684ca987a444db4f6594608290b192fe8e7d9b120a0c0691c7c5299c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cosine_similarity.default


@_onnxop.script.scripted(OP)
def cosine_similarity(
    x1: Tensor,
    x2: Tensor,
    dim: int = 1,
    eps: float = 1e-08,
) -> Tensor:
    """The operator aten::cosine_similarity.

    Args:
        x1: a tensor.
        x2: a tensor.
        dim: an integer; 1 by default.
        eps: a float; 1e-08 by default.

    Returns:
        What PyTorch's aten::cosine_similarity returns.
    """
    result: Tensor = _operator(
        x1,
        x2,
        dim,
        eps,
    )
    return result


class CosineSimilarity(torch.nn.Module):
    """`cosine_similarity` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int = 1,
        eps: float = 1e-08,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(
        self,
        x1: Tensor,
        x2: Tensor,
    ) -> Tensor:
        return cosine_similarity(
            x1,
            x2,
            self.dim,
            self.eps,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"eps={self.eps}",
            ]
        )
