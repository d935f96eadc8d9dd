"""aten::linalg_matrix_exp: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::linalg_matrix_exp in ONNX; `op` writes the nodes for the exporter that asks."""
    shape = op.Shape(self)
    gather = op.Gather(shape, op.constant(-1, like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
    unsqueeze = op.Unsqueeze(index, op.constant([1], like="INT64"))
    equal = op.Equal(unsqueeze, index)
    eye = op.CastLike(equal, self)
    part = op.Div(self, op.constant(256.0, like=self))
    shape_2 = op.Shape(self)
    found = op.Expand(eye, shape_2)
    found_2 = found
    for k in range(20):
        mat_mul = op.MatMul(part, found_2)
        div = op.Div(mat_mul, op.constant(float(20 - k), like=self))
        found_3 = op.Add(eye, div)
        found_2 = found_3
    found_4 = found_2
    for k_2 in range(8):
        found_5 = op.MatMul(found_4, found_4)
        found_4 = found_5
    return found_4


OP = _onnxop.Operator(
    name="aten::linalg_matrix_exp.default",
    existing="aten::linalg_matrix_exp.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_matrix_exp",
    doc="The operator aten::linalg_matrix_exp.",
    spec="sha256:bfaf9e5dd63ec0d9de067ee6b947b1ff121a83de6953bb55af983cc4f5f8e4c3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_matrix_exp.default


@_onnxop.script.scripted(OP)
def linalg_matrix_exp(
    self: Tensor,
) -> Tensor:
    """The operator aten::linalg_matrix_exp.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::linalg_matrix_exp returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class LinalgMatrixExp(torch.nn.Module):
    """`linalg_matrix_exp` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_matrix_exp(
            input,
        )
