"""aten::diag: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::diag.default",
    existing="aten::diag.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="diag",
    doc="The operator aten::diag.",
    spec="sha256:f90d51f4365423fca8739a1ee13650817ca8c888d040fd02e072b8f2e94003a2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.diag.default


def diag(
    self: Tensor,
    diagonal: int = 0,
) -> Tensor:
    """The operator aten::diag.

    Args:
        self: a tensor.
        diagonal: an integer; 0 by default.

    Returns:
        What PyTorch's aten::diag returns.
    """
    result: Tensor = _operator(
        self,
        diagonal,
    )
    return result


class Diag(torch.nn.Module):
    """`diag` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        diagonal: int = 0,
    ) -> None:
        super().__init__()
        self.diagonal = diagonal

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return diag(
            input,
            self.diagonal,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"diagonal={self.diagonal}",
            ]
        )
