"""aten::pdist: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, p: Any) -> Any:
    """aten::pdist in ONNX; `op` writes the nodes for the exporter that asks."""
    unsqueeze = op.Unsqueeze(self, op.constant([1], like="INT64"))
    unsqueeze_2 = op.Unsqueeze(self, op.constant([0], like="INT64"))
    sub = op.Sub(unsqueeze, unsqueeze_2)
    difference = op.Abs(sub)
    if p == 2.0:
        mul = op.Mul(difference, difference)
        reduce_sum = op.ReduceSum(mul, op.constant([-1], like="INT64"), keepdims=1)
        found_9 = op.Sqrt(reduce_sum)
    else:
        if p == 1.0:
            found_8 = op.ReduceSum(difference, op.constant([-1], like="INT64"), keepdims=1)
        else:
            if p == 0.0:
                equal = op.Equal(difference, op.constant(0.0, like=self))
                not_2 = op.Not(equal)
                cast_like = op.CastLike(not_2, difference)
                found_7 = op.ReduceSum(cast_like, op.constant([-1], like="INT64"), keepdims=1)
            else:
                if p > 1e30:
                    is_nan = op.IsNaN(difference)
                    clean = op.Where(is_nan, op.constant(0.0, like=self), difference)
                    where = op.Where(is_nan, difference, op.constant(0.0, like=self))
                    nan = op.ReduceSum(where, op.constant([-1], like="INT64"), keepdims=1)
                    reduce_max = op.ReduceMax(clean, axes=[-1], keepdims=1)
                    found_6 = op.Add(reduce_max, nan)
                else:
                    pow = op.Pow(difference, op.constant(p, like="FLOAT"))
                    reduce_sum_2 = op.ReduceSum(pow, op.constant([-1], like="INT64"), keepdims=1)
                    found_6 = op.Pow(reduce_sum_2, op.constant(1.0 / p, like="FLOAT"))
                found_7 = found_6
            found_8 = found_7
        found_9 = found_8
    shape = op.Shape(self)
    gather = op.Gather(shape, op.constant(0, like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
    unsqueeze_3 = op.Unsqueeze(index, op.constant([1], like="INT64"))
    unsqueeze_4 = op.Unsqueeze(index, op.constant([0], like="INT64"))
    above = op.Less(unsqueeze_3, unsqueeze_4)
    reshape = op.Reshape(found_9, op.constant([-1], like="INT64"))
    reshape_2 = op.Reshape(above, op.constant([-1], like="INT64"))
    return op.Compress(reshape, reshape_2, axis=0)


def rule_18(op: Any, self: Any, p: Any) -> Any:
    """aten::pdist in ONNX; `op` writes the nodes for the exporter that asks."""
    unsqueeze = op.Unsqueeze(self, op.constant([1], like="INT64"))
    unsqueeze_2 = op.Unsqueeze(self, op.constant([0], like="INT64"))
    sub = op.Sub(unsqueeze, unsqueeze_2)
    difference = op.Abs(sub)
    if p == 2.0:
        mul = op.Mul(difference, difference)
        reduce_sum = op.ReduceSum(mul, op.constant([-1], like="INT64"), keepdims=1)
        found_9 = op.Sqrt(reduce_sum)
    else:
        if p == 1.0:
            found_8 = op.ReduceSum(difference, op.constant([-1], like="INT64"), keepdims=1)
        else:
            if p == 0.0:
                equal = op.Equal(difference, op.constant(0.0, like=self))
                not_2 = op.Not(equal)
                cast_like = op.CastLike(not_2, difference)
                found_7 = op.ReduceSum(cast_like, op.constant([-1], like="INT64"), keepdims=1)
            else:
                if p > 1e30:
                    is_nan = op.IsNaN(difference)
                    clean = op.Where(is_nan, op.constant(0.0, like=self), difference)
                    where = op.Where(is_nan, difference, op.constant(0.0, like=self))
                    nan = op.ReduceSum(where, op.constant([-1], like="INT64"), keepdims=1)
                    reduce_max = op.ReduceMax(clean, op.constant([-1], like="INT64"), keepdims=1)
                    found_6 = op.Add(reduce_max, nan)
                else:
                    pow = op.Pow(difference, op.constant(p, like="FLOAT"))
                    reduce_sum_2 = op.ReduceSum(pow, op.constant([-1], like="INT64"), keepdims=1)
                    found_6 = op.Pow(reduce_sum_2, op.constant(1.0 / p, like="FLOAT"))
                found_7 = found_6
            found_8 = found_7
        found_9 = found_8
    shape = op.Shape(self)
    gather = op.Gather(shape, op.constant(0, like="INT64"))
    index = op.Range(op.constant(0, like="INT64"), gather, op.constant(1, like="INT64"))
    unsqueeze_3 = op.Unsqueeze(index, op.constant([1], like="INT64"))
    unsqueeze_4 = op.Unsqueeze(index, op.constant([0], like="INT64"))
    above = op.Less(unsqueeze_3, unsqueeze_4)
    reshape = op.Reshape(found_9, op.constant([-1], like="INT64"))
    reshape_2 = op.Reshape(above, op.constant([-1], like="INT64"))
    return op.Compress(reshape, reshape_2, axis=0)


OP = _onnxop.Operator(
    name="aten::pdist.default",
    existing="aten::pdist.default",
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="pdist",
    doc="The operator aten::pdist.",
    spec="sha256:a457bcb7ee96ea3d14951e59f1e430be2654f5a6d7f064ca696df9fec74985f8",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.pdist.default


@_onnxop.script.scripted(OP)
def pdist(
    self: Tensor,
    p: float = 2.0,
) -> Tensor:
    """The operator aten::pdist.

    Args:
        self: a tensor.
        p: a float; 2.0 by default.

    Returns:
        What PyTorch's aten::pdist returns.
    """
    result: Tensor = _operator(
        self,
        p,
    )
    return result


class Pdist(torch.nn.Module):
    """`pdist` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float = 2.0,
    ) -> None:
        super().__init__()
        self.p = p

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return pdist(
            input,
            self.p,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
            ]
        )
