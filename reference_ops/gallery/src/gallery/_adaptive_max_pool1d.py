"""aten::adaptive_max_pool1d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_max_pool1d in ONNX; `op` writes the nodes for the exporter that asks."""
    wide = max([-(-(j + 1) * op.size(self, -1) // output_size[0]) - j * op.size(self, -1) // output_size[0] for j in range(output_size[0])] + [1])  # fmt: skip
    places = [min(j_2 // wide * op.size(self, -1) // output_size[0] + j_2 % wide, -(-(j_2 // wide + 1) * op.size(self, -1) // output_size[0]) - 1) for j_2 in range(output_size[0] * wide)]  # fmt: skip
    reshape = op.Reshape(
        op.constant(places, like="INT64"),
        op.constant([output_size[0], wide], like="INT64"),
    )
    windows = op.Gather(self, reshape, axis=-1)
    equal = op.Equal(windows, windows)
    is_nan = op.Not(equal)
    clean = op.Where(is_nan, op.constant(0, like=self), windows)
    largest = op.ReduceMax(clean, axes=[-1], keepdims=1)
    where = op.Where(is_nan, windows, op.constant(0, like=self))
    nan = op.ReduceSum(where, op.constant([-1], like="INT64"), keepdims=1)
    is_whole = op.Equal(nan, op.constant(0, like=self))
    place = op.Reshape(
        op.constant(places, like="INT64"),
        op.constant([output_size[0], wide], like="INT64"),
    )
    equal_2 = op.Equal(clean, largest)
    equal_3 = op.Where(equal_2, place, op.constant(op.size(self, -1), like="INT64"))
    nans = op.Where(is_nan, place, op.constant(-1, like="INT64"))
    reduce_min = op.ReduceMin(equal_3, axes=[-1], keepdims=1)
    reduce_max = op.ReduceMax(nans, axes=[-1], keepdims=1)
    found = op.Where(is_whole, reduce_min, reduce_max)
    where_2 = op.Where(is_whole, largest, nan)
    values = op.Slice(
        where_2,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    result0 = op.Squeeze(values, op.constant([-1], like="INT64"))
    slice = op.Slice(
        found,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    result1 = op.Squeeze(slice, op.constant([-1], like="INT64"))
    return result0, result1


def rule_18(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_max_pool1d in ONNX; `op` writes the nodes for the exporter that asks."""
    wide = max([-(-(j + 1) * op.size(self, -1) // output_size[0]) - j * op.size(self, -1) // output_size[0] for j in range(output_size[0])] + [1])  # fmt: skip
    places = [min(j_2 // wide * op.size(self, -1) // output_size[0] + j_2 % wide, -(-(j_2 // wide + 1) * op.size(self, -1) // output_size[0]) - 1) for j_2 in range(output_size[0] * wide)]  # fmt: skip
    reshape = op.Reshape(
        op.constant(places, like="INT64"),
        op.constant([output_size[0], wide], like="INT64"),
    )
    windows = op.Gather(self, reshape, axis=-1)
    equal = op.Equal(windows, windows)
    is_nan = op.Not(equal)
    clean = op.Where(is_nan, op.constant(0, like=self), windows)
    largest = op.ReduceMax(clean, op.constant([-1], like="INT64"), keepdims=1)
    where = op.Where(is_nan, windows, op.constant(0, like=self))
    nan = op.ReduceSum(where, op.constant([-1], like="INT64"), keepdims=1)
    is_whole = op.Equal(nan, op.constant(0, like=self))
    place = op.Reshape(
        op.constant(places, like="INT64"),
        op.constant([output_size[0], wide], like="INT64"),
    )
    equal_2 = op.Equal(clean, largest)
    equal_3 = op.Where(equal_2, place, op.constant(op.size(self, -1), like="INT64"))
    nans = op.Where(is_nan, place, op.constant(-1, like="INT64"))
    reduce_min = op.ReduceMin(equal_3, op.constant([-1], like="INT64"), keepdims=1)
    reduce_max = op.ReduceMax(nans, op.constant([-1], like="INT64"), keepdims=1)
    found = op.Where(is_whole, reduce_min, reduce_max)
    where_2 = op.Where(is_whole, largest, nan)
    values = op.Slice(
        where_2,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    result0 = op.Squeeze(values, op.constant([-1], like="INT64"))
    slice = op.Slice(
        found,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    result1 = op.Squeeze(slice, op.constant([-1], like="INT64"))
    return result0, result1


OP = _onnxop.Operator(
    name="aten::adaptive_max_pool1d.default",
    existing="aten::adaptive_max_pool1d.default",
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
    op_type="adaptive_max_pool1d",
    doc="The operator aten::adaptive_max_pool1d.",
    spec="sha256:94ec6b572d0c3ac7a01c3071d550387104e845bf176d48861a6d7c355d67ab79",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.adaptive_max_pool1d.default


@_onnxop.script.scripted(OP)
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
