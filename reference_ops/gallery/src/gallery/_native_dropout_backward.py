"""aten::native_dropout_backward: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::native_dropout_backward.default",
    existing="aten::native_dropout_backward.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="native_dropout_backward",
    doc="The operator aten::native_dropout_backward.",
    spec="sha256:42b463fd6c5ee8beb06f508b796393b4d1200e0d251534fbb28030ab8abea568",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.native_dropout_backward.default


@_onnxop.script.scripted(OP)
def native_dropout_backward(
    grad_output: Tensor,
    mask: Tensor,
    scale: float,
) -> Tensor:
    """The operator aten::native_dropout_backward.

    Args:
        grad_output: a tensor.
        mask: a tensor.
        scale: a float.

    Returns:
        What PyTorch's aten::native_dropout_backward returns.
    """
    result: Tensor = _operator(
        grad_output,
        mask,
        scale,
    )
    return result


class NativeDropoutBackward(torch.nn.Module):
    """`native_dropout_backward` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        scale: float,
    ) -> None:
        super().__init__()
        self.scale = scale

    def forward(
        self,
        grad_output: Tensor,
        mask: Tensor,
    ) -> Tensor:
        return native_dropout_backward(
            grad_output,
            mask,
            self.scale,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"scale={self.scale}",
            ]
        )
