"""aten::kron: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_13(op: Any, self: Any, other: Any) -> Any:
    """aten::kron in ONNX; `op` writes the nodes for the exporter that asks."""
    if max(op.rank(self), op.rank(other)) == 0:
        result_3 = op.Mul(self, other)
    else:
        tensors = []
        for i in range(max(op.rank(self), op.rank(other)) - op.rank(self)):
            constant_2 = op.Constant(value_ints=[1])
            tensors.append(constant_2)
        shape = op.Shape(self)
        concat = op.Concat(*tensors, shape, axis=0)
        x = op.Reshape(self, concat)
        tensors_2 = []
        for i_2 in range(max(op.rank(self), op.rank(other)) - op.rank(other)):
            constant_3 = op.Constant(value_ints=[1])
            tensors_2.append(constant_3)
        shape_2 = op.Shape(other)
        concat_2 = op.Concat(*tensors_2, shape_2, axis=0)
        y = op.Reshape(other, concat_2)
        unsqueeze = op.Unsqueeze(
            x,
            op.constant([2 * i_3 + 1 for i_3 in range(max(op.rank(self), op.rank(other)))], like="INT64"),
        )  # fmt: skip
        unsqueeze_2 = op.Unsqueeze(
            y,
            op.constant([2 * i_4 for i_4 in range(max(op.rank(self), op.rank(other)))], like="INT64"),
        )  # fmt: skip
        product = op.Mul(unsqueeze, unsqueeze_2)
        shape_3 = op.Shape(x)
        shape_4 = op.Shape(y)
        mul = op.Mul(shape_3, shape_4)
        result_3 = op.Reshape(product, mul)
    return result_3


def rule_14(op: Any, self: Any, other: Any) -> Any:
    """aten::kron in ONNX; `op` writes the nodes for the exporter that asks."""
    if max(op.rank(self), op.rank(other)) == 0:
        result_3 = op.Mul(self, other)
    else:
        tensors = []
        for i in range(max(op.rank(self), op.rank(other)) - op.rank(self)):
            constant_2 = op.Constant(value_ints=[1])
            tensors.append(constant_2)
        shape = op.Shape(self)
        concat = op.Concat(*tensors, shape, axis=0)
        x = op.Reshape(self, concat)
        tensors_2 = []
        for i_2 in range(max(op.rank(self), op.rank(other)) - op.rank(other)):
            constant_3 = op.Constant(value_ints=[1])
            tensors_2.append(constant_3)
        shape_2 = op.Shape(other)
        concat_2 = op.Concat(*tensors_2, shape_2, axis=0)
        y = op.Reshape(other, concat_2)
        unsqueeze = op.Unsqueeze(
            x,
            op.constant([2 * i_3 + 1 for i_3 in range(max(op.rank(self), op.rank(other)))], like="INT64"),
        )  # fmt: skip
        unsqueeze_2 = op.Unsqueeze(
            y,
            op.constant([2 * i_4 for i_4 in range(max(op.rank(self), op.rank(other)))], like="INT64"),
        )  # fmt: skip
        product = op.Mul(unsqueeze, unsqueeze_2)
        shape_3 = op.Shape(x)
        shape_4 = op.Shape(y)
        mul = op.Mul(shape_3, shape_4)
        result_3 = op.Reshape(product, mul, allowzero=1)
    return result_3


OP = _onnxop.Operator(
    name="aten::kron.default",
    existing="aten::kron.default",
    rules={
        range(13, 14): rule_13,
        range(14, 26): rule_14,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="kron",
    doc="The operator aten::kron.",
    spec="sha256:09b097276350339855bd9523b74f19badf68413196fcc1080ec3416e3ac8f33f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.kron.default


@_onnxop.script.scripted(OP)
def kron(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::kron.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::kron returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Kron(torch.nn.Module):
    """`kron` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return kron(
            input,
            other,
        )
