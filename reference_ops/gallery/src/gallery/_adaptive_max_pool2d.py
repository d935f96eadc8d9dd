"""aten::adaptive_max_pool2d: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_13(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_max_pool2d in ONNX; `op` writes the nodes for the exporter that asks."""
    rows_seen = [j // op.size(self, -2) * op.size(self, -2) // output_size[0] <= j % op.size(self, -2) and j % op.size(self, -2) < -(-(j // op.size(self, -2) + 1) * op.size(self, -2) // output_size[0]) for j in range(output_size[0] * op.size(self, -2))]  # fmt: skip
    cast = op.Cast(op.constant(rows_seen, like="BOOL"), to=9)
    rows = op.Reshape(cast, op.constant([output_size[0], 1, op.size(self, -2), 1], like="INT64"))
    columns_seen = [j_2 // op.size(self, -1) * op.size(self, -1) // output_size[1] <= j_2 % op.size(self, -1) and j_2 % op.size(self, -1) < -(-(j_2 // op.size(self, -1) + 1) * op.size(self, -1) // output_size[1]) for j_2 in range(output_size[1] * op.size(self, -1))]  # fmt: skip
    cast_2 = op.Cast(op.constant(columns_seen, like="BOOL"), to=9)
    columns = op.Reshape(
        cast_2,
        op.constant([1, output_size[1], 1, op.size(self, -1)], like="INT64"),
    )
    and_2 = op.And(rows, columns)
    unsqueeze = op.Unsqueeze(self, op.constant([-3, -4], like="INT64"))
    seen = op.Where(and_2, unsqueeze, op.constant(-3.4028234663852886e38, like=self))
    shape = op.Shape(seen)
    slice = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    concat = op.Concat(
        slice,
        op.constant([op.size(self, -2) * op.size(self, -1)], like="INT64"),
        axis=0,
    )
    flat = op.Reshape(seen, concat)
    values = op.ReduceMax(flat, axes=[-1], keepdims=0)
    result1 = op.ArgMax(flat, axis=-1, keepdims=0)
    return values, result1


def rule_18(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_max_pool2d in ONNX; `op` writes the nodes for the exporter that asks."""
    rows_seen = [j // op.size(self, -2) * op.size(self, -2) // output_size[0] <= j % op.size(self, -2) and j % op.size(self, -2) < -(-(j // op.size(self, -2) + 1) * op.size(self, -2) // output_size[0]) for j in range(output_size[0] * op.size(self, -2))]  # fmt: skip
    cast = op.Cast(op.constant(rows_seen, like="BOOL"), to=9)
    rows = op.Reshape(cast, op.constant([output_size[0], 1, op.size(self, -2), 1], like="INT64"))
    columns_seen = [j_2 // op.size(self, -1) * op.size(self, -1) // output_size[1] <= j_2 % op.size(self, -1) and j_2 % op.size(self, -1) < -(-(j_2 // op.size(self, -1) + 1) * op.size(self, -1) // output_size[1]) for j_2 in range(output_size[1] * op.size(self, -1))]  # fmt: skip
    cast_2 = op.Cast(op.constant(columns_seen, like="BOOL"), to=9)
    columns = op.Reshape(
        cast_2,
        op.constant([1, output_size[1], 1, op.size(self, -1)], like="INT64"),
    )
    and_2 = op.And(rows, columns)
    unsqueeze = op.Unsqueeze(self, op.constant([-3, -4], like="INT64"))
    seen = op.Where(and_2, unsqueeze, op.constant(-3.4028234663852886e38, like=self))
    shape = op.Shape(seen)
    slice = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    concat = op.Concat(
        slice,
        op.constant([op.size(self, -2) * op.size(self, -1)], like="INT64"),
        axis=0,
    )
    flat = op.Reshape(seen, concat)
    values = op.ReduceMax(flat, op.constant([-1], like="INT64"), keepdims=0)
    result1 = op.ArgMax(flat, axis=-1, keepdims=0)
    return values, result1


OP = _onnxop.Operator(
    name="aten::adaptive_max_pool2d.default",
    existing="aten::adaptive_max_pool2d.default",
    results=[
        "result0",
        "result1",
    ],
    rules={
        range(13, 18): rule_13,
        range(18, 26): rule_18,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="adaptive_max_pool2d",
    doc="The operator aten::adaptive_max_pool2d.",
    spec="sha256:83c661f45bd72383b43328ec005412ed57f51ac0d7b8fe2e0ce1446f188054e2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_max_pool2d.default


def adaptive_max_pool2d(
    self: Tensor,
    output_size: Sequence[int],
) -> tuple[Tensor, Tensor]:
    """The operator aten::adaptive_max_pool2d.

    Args:
        self: a tensor.
        output_size: 2 integers.

    Returns:
        What PyTorch's aten::adaptive_max_pool2d returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        output_size,
    )
    return result


class AdaptiveMaxPool2d(torch.nn.Module):
    """`adaptive_max_pool2d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        output_size: Sequence[int],
    ) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return adaptive_max_pool2d(
            input,
            self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
            ]
        )
