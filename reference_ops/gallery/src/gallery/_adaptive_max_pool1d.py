"""aten::adaptive_max_pool1d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, output_size: Any) -> Any:
    """aten::adaptive_max_pool1d in ONNX; `op` writes the nodes for the exporter that asks."""
    windows = op.Identity(self)
    place = op.Constant(value_int=0)
    whole = op.Constant(value_int=1)
    windows_2, place_2, whole_2 = windows, place, whole
    for e in range(1):
        shape = op.Shape(self)
        n = op.Gather(shape, op.constant(e - 1, like="INT64"))
        j = op.Range(
            op.constant(0, like="INT64"),
            op.constant(output_size[e], like="INT64"),
            op.constant(1, like="INT64"),
        )
        mul = op.Mul(j, n)
        start = op.Div(mul, op.constant(output_size[e], like="INT64"))
        add = op.Add(j, op.constant(1, like="INT64"))
        mul_2 = op.Mul(add, n)
        sub = op.Sub(mul_2, op.constant(1, like="INT64"))
        div = op.Div(sub, op.constant(output_size[e], like="INT64"))
        end = op.Add(div, op.constant(1, like="INT64"))
        sub_2 = op.Sub(end, start)
        concat = op.Concat(sub_2, op.constant([1], like="INT64"), axis=0)
        wide = op.ReduceMax(concat, keepdims=0)
        unsqueeze = op.Unsqueeze(start, op.constant([1], like="INT64"))
        range_2 = op.Range(op.constant(0, like="INT64"), wide, op.constant(1, like="INT64"))
        add_2 = op.Add(unsqueeze, range_2)
        unsqueeze_2 = op.Unsqueeze(end, op.constant([1], like="INT64"))
        sub_3 = op.Sub(unsqueeze_2, op.constant(1, like="INT64"))
        places = op.Min(add_2, sub_3)
        windows_3 = op.Gather(windows_2, places, axis=e - 1)
        place_3 = op.Identity(places)
        whole_3 = op.Mul(whole_2, n)
        windows_2, place_2, whole_2 = windows_3, place_3, whole_3
    equal = op.Equal(windows_2, windows_2)
    is_nan = op.Not(equal)
    clean = op.Where(is_nan, op.constant(0, like=self), windows_2)
    nans = op.Where(is_nan, place_2, op.constant(-1, like="INT64"))
    where = op.Where(is_nan, windows_2, op.constant(0, like=self))
    nan = op.ReduceSum(where, op.constant([-1], like="INT64"), keepdims=1)
    is_whole = op.Equal(nan, op.constant(0, like=self))
    largest = op.ReduceMax(clean, axes=[-1], keepdims=1)
    equal_2 = op.Equal(clean, largest)
    equal_3 = op.Where(equal_2, place_2, whole_2)
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
    windows = op.Identity(self)
    place = op.Constant(value_int=0)
    whole = op.Constant(value_int=1)
    windows_2, place_2, whole_2 = windows, place, whole
    for e in range(1):
        shape = op.Shape(self)
        n = op.Gather(shape, op.constant(e - 1, like="INT64"))
        j = op.Range(
            op.constant(0, like="INT64"),
            op.constant(output_size[e], like="INT64"),
            op.constant(1, like="INT64"),
        )
        mul = op.Mul(j, n)
        start = op.Div(mul, op.constant(output_size[e], like="INT64"))
        add = op.Add(j, op.constant(1, like="INT64"))
        mul_2 = op.Mul(add, n)
        sub = op.Sub(mul_2, op.constant(1, like="INT64"))
        div = op.Div(sub, op.constant(output_size[e], like="INT64"))
        end = op.Add(div, op.constant(1, like="INT64"))
        sub_2 = op.Sub(end, start)
        concat = op.Concat(sub_2, op.constant([1], like="INT64"), axis=0)
        wide = op.ReduceMax(concat, keepdims=0)
        unsqueeze = op.Unsqueeze(start, op.constant([1], like="INT64"))
        range_2 = op.Range(op.constant(0, like="INT64"), wide, op.constant(1, like="INT64"))
        add_2 = op.Add(unsqueeze, range_2)
        unsqueeze_2 = op.Unsqueeze(end, op.constant([1], like="INT64"))
        sub_3 = op.Sub(unsqueeze_2, op.constant(1, like="INT64"))
        places = op.Min(add_2, sub_3)
        windows_3 = op.Gather(windows_2, places, axis=e - 1)
        place_3 = op.Identity(places)
        whole_3 = op.Mul(whole_2, n)
        windows_2, place_2, whole_2 = windows_3, place_3, whole_3
    equal = op.Equal(windows_2, windows_2)
    is_nan = op.Not(equal)
    clean = op.Where(is_nan, op.constant(0, like=self), windows_2)
    nans = op.Where(is_nan, place_2, op.constant(-1, like="INT64"))
    where = op.Where(is_nan, windows_2, op.constant(0, like=self))
    nan = op.ReduceSum(where, op.constant([-1], like="INT64"), keepdims=1)
    is_whole = op.Equal(nan, op.constant(0, like=self))
    largest = op.ReduceMax(clean, op.constant([-1], like="INT64"), keepdims=1)
    equal_2 = op.Equal(clean, largest)
    equal_3 = op.Where(equal_2, place_2, whole_2)
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
    spec="sha256:d9b2b4b216aa74eac8ccbae9408a6c7ac8284a40902b911c38f2013d3f9e05ef",
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
