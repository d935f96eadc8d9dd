"""aten::native_batch_norm: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::native_batch_norm.default",
    existing="aten::native_batch_norm.default",
    results=[
        "result0",
        "result1",
        "result2",
    ],
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="native_batch_norm",
    doc="The operator aten::native_batch_norm.",
    spec="sha256:fcb6031c4c42c8d3ed1f3a006dad9a0f0d2d4d4d15f8adca07356fd17f83b95b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.native_batch_norm.default


@_onnxop.script.scripted(OP)
def native_batch_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The operator aten::native_batch_norm.

    Args:
        input: a tensor.
        weight: a tensor or None.
        bias: a tensor or None.
        running_mean: a tensor or None.
        running_var: a tensor or None.
        training: a boolean.
        momentum: a float.
        eps: a float.

    Returns:
        What PyTorch's aten::native_batch_norm returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        input,
        weight,
        bias,
        running_mean,
        running_var,
        training,
        momentum,
        eps,
    )
    return result


class NativeBatchNorm(torch.nn.Module):
    """`native_batch_norm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        training: bool,
        momentum: float,
        eps: float,
    ) -> None:
        super().__init__()
        self.training_ = training
        self.momentum = momentum
        self.eps = eps

    def forward(
        self,
        input: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        running_mean: Tensor | None,
        running_var: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return native_batch_norm(
            input,
            weight,
            bias,
            running_mean,
            running_var,
            self.training_,
            self.momentum,
            self.eps,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"training={self.training_}",
                f"momentum={self.momentum}",
                f"eps={self.eps}",
            ]
        )
