"""aten::adaptive_max_pool2d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_max_pool2d in ONNX; `op` writes the nodes for the exporter that asks."""
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
    equal = op.Equal(windows_2, windows_2)
    is_nan = op.Not(equal)
    clean = op.Where(is_nan, op.constant(0, like=self), windows_2)
    reshape = op.Reshape(
        op.constant(rows, like="INT64"),
        op.constant([output_size[0], high, 1, 1], like="INT64"),
    )
    mul = op.Mul(reshape, op.constant(op.size(self, -1), like="INT64"))
    reshape_2 = op.Reshape(
        op.constant(columns, like="INT64"),
        op.constant([1, 1, output_size[1], wide], like="INT64"),
    )
    place = op.Add(mul, reshape_2)
    nans = op.Where(is_nan, place, op.constant(-1, like="INT64"))
    where = op.Where(is_nan, windows_2, op.constant(0, like=self))
    nan = op.ReduceSum(where, op.constant([-3, -1], like="INT64"), keepdims=1)
    is_whole = op.Equal(nan, op.constant(0, like=self))
    largest = op.ReduceMax(clean, axes=[-3, -1], keepdims=1)
    equal_2 = op.Equal(clean, largest)
    equal_3 = op.Where(
        equal_2,
        place,
        op.constant(op.size(self, -2) * op.size(self, -1), like="INT64"),
    )
    reduce_min = op.ReduceMin(equal_3, axes=[-3, -1], keepdims=1)
    reduce_max = op.ReduceMax(nans, axes=[-3, -1], keepdims=1)
    found = op.Where(is_whole, reduce_min, reduce_max)
    where_2 = op.Where(is_whole, largest, nan)
    values = op.Slice(
        where_2,
        op.constant([0, 0], like="INT64"),
        op.constant([1, 1], like="INT64"),
        op.constant([-3, -1], like="INT64"),
    )
    result0 = op.Squeeze(values, op.constant([-3, -1], like="INT64"))
    slice = op.Slice(
        found,
        op.constant([0, 0], like="INT64"),
        op.constant([1, 1], like="INT64"),
        op.constant([-3, -1], like="INT64"),
    )
    result1 = op.Squeeze(slice, op.constant([-3, -1], like="INT64"))
    return result0, result1


def rule_18(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_max_pool2d in ONNX; `op` writes the nodes for the exporter that asks."""
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
    equal = op.Equal(windows_2, windows_2)
    is_nan = op.Not(equal)
    clean = op.Where(is_nan, op.constant(0, like=self), windows_2)
    reshape = op.Reshape(
        op.constant(rows, like="INT64"),
        op.constant([output_size[0], high, 1, 1], like="INT64"),
    )
    mul = op.Mul(reshape, op.constant(op.size(self, -1), like="INT64"))
    reshape_2 = op.Reshape(
        op.constant(columns, like="INT64"),
        op.constant([1, 1, output_size[1], wide], like="INT64"),
    )
    place = op.Add(mul, reshape_2)
    nans = op.Where(is_nan, place, op.constant(-1, like="INT64"))
    where = op.Where(is_nan, windows_2, op.constant(0, like=self))
    nan = op.ReduceSum(where, op.constant([-3, -1], like="INT64"), keepdims=1)
    is_whole = op.Equal(nan, op.constant(0, like=self))
    largest = op.ReduceMax(clean, op.constant([-3, -1], like="INT64"), keepdims=1)
    equal_2 = op.Equal(clean, largest)
    equal_3 = op.Where(
        equal_2,
        place,
        op.constant(op.size(self, -2) * op.size(self, -1), like="INT64"),
    )
    reduce_min = op.ReduceMin(equal_3, op.constant([-3, -1], like="INT64"), keepdims=1)
    reduce_max = op.ReduceMax(nans, op.constant([-3, -1], like="INT64"), keepdims=1)
    found = op.Where(is_whole, reduce_min, reduce_max)
    where_2 = op.Where(is_whole, largest, nan)
    values = op.Slice(
        where_2,
        op.constant([0, 0], like="INT64"),
        op.constant([1, 1], like="INT64"),
        op.constant([-3, -1], like="INT64"),
    )
    result0 = op.Squeeze(values, op.constant([-3, -1], like="INT64"))
    slice = op.Slice(
        found,
        op.constant([0, 0], like="INT64"),
        op.constant([1, 1], like="INT64"),
        op.constant([-3, -1], like="INT64"),
    )
    result1 = op.Squeeze(slice, op.constant([-3, -1], like="INT64"))
    return result0, result1


OP = _onnxop.Operator(
    name="aten::adaptive_max_pool2d.default",
    existing="aten::adaptive_max_pool2d.default",
    results=[
        "result0",
        "result1",
    ],
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="adaptive_max_pool2d",
    doc="The operator aten::adaptive_max_pool2d.",
    spec="sha256:7d7311619bd0b3a46139d5d151eb415b96d547a1298a0f41789f81f837303df0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_max_pool2d.default


@_onnxop.script.scripted(OP)
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
