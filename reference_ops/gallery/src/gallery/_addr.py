"""aten::addr: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::addr.default",
    existing="aten::addr.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="addr",
    doc="The operator aten::addr.",
    spec="sha256:c20c20c9955e4754100eec060f400abbbff6c261a5bc53f525ff7c8abfec2a13",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.addr.default


@_onnxop.script.scripted(OP)
def addr(
    self: Tensor,
    vec1: Tensor,
    vec2: Tensor,
    *,
    beta: float = 1,
    alpha: float = 1,
) -> Tensor:
    """The operator aten::addr.

    Args:
        self: a tensor.
        vec1: a tensor.
        vec2: a tensor.
        beta: a number; 1 by default.
        alpha: a number; 1 by default.

    Returns:
        What PyTorch's aten::addr returns.
    """
    result: Tensor = _operator(
        self,
        vec1,
        vec2,
        beta=_onnxop.number(beta),
        alpha=_onnxop.number(alpha),
    )
    return result


class Addr(torch.nn.Module):
    """`addr` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        beta: float = 1,
        alpha: float = 1,
    ) -> None:
        super().__init__()
        self.beta = beta
        self.alpha = alpha

    def forward(
        self,
        input: Tensor,
        vec1: Tensor,
        vec2: Tensor,
    ) -> Tensor:
        return addr(
            input,
            vec1,
            vec2,
            beta=self.beta,
            alpha=self.alpha,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"beta={self.beta}",
                f"alpha={self.alpha}",
            ]
        )
