"""aten::cummin: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_13(op: Any, self: Any, dim: Any) -> Any:
    """aten::cummin in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        mul = op.Mul(op.constant(0.0, like=self), self)
        indices = op.Cast(mul, to=7)
        result, result_2 = self, indices
    else:
        shape = op.Shape(self)
        length = op.Gather(shape, op.constant(dim % op.rank(self), like="INT64"))
        index = op.Range(op.constant(0, like="INT64"), length, op.constant(1, like="INT64"))
        row = op.Reshape(
            index,
            op.constant([1, -1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        column = op.Reshape(
            index,
            op.constant([-1, 1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        less_or_equal = op.LessOrEqual(row, column)
        unsqueeze = op.Unsqueeze(self, op.constant([dim % op.rank(self)], like="INT64"))
        before = op.Where(less_or_equal, unsqueeze, op.constant(3.4028234663852886e38, like=self))
        values = op.ReduceMin(before, axes=[dim % op.rank(self) + 1], keepdims=0)
        indices_2 = op.ArgMin(before, axis=dim % op.rank(self) + 1, keepdims=0, select_last_index=1)
        result, result_2 = values, indices_2
    result_3 = op.Identity(result)
    return result_3, result_2


def rule_18(op: Any, self: Any, dim: Any) -> Any:
    """aten::cummin in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        mul = op.Mul(op.constant(0.0, like=self), self)
        indices = op.Cast(mul, to=7)
        result, result_2 = self, indices
    else:
        shape = op.Shape(self)
        length = op.Gather(shape, op.constant(dim % op.rank(self), like="INT64"))
        index = op.Range(op.constant(0, like="INT64"), length, op.constant(1, like="INT64"))
        row = op.Reshape(
            index,
            op.constant([1, -1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        column = op.Reshape(
            index,
            op.constant([-1, 1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        less_or_equal = op.LessOrEqual(row, column)
        unsqueeze = op.Unsqueeze(self, op.constant([dim % op.rank(self)], like="INT64"))
        before = op.Where(less_or_equal, unsqueeze, op.constant(3.4028234663852886e38, like=self))
        values = op.ReduceMin(
            before,
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            keepdims=0,
        )
        indices_2 = op.ArgMin(before, axis=dim % op.rank(self) + 1, keepdims=0, select_last_index=1)
        result, result_2 = values, indices_2
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::cummin.default",
    existing="aten::cummin.default",
    results=[
        "values",
        "indices",
    ],
    rules={
        range(13, 18): rule_13,
        range(18, 26): rule_18,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cummin",
    doc="The operator aten::cummin.",
    spec="sha256:3038a4a5de095881f37ef49f4d5087a486d48513470d031cf92b42f81fca18f5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cummin.default


def cummin(
    self: Tensor,
    dim: int,
) -> tuple[Tensor, Tensor]:
    """The operator aten::cummin.

    Args:
        self: a tensor.
        dim: an integer.

    Returns:
        What PyTorch's aten::cummin returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        dim,
    )
    return result


class Cummin(torch.nn.Module):
    """`cummin` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return cummin(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
