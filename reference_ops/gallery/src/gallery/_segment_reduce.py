"""aten::segment_reduce: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    data: Any,
    reduce: Any,
    lengths: Any,
    indices: Any,
    offsets: Any,
    axis: Any,
    unsafe: Any,
    initial: Any,
) -> Any:
    """aten::segment_reduce in ONNX; `op` writes the nodes for the exporter that asks."""
    if lengths is not None:
        cast = op.Cast(lengths, to=7)
        end = op.CumSum(
            cast,
            op.constant(axis if axis >= 0 else axis + op.rank(data), like="INT64"),
        )
        cast_2 = op.Cast(lengths, to=7)
        start = op.Sub(end, cast_2)
        end_3, start_3 = end, start
    else:
        bounds = op.Cast(offsets if offsets is not None else op.constant(0, like="INT64"), to=7)
        start_2 = op.Slice(
            bounds,
            op.constant([0], like="INT64"),
            op.constant([-1], like="INT64"),
            op.constant([axis if axis >= 0 else axis + op.rank(data)], like="INT64"),
        )
        end_2 = op.Slice(
            bounds,
            op.constant([1], like="INT64"),
            op.constant([9223372036854775807], like="INT64"),
            op.constant([axis if axis >= 0 else axis + op.rank(data)], like="INT64"),
        )
        end_3, start_3 = end_2, start_2
    shape = op.Shape(data)
    gather = op.Gather(
        shape,
        op.constant(axis if axis >= 0 else axis + op.rank(data), like="INT64"),
    )
    places = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
    unsqueeze = op.Unsqueeze(start_3, op.constant([-1], like="INT64"))
    greater_or_equal = op.GreaterOrEqual(places, unsqueeze)
    unsqueeze_2 = op.Unsqueeze(end_3, op.constant([-1], like="INT64"))
    less = op.Less(places, unsqueeze_2)
    is_in = op.And(greater_or_equal, less)
    further = list(range((axis if axis >= 0 else axis + op.rank(data)) + 2, op.rank(data) + 1))
    if len(further) > 0:
        is_in_2 = op.Unsqueeze(is_in, op.constant(further, like="INT64"))
    else:
        is_in_2 = op.Identity(is_in)
    parts = op.Unsqueeze(
        data,
        op.constant([axis if axis >= 0 else axis + op.rank(data)], like="INT64"),
    )
    if reduce == "sum" or reduce == "mean":
        where = op.Where(is_in_2, parts, op.constant(0, like=data))
        found = op.ReduceSum(
            where,
            op.constant([(axis if axis >= 0 else axis + op.rank(data)) + 1], like="INT64"),
            keepdims=0,
        )
        if initial is not None:
            found_3 = op.Add(found, op.constant(float(initial), like=data))
        else:
            found_3 = found
        if reduce == "mean":
            sub = op.Sub(end_3, start_3)
            count = op.CastLike(sub, data)
            if len(further) > 0:
                count_2 = op.Unsqueeze(count, op.constant([d - 1 for d in further], like="INT64"))
            else:
                count_2 = op.Identity(count)
            equal = op.Equal(count_2, op.constant(0, like=data))
            and_2 = op.And(equal, op.constant(initial is not None, like="BOOL"))
            div = op.Div(found_3, count_2)
            found_5 = op.Where(and_2, found_3, div)
        else:
            found_5 = found_3
        result_4 = found_5
    else:
        if reduce == "prod":
            where_2 = op.Where(is_in_2, parts, op.constant(1, like=data))
            found_6 = op.ReduceProd(
                where_2,
                op.constant([(axis if axis >= 0 else axis + op.rank(data)) + 1], like="INT64"),
                keepdims=0,
            )
            if initial is not None:
                result = op.Mul(found_6, op.constant(float(initial), like=data))
            else:
                result = found_6
            result_3 = result
        else:
            is_nan = op.IsNaN(parts)
            and_3 = op.And(is_in_2, is_nan)
            where_3 = op.Where(and_3, parts, op.constant(0, like=data))
            nan = op.ReduceSum(
                where_3,
                op.constant([(axis if axis >= 0 else axis + op.rank(data)) + 1], like="INT64"),
                keepdims=0,
            )
            if reduce == "max":
                not_2 = op.Not(is_nan)
                and_4 = op.And(is_in_2, not_2)
                where_4 = op.Where(and_4, parts, op.constant(-float("inf"), like=data))
                reduce_max = op.ReduceMax(
                    where_4,
                    op.constant([(axis if axis >= 0 else axis + op.rank(data)) + 1], like="INT64"),
                    keepdims=0,
                )
                found_9 = op.Max(
                    reduce_max,
                    op.constant(float(initial) if initial is not None else -float("inf"), like=data),
                )  # fmt: skip
            else:
                not_3 = op.Not(is_nan)
                and_5 = op.And(is_in_2, not_3)
                where_5 = op.Where(and_5, parts, op.constant(float("inf"), like=data))
                reduce_min = op.ReduceMin(
                    where_5,
                    op.constant([(axis if axis >= 0 else axis + op.rank(data)) + 1], like="INT64"),
                    keepdims=0,
                )
                found_9 = op.Min(
                    reduce_min,
                    op.constant(float(initial) if initial is not None else float("inf"), like=data),
                )
            result_3 = op.Add(found_9, nan)
        result_4 = result_3
    return result_4


OP = _onnxop.Operator(
    name="aten::segment_reduce.default",
    existing="aten::segment_reduce.default",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="segment_reduce",
    doc="The operator aten::segment_reduce.",
    spec="sha256:42d433633e7617847fbfe6e1fc326cb6370f10deb3dd1f437a5f4ad91ada93cc",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.segment_reduce.default


@_onnxop.script.scripted(OP)
def segment_reduce(
    data: Tensor,
    reduce: str,
    *,
    lengths: Tensor | None = None,
    indices: Tensor | None = None,
    offsets: Tensor | None = None,
    axis: int = 0,
    unsafe: bool = False,
    initial: float | None = None,
) -> Tensor:
    """The operator aten::segment_reduce.

    Args:
        data: a tensor.
        reduce: a string.
        lengths: a tensor or None; None by default.
        indices: a tensor or None; None by default.
        offsets: a tensor or None; None by default.
        axis: an integer; 0 by default.
        unsafe: a boolean; False by default.
        initial: a number or None; None by default.

    Returns:
        What PyTorch's aten::segment_reduce returns.
    """
    result: Tensor = _operator(
        data,
        reduce,
        lengths=lengths,
        indices=indices,
        offsets=offsets,
        axis=axis,
        unsafe=unsafe,
        initial=_onnxop.number(initial),
    )
    return result


class SegmentReduce(torch.nn.Module):
    """`segment_reduce` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        reduce: str,
        *,
        axis: int = 0,
        unsafe: bool = False,
        initial: float | None = None,
    ) -> None:
        super().__init__()
        self.reduce = reduce
        self.axis = axis
        self.unsafe = unsafe
        self.initial = initial

    def forward(
        self,
        data: Tensor,
        lengths: Tensor | None = None,
        indices: Tensor | None = None,
        offsets: Tensor | None = None,
    ) -> Tensor:
        return segment_reduce(
            data,
            self.reduce,
            lengths=lengths,
            indices=indices,
            offsets=offsets,
            axis=self.axis,
            unsafe=self.unsafe,
            initial=self.initial,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"reduce={self.reduce}",
                f"axis={self.axis}",
                f"unsafe={self.unsafe}",
                f"initial={self.initial}",
            ]
        )
