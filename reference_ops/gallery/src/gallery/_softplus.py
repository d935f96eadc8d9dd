"""aten::softplus: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::softplus.default",
    existing="aten::softplus.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="softplus",
    doc="The operator aten::softplus.",
    spec="sha256:8dd47fc779cb09ba44b1c288d825bbdc5709572402b383b1ee7e385d0c24aa86",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.softplus.default


@_onnxop.script.scripted(OP)
def softplus(
    self: Tensor,
    beta: float = 1,
    threshold: float = 20,
) -> Tensor:
    """The operator aten::softplus.

    Args:
        self: a tensor.
        beta: a number; 1 by default.
        threshold: a number; 20 by default.

    Returns:
        What PyTorch's aten::softplus returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(beta),
        _onnxop.number(threshold),
    )
    return result


class Softplus(torch.nn.Module):
    """`softplus` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        beta: float = 1,
        threshold: float = 20,
    ) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return softplus(
            input,
            self.beta,
            self.threshold,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"beta={self.beta}",
                f"threshold={self.threshold}",
            ]
        )
