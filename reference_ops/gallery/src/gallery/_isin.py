"""aten::isin: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, elements: Any, test_elements: Any, assume_unique: Any, invert: Any) -> Any:
    """aten::isin in ONNX; `op` writes the nodes for the exporter that asks."""
    reshape = op.Reshape(elements, op.constant([-1], like="INT64"))
    column = op.Unsqueeze(reshape, op.constant([1], like="INT64"))
    reshape_2 = op.Reshape(test_elements, op.constant([-1], like="INT64"))
    row = op.Unsqueeze(reshape_2, op.constant([0], like="INT64"))
    equal = op.Equal(column, row)
    cast = op.Cast(equal, to=7)
    found = op.ReduceSum(cast, op.constant([1], like="INT64"), keepdims=0)
    is_in = op.Greater(found, op.constant(0, like="INT64"))
    if op.rank(elements) > 0:
        shape = op.Shape(elements)
        is_in_2 = op.Reshape(is_in, shape)
    else:
        is_in_2 = op.Squeeze(is_in, op.constant([0], like="INT64"))
    if invert:
        result = op.Not(is_in_2)
    else:
        result = is_in_2
    return result


OP = _onnxop.Operator(
    name="aten::isin.Tensor_Tensor",
    existing="aten::isin.Tensor_Tensor",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="isin",
    doc="The operator aten::isin.",
    spec="sha256:1bf53d0022a2dd1cae9757f209b78950a14e0c7c15410b17ce4a71bcb836ae0d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.isin.Tensor_Tensor


@_onnxop.script.scripted(OP)
def isin(
    elements: Tensor,
    test_elements: Tensor,
    *,
    assume_unique: bool = False,
    invert: bool = False,
) -> Tensor:
    """The operator aten::isin.

    Args:
        elements: a tensor.
        test_elements: a tensor.
        assume_unique: a boolean; False by default.
        invert: a boolean; False by default.

    Returns:
        What PyTorch's aten::isin returns.
    """
    result: Tensor = _operator(
        elements,
        test_elements,
        assume_unique=assume_unique,
        invert=invert,
    )
    return result


class Isin(torch.nn.Module):
    """`isin` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        assume_unique: bool = False,
        invert: bool = False,
    ) -> None:
        super().__init__()
        self.assume_unique = assume_unique
        self.invert = invert

    def forward(
        self,
        elements: Tensor,
        test_elements: Tensor,
    ) -> Tensor:
        return isin(
            elements,
            test_elements,
            assume_unique=self.assume_unique,
            invert=self.invert,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"assume_unique={self.assume_unique}",
                f"invert={self.invert}",
            ]
        )
