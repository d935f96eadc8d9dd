"""aten::bilinear: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, input1: Any, input2: Any, weight: Any, bias: Any) -> Any:
    """aten::bilinear in ONNX; `op` writes the nodes for the exporter that asks."""
    y = op.Einsum(input1, weight, input2, equation="...i,oij,...j->...o")
    if bias is not None:
        result = op.Add(y, bias)
    else:
        result = op.Identity(y)
    return result


OP = _onnxop.Operator(
    name="aten::bilinear.default",
    existing="aten::bilinear.default",
    rules={
        range(12, 26): rule,
    },
    torchscript=range(12, 24),
    dynamo=range(0),
    dynamo_opset=12,
    domain="gallery",
    op_type="bilinear",
    doc="The operator aten::bilinear.",
    spec="sha256:bf7284620bba90fa832607456d065f36e048f541deb3317c2c998f1df8ae62cf",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.bilinear.default


@_onnxop.script.scripted(OP)
def bilinear(
    input1: Tensor,
    input2: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
) -> Tensor:
    """The operator aten::bilinear.

    Args:
        input1: a tensor.
        input2: a tensor.
        weight: a tensor.
        bias: a tensor or None; None by default.

    Returns:
        What PyTorch's aten::bilinear returns.
    """
    result: Tensor = _operator(
        input1,
        input2,
        weight,
        bias,
    )
    return result


class Bilinear(torch.nn.Module):
    """`bilinear` as a module."""

    def forward(
        self,
        input1: Tensor,
        input2: Tensor,
        weight: Tensor,
        bias: Tensor | None = None,
    ) -> Tensor:
        return bilinear(
            input1,
            input2,
            weight,
            bias,
        )
