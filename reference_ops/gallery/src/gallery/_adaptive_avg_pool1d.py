"""aten::adaptive_avg_pool1d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_avg_pool1d in ONNX; `op` writes the nodes for the exporter that asks."""
    wide = max([-(-(j + 1) * op.size(self, -1) // output_size[0]) - j * op.size(self, -1) // output_size[0] for j in range(output_size[0])] + [1])  # fmt: skip
    places = [min(j_2 // wide * op.size(self, -1) // output_size[0] + j_2 % wide, -(-(j_2 // wide + 1) * op.size(self, -1) // output_size[0]) - 1) for j_2 in range(output_size[0] * wide)]  # fmt: skip
    reshape = op.Reshape(
        op.constant(places, like="INT64"),
        op.constant([output_size[0], wide], like="INT64"),
    )
    windows = op.Gather(self, reshape, axis=-1)
    counts = [-(-(j_3 + 1) * op.size(self, -1) // output_size[0]) - j_3 * op.size(self, -1) // output_size[0] for j_3 in range(output_size[0])]  # fmt: skip
    is_there = [j_4 % wide < -(-(j_4 // wide + 1) * op.size(self, -1) // output_size[0]) - j_4 // wide * op.size(self, -1) // output_size[0] for j_4 in range(output_size[0] * wide)]  # fmt: skip
    cast = op.Cast(op.constant(is_there, like="BOOL"), to=9)
    reshape_2 = op.Reshape(cast, op.constant([output_size[0], wide], like="INT64"))
    parts = op.Where(reshape_2, windows, op.constant(0.0, like=self))
    reduce_sum = op.ReduceSum(parts, op.constant([-1], like="INT64"), keepdims=1)
    slice = op.Slice(
        reduce_sum,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    total = op.Squeeze(slice, op.constant([-1], like="INT64"))
    cast_like = op.CastLike(op.constant(counts, like="INT64"), self)
    return op.Div(total, cast_like)


OP = _onnxop.Operator(
    name="aten::adaptive_avg_pool1d.default",
    existing="aten::adaptive_avg_pool1d.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="adaptive_avg_pool1d",
    doc="The operator aten::adaptive_avg_pool1d.",
    spec="sha256:d945cc6f747cbb266c1dd00d5a8645da170593c522adca0e45398566600e7d62",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_avg_pool1d.default


@_onnxop.script.scripted(OP)
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
