"""aten::adaptive_max_pool1d: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_13(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_max_pool1d in ONNX; `op` writes the nodes for the exporter that asks."""
    windows_seen = [j // op.size(self, -1) * op.size(self, -1) // output_size[0] <= j % op.size(self, -1) and j % op.size(self, -1) < -(-(j // op.size(self, -1) + 1) * op.size(self, -1) // output_size[0]) for j in range(output_size[0] * op.size(self, -1))]  # fmt: skip
    cast = op.Cast(op.constant(windows_seen, like="BOOL"), to=9)
    windows = op.Reshape(cast, op.constant([output_size[0], op.size(self, -1)], like="INT64"))
    unsqueeze = op.Unsqueeze(self, op.constant([-2], like="INT64"))
    seen = op.Where(windows, unsqueeze, op.constant(-3.4028234663852886e38, like=self))
    values = op.ReduceMax(seen, axes=[-1], keepdims=0)
    result1 = op.ArgMax(seen, axis=-1, keepdims=0)
    return values, result1


def rule_18(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_max_pool1d in ONNX; `op` writes the nodes for the exporter that asks."""
    windows_seen = [j // op.size(self, -1) * op.size(self, -1) // output_size[0] <= j % op.size(self, -1) and j % op.size(self, -1) < -(-(j // op.size(self, -1) + 1) * op.size(self, -1) // output_size[0]) for j in range(output_size[0] * op.size(self, -1))]  # fmt: skip
    cast = op.Cast(op.constant(windows_seen, like="BOOL"), to=9)
    windows = op.Reshape(cast, op.constant([output_size[0], op.size(self, -1)], like="INT64"))
    unsqueeze = op.Unsqueeze(self, op.constant([-2], like="INT64"))
    seen = op.Where(windows, unsqueeze, op.constant(-3.4028234663852886e38, like=self))
    values = op.ReduceMax(seen, op.constant([-1], like="INT64"), keepdims=0)
    result1 = op.ArgMax(seen, axis=-1, keepdims=0)
    return values, result1


OP = _onnxop.Operator(
    name="aten::adaptive_max_pool1d.default",
    existing="aten::adaptive_max_pool1d.default",
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
    op_type="adaptive_max_pool1d",
    doc="The operator aten::adaptive_max_pool1d.",
    spec="sha256:3e9054668b75e01946eb7e146eca9647e6625e171673f7472ac979e094f59c22",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_max_pool1d.default


def adaptive_max_pool1d(
    self: Tensor,
    output_size: Sequence[int],
) -> tuple[Tensor, Tensor]:
    """The operator aten::adaptive_max_pool1d.

    Args:
        self: a tensor.
        output_size: 1 integers.

    Returns:
        What PyTorch's aten::adaptive_max_pool1d returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        output_size,
    )
    return result


class AdaptiveMaxPool1d(torch.nn.Module):
    """`adaptive_max_pool1d` as a module; what is no tensor is fixed."""

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
        return adaptive_max_pool1d(
            input,
            self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
            ]
        )
