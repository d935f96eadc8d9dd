"""aten::adaptive_avg_pool1d: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_13(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_avg_pool1d in ONNX; `op` writes the nodes for the exporter that asks."""
    windows_seen = [1.0 / (-(-(j // op.size(self, -1) + 1) * op.size(self, -1) // output_size[0]) - j // op.size(self, -1) * op.size(self, -1) // output_size[0]) if j // op.size(self, -1) * op.size(self, -1) // output_size[0] <= j % op.size(self, -1) and j % op.size(self, -1) < -(-(j // op.size(self, -1) + 1) * op.size(self, -1) // output_size[0]) else 0.0 for j in range(output_size[0] * op.size(self, -1))]  # fmt: skip
    cast = op.Cast(op.constant(windows_seen, like="FLOAT"), to=1)
    windows = op.Reshape(cast, op.constant([output_size[0], op.size(self, -1)], like="INT64"))
    transpose = op.Transpose(windows, perm=[1, 0])
    return op.MatMul(self, transpose)


def rule_15(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_avg_pool1d in ONNX; `op` writes the nodes for the exporter that asks."""
    windows_seen = [1.0 / (-(-(j // op.size(self, -1) + 1) * op.size(self, -1) // output_size[0]) - j // op.size(self, -1) * op.size(self, -1) // output_size[0]) if j // op.size(self, -1) * op.size(self, -1) // output_size[0] <= j % op.size(self, -1) and j % op.size(self, -1) < -(-(j // op.size(self, -1) + 1) * op.size(self, -1) // output_size[0]) else 0.0 for j in range(output_size[0] * op.size(self, -1))]  # fmt: skip
    cast_like = op.CastLike(op.constant(windows_seen, like="FLOAT"), self)
    windows = op.Reshape(cast_like, op.constant([output_size[0], op.size(self, -1)], like="INT64"))
    transpose = op.Transpose(windows, perm=[1, 0])
    return op.MatMul(self, transpose)


OP = _onnxop.Operator(
    name="aten::adaptive_avg_pool1d.default",
    existing="aten::adaptive_avg_pool1d.default",
    rules={
        range(13, 15): rule_13,
        range(15, 26): rule_15,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="adaptive_avg_pool1d",
    doc="The operator aten::adaptive_avg_pool1d.",
    spec="sha256:f1ac7e62de05d93ce66e48ace833ae57d06a0b4fe26554c5263ceddc86d4f67c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_avg_pool1d.default


def adaptive_avg_pool1d(
    self: Tensor,
    output_size: Sequence[int],
) -> Tensor:
    """The operator aten::adaptive_avg_pool1d.

    Args:
        self: a tensor.
        output_size: 1 integers.

    Returns:
        What PyTorch's aten::adaptive_avg_pool1d returns.
    """
    result: Tensor = _operator(
        self,
        output_size,
    )
    return result


class AdaptiveAvgPool1d(torch.nn.Module):
    """`adaptive_avg_pool1d` as a module; what is no tensor is fixed."""

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
        return adaptive_avg_pool1d(
            input,
            self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
            ]
        )
