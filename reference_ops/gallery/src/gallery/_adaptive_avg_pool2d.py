"""aten::adaptive_avg_pool2d: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_avg_pool2d in ONNX; `op` writes the nodes for the exporter that asks."""
    rows_seen = [1.0 / (-(-(j // op.size(self, -2) + 1) * op.size(self, -2) // output_size[0]) - j // op.size(self, -2) * op.size(self, -2) // output_size[0]) if j // op.size(self, -2) * op.size(self, -2) // output_size[0] <= j % op.size(self, -2) and j % op.size(self, -2) < -(-(j // op.size(self, -2) + 1) * op.size(self, -2) // output_size[0]) else 0.0 for j in range(output_size[0] * op.size(self, -2))]  # fmt: skip
    rows = op.Reshape(
        op.constant(rows_seen, like="FLOAT"),
        op.constant([output_size[0], op.size(self, -2)], like="INT64"),
    )
    columns_seen = [1.0 / (-(-(j_2 // op.size(self, -1) + 1) * op.size(self, -1) // output_size[1]) - j_2 // op.size(self, -1) * op.size(self, -1) // output_size[1]) if j_2 // op.size(self, -1) * op.size(self, -1) // output_size[1] <= j_2 % op.size(self, -1) and j_2 % op.size(self, -1) < -(-(j_2 // op.size(self, -1) + 1) * op.size(self, -1) // output_size[1]) else 0.0 for j_2 in range(output_size[1] * op.size(self, -1))]  # fmt: skip
    columns = op.Reshape(
        op.constant(columns_seen, like="FLOAT"),
        op.constant([output_size[1], op.size(self, -1)], like="INT64"),
    )
    transpose = op.Transpose(columns, perm=[1, 0])
    mat_mul = op.MatMul(self, transpose)
    return op.MatMul(rows, mat_mul)


OP = _onnxop.Operator(
    name="aten::adaptive_avg_pool2d.default",
    existing="aten::adaptive_avg_pool2d.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="adaptive_avg_pool2d",
    doc="The operator aten::adaptive_avg_pool2d.",
    spec="sha256:d78693fd95bbfcb93ee683a97a3f1fd641727ae716df30696398f3935534265f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_avg_pool2d.default


def adaptive_avg_pool2d(
    self: Tensor,
    output_size: Sequence[int],
) -> Tensor:
    """The operator aten::adaptive_avg_pool2d.

    Args:
        self: a tensor.
        output_size: 2 integers.

    Returns:
        What PyTorch's aten::adaptive_avg_pool2d returns.
    """
    result: Tensor = _operator(
        self,
        output_size,
    )
    return result


class AdaptiveAvgPool2d(torch.nn.Module):
    """`adaptive_avg_pool2d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        output_size: Sequence[int],
    ) -> None:
        super().__init__()
        self.output_size = output_size

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return adaptive_avg_pool2d(
            input,
            self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
            ]
        )
