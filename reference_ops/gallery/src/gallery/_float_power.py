"""aten::float_power: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::float_power.Tensor_Tensor",
    existing="aten::float_power.Tensor_Tensor",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="float_power",
    doc="The operator aten::float_power.",
    spec="sha256:73f2d003af59022e907361c03e7bddaa5c46070934b110b44282c6b0dbe34ba8",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.float_power.Tensor_Tensor


@_onnxop.script.scripted(OP)
def float_power(
    self: Tensor,
    exponent: Tensor,
) -> Tensor:
    """The operator aten::float_power.

    Args:
        self: a tensor.
        exponent: a tensor.

    Returns:
        What PyTorch's aten::float_power returns.
    """
    result: Tensor = _operator(
        self,
        exponent,
    )
    return result


class FloatPower(torch.nn.Module):
    """`float_power` as a module."""

    def forward(
        self,
        input: Tensor,
        exponent: Tensor,
    ) -> Tensor:
        return float_power(
            input,
            exponent,
        )
