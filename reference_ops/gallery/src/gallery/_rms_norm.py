"""aten::rms_norm: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::rms_norm.default",
    existing="aten::rms_norm.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="rms_norm",
    doc="The operator aten::rms_norm.",
    spec="sha256:9c1f03e433168070e63246e314fbbdc6925ff5980e7602fb96b0fa8db5fb4171",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.rms_norm.default


def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """The operator aten::rms_norm.

    Args:
        input: a tensor.
        normalized_shape: integers.
        weight: a tensor or None; None by default.
        eps: a float or None; None by default.

    Returns:
        What PyTorch's aten::rms_norm returns.
    """
    result: Tensor = _operator(
        input,
        normalized_shape,
        weight,
        eps,
    )
    return result


class RmsNorm(torch.nn.Module):
    """`rms_norm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        normalized_shape: Sequence[int],
        eps: float | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps

    def forward(
        self,
        input: Tensor,
        weight: Tensor | None = None,
    ) -> Tensor:
        return rms_norm(
            input,
            self.normalized_shape,
            weight,
            self.eps,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"normalized_shape={self.normalized_shape}",
                f"eps={self.eps}",
            ]
        )
