"""aten::_softmax_backward_data: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::_softmax_backward_data.default",
    called="softmax_backward_data",
    existing="aten::_softmax_backward_data.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="softmax_backward_data",
    doc="The operator aten::_softmax_backward_data.",
    spec="sha256:47586ec0fd5840c902713dfc85972dd83c2f9f1b54c48f2d5ec46d2f2cbb81c6",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._softmax_backward_data.default


@_onnxop.script.scripted(OP)
def softmax_backward_data(
    grad_output: Tensor,
    output: Tensor,
    dim: int,
    input_dtype: torch.dtype,
) -> Tensor:
    """The operator aten::_softmax_backward_data.

    Args:
        grad_output: a tensor.
        output: a tensor.
        dim: an integer.
        input_dtype: a dtype.

    Returns:
        What PyTorch's aten::_softmax_backward_data returns.
    """
    result: Tensor = _operator(
        grad_output,
        output,
        dim,
        input_dtype,
    )
    return result


class SoftmaxBackwardData(torch.nn.Module):
    """`softmax_backward_data` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        input_dtype: torch.dtype,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.input_dtype = input_dtype

    def forward(
        self,
        grad_output: Tensor,
        output: Tensor,
    ) -> Tensor:
        return softmax_backward_data(
            grad_output,
            output,
            self.dim,
            self.input_dtype,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"input_dtype={self.input_dtype}",
            ]
        )
