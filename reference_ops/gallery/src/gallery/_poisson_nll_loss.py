"""aten::poisson_nll_loss: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::poisson_nll_loss.default",
    existing="aten::poisson_nll_loss.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="poisson_nll_loss",
    doc="The operator aten::poisson_nll_loss.",
    spec="sha256:4e620c3fa02a2229c1494b6f690f9319a377af9408852abe619d042da406ba36",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.poisson_nll_loss.default


def poisson_nll_loss(
    input: Tensor,
    target: Tensor,
    log_input: bool,
    full: bool,
    eps: float,
    reduction: int,
) -> Tensor:
    """The operator aten::poisson_nll_loss.

    Args:
        input: a tensor.
        target: a tensor.
        log_input: a boolean.
        full: a boolean.
        eps: a float.
        reduction: an integer.

    Returns:
        What PyTorch's aten::poisson_nll_loss returns.
    """
    result: Tensor = _operator(
        input,
        target,
        log_input,
        full,
        eps,
        reduction,
    )
    return result


class PoissonNllLoss(torch.nn.Module):
    """`poisson_nll_loss` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        log_input: bool,
        full: bool,
        eps: float,
        reduction: int,
    ) -> None:
        super().__init__()
        self.log_input = log_input
        self.full = full
        self.eps = eps
        self.reduction = reduction

    def forward(
        self,
        input: Tensor,
        target: Tensor,
    ) -> Tensor:
        return poisson_nll_loss(
            input,
            target,
            self.log_input,
            self.full,
            self.eps,
            self.reduction,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"log_input={self.log_input}",
                f"full={self.full}",
                f"eps={self.eps}",
                f"reduction={self.reduction}",
            ]
        )
