"""aten::linalg_tensorinv: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_tensorinv.default",
    existing="aten::linalg_tensorinv.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_tensorinv",
    doc="The operator aten::linalg_tensorinv.",
    spec="sha256:b649a86826e842f93db6602897c46f36a09233a7433c34a38c650c3093b5123d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_tensorinv.default


@_onnxop.script.scripted(OP)
def linalg_tensorinv(
    self: Tensor,
    ind: int = 2,
) -> Tensor:
    """The operator aten::linalg_tensorinv.

    Args:
        self: a tensor.
        ind: an integer; 2 by default.

    Returns:
        What PyTorch's aten::linalg_tensorinv returns.
    """
    result: Tensor = _operator(
        self,
        ind,
    )
    return result


class LinalgTensorinv(torch.nn.Module):
    """`linalg_tensorinv` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        ind: int = 2,
    ) -> None:
        super().__init__()
        self.ind = ind

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_tensorinv(
            input,
            self.ind,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"ind={self.ind}",
            ]
        )
