"""aten::adaptive_avg_pool3d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_avg_pool3d in ONNX; `op` writes the nodes for the exporter that asks."""
    x = op.Identity(self)
    x_2 = x
    for e in range(3):
        wide = max([-(-(j + 1) * op.size(self, e - 3) // output_size[e]) - j * op.size(self, e - 3) // output_size[e] for j in range(output_size[e])] + [1])  # fmt: skip
        places = [min(j_2 // wide * op.size(self, e - 3) // output_size[e] + j_2 % wide, -(-(j_2 // wide + 1) * op.size(self, e - 3) // output_size[e]) - 1) for j_2 in range(output_size[e] * wide)]  # fmt: skip
        is_there = [j_3 % wide < -(-(j_3 // wide + 1) * op.size(self, e - 3) // output_size[e]) - j_3 // wide * op.size(self, e - 3) // output_size[e] for j_3 in range(output_size[e] * wide)]  # fmt: skip
        reshape = op.Reshape(
            op.constant(places, like="INT64"),
            op.constant([output_size[e], wide], like="INT64"),
        )
        parts = op.Gather(x_2, reshape, axis=e - 3)
        cast = op.Cast(op.constant(is_there, like="BOOL"), to=9)
        mask = op.Reshape(cast, op.constant([output_size[e], wide] + [1] * (2 - e), like="INT64"))
        where = op.Where(mask, parts, op.constant(0.0, like=self))
        total = op.ReduceSum(where, op.constant([e - 3], like="INT64"), keepdims=1)
        slice = op.Slice(
            total,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([e - 3], like="INT64"),
        )
        total_2 = op.Squeeze(slice, op.constant([e - 3], like="INT64"))
        counts = [-(-(j_4 + 1) * op.size(self, e - 3) // output_size[e]) - j_4 * op.size(self, e - 3) // output_size[e] for j_4 in range(output_size[e])]  # fmt: skip
        cast_like = op.CastLike(op.constant(counts, like="INT64"), self)
        reshape_2 = op.Reshape(
            cast_like,
            op.constant([output_size[e]] + [1] * (2 - e), like="INT64"),
        )
        x_3 = op.Div(total_2, reshape_2)
        x_2 = x_3
    return x_2


OP = _onnxop.Operator(
    name="aten::adaptive_avg_pool3d.default",
    existing="aten::adaptive_avg_pool3d.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="adaptive_avg_pool3d",
    doc="The operator aten::adaptive_avg_pool3d.",
    spec="sha256:17ab16921bfb9c647063b2e421cd12319b171d0e238850db2dd56cdccdf87d64",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_avg_pool3d.default


@_onnxop.script.scripted(OP)
def adaptive_avg_pool3d(
    self: Tensor,
    output_size: Sequence[int],
) -> Tensor:
    """The operator aten::adaptive_avg_pool3d.

    Args:
        self: a tensor.
        output_size: 3 integers.

    Returns:
        What PyTorch's aten::adaptive_avg_pool3d returns.
    """
    result: Tensor = _operator(
        self,
        output_size,
    )
    return result


class AdaptiveAvgPool3d(torch.nn.Module):
    """`adaptive_avg_pool3d` as a module; what is no tensor is fixed."""

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
        return adaptive_avg_pool3d(
            input,
            self.output_size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
            ]
        )
