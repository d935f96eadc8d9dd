"""aten::adaptive_avg_pool2d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_avg_pool2d in ONNX; `op` writes the nodes for the exporter that asks."""
    high = max([-(-(j + 1) * op.size(self, -2) // output_size[0]) - j * op.size(self, -2) // output_size[0] for j in range(output_size[0])] + [1])  # fmt: skip
    wide = max([-(-(j_2 + 1) * op.size(self, -1) // output_size[1]) - j_2 * op.size(self, -1) // output_size[1] for j_2 in range(output_size[1])] + [1])  # fmt: skip
    rows = [min(j_3 // high * op.size(self, -2) // output_size[0] + j_3 % high, -(-(j_3 // high + 1) * op.size(self, -2) // output_size[0]) - 1) for j_3 in range(output_size[0] * high)]  # fmt: skip
    columns = [min(j_4 // wide * op.size(self, -1) // output_size[1] + j_4 % wide, -(-(j_4 // wide + 1) * op.size(self, -1) // output_size[1]) - 1) for j_4 in range(output_size[1] * wide)]  # fmt: skip
    gather = op.Gather(self, op.constant(rows, like="INT64"), axis=-2)
    windows = op.Gather(gather, op.constant(columns, like="INT64"), axis=-1)
    shape = op.Shape(self)
    outer = op.Slice(
        shape,
        op.constant([0], like="INT64"),
        op.constant([-2], like="INT64"),
        op.constant([0], like="INT64"),
    )
    concat = op.Concat(
        outer,
        op.constant([output_size[0], high, output_size[1], wide], like="INT64"),
        axis=0,
    )
    windows_2 = op.Reshape(windows, concat, allowzero=1)
    tall = [-(-(j_5 + 1) * op.size(self, -2) // output_size[0]) - j_5 * op.size(self, -2) // output_size[0] for j_5 in range(output_size[0])]  # fmt: skip
    broad = [-(-(j_6 + 1) * op.size(self, -1) // output_size[1]) - j_6 * op.size(self, -1) // output_size[1] for j_6 in range(output_size[1])]  # fmt: skip
    in_rows = [j_7 % high < -(-(j_7 // high + 1) * op.size(self, -2) // output_size[0]) - j_7 // high * op.size(self, -2) // output_size[0] for j_7 in range(output_size[0] * high)]  # fmt: skip
    in_columns = [j_8 % wide < -(-(j_8 // wide + 1) * op.size(self, -1) // output_size[1]) - j_8 // wide * op.size(self, -1) // output_size[1] for j_8 in range(output_size[1] * wide)]  # fmt: skip
    cast = op.Cast(op.constant(in_rows, like="BOOL"), to=9)
    reshape = op.Reshape(cast, op.constant([output_size[0], high, 1, 1], like="INT64"))
    cast_2 = op.Cast(op.constant(in_columns, like="BOOL"), to=9)
    reshape_2 = op.Reshape(cast_2, op.constant([1, 1, output_size[1], wide], like="INT64"))
    is_there = op.And(reshape, reshape_2)
    where = op.Where(is_there, windows_2, op.constant(0.0, like=self))
    total = op.ReduceSum(where, op.constant([-3, -1], like="INT64"), keepdims=1)
    slice = op.Slice(
        total,
        op.constant([0, 0], like="INT64"),
        op.constant([1, 1], like="INT64"),
        op.constant([-3, -1], like="INT64"),
    )
    total_2 = op.Squeeze(slice, op.constant([-3, -1], like="INT64"))
    reshape_3 = op.Reshape(
        op.constant(tall, like="INT64"),
        op.constant([output_size[0], 1], like="INT64"),
    )
    reshape_4 = op.Reshape(
        op.constant(broad, like="INT64"),
        op.constant([1, output_size[1]], like="INT64"),
    )
    mul = op.Mul(reshape_3, reshape_4)
    cast_like = op.CastLike(mul, self)
    return op.Div(total_2, cast_like)


OP = _onnxop.Operator(
    name="aten::adaptive_avg_pool2d.default",
    existing="aten::adaptive_avg_pool2d.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="adaptive_avg_pool2d",
    doc="The operator aten::adaptive_avg_pool2d.",
    spec="sha256:5e714921bd4576b82347b6deb4c0a96a228e60450e8be96b5d84927a7b6f0100",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_avg_pool2d.default


@_onnxop.script.scripted(OP)
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
