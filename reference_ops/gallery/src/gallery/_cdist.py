"""aten::cdist: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, x1: Any, x2: Any, p: Any, compute_mode: Any) -> Any:
    """aten::cdist in ONNX; `op` writes the nodes for the exporter that asks."""
    unsqueeze = op.Unsqueeze(x1, op.constant([-2], like="INT64"))
    unsqueeze_2 = op.Unsqueeze(x2, op.constant([-3], like="INT64"))
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
                equal = op.Equal(difference, op.constant(0.0, like=x1))
                not_2 = op.Not(equal)
                cast_like = op.CastLike(not_2, difference)
                found_7 = op.ReduceSum(cast_like, op.constant([-1], like="INT64"), keepdims=1)
            else:
                if p > 1e30:
                    is_nan = op.IsNaN(difference)
                    clean = op.Where(is_nan, op.constant(0.0, like=x1), difference)
                    where = op.Where(is_nan, difference, op.constant(0.0, like=x1))
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
    slice = op.Slice(
        found_9,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    return op.Squeeze(slice, op.constant([-1], like="INT64"))


def rule_18(op: Any, x1: Any, x2: Any, p: Any, compute_mode: Any) -> Any:
    """aten::cdist in ONNX; `op` writes the nodes for the exporter that asks."""
    unsqueeze = op.Unsqueeze(x1, op.constant([-2], like="INT64"))
    unsqueeze_2 = op.Unsqueeze(x2, op.constant([-3], like="INT64"))
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
                equal = op.Equal(difference, op.constant(0.0, like=x1))
                not_2 = op.Not(equal)
                cast_like = op.CastLike(not_2, difference)
                found_7 = op.ReduceSum(cast_like, op.constant([-1], like="INT64"), keepdims=1)
            else:
                if p > 1e30:
                    is_nan = op.IsNaN(difference)
                    clean = op.Where(is_nan, op.constant(0.0, like=x1), difference)
                    where = op.Where(is_nan, difference, op.constant(0.0, like=x1))
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
    slice = op.Slice(
        found_9,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    return op.Squeeze(slice, op.constant([-1], like="INT64"))


OP = _onnxop.Operator(
    name="aten::cdist.default",
    existing="aten::cdist.default",
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cdist",
    doc="The operator aten::cdist.",
    spec="sha256:5359f4cf4ce877dedd9d1b1d1771bd366fb96f8237dc5b3e97388e7fb778f101",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cdist.default


@_onnxop.script.scripted(OP)
def cdist(
    x1: Tensor,
    x2: Tensor,
    p: float = 2.0,
    compute_mode: int | None = None,
) -> Tensor:
    """The operator aten::cdist.

    Args:
        x1: a tensor.
        x2: a tensor.
        p: a float; 2.0 by default.
        compute_mode: an integer or None; None by default.

    Returns:
        What PyTorch's aten::cdist returns.
    """
    result: Tensor = _operator(
        x1,
        x2,
        p,
        compute_mode,
    )
    return result


class Cdist(torch.nn.Module):
    """`cdist` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        p: float = 2.0,
        compute_mode: int | None = None,
    ) -> None:
        super().__init__()
        self.p = p
        self.compute_mode = compute_mode

    def forward(
        self,
        x1: Tensor,
        x2: Tensor,
    ) -> Tensor:
        return cdist(
            x1,
            x2,
            self.p,
            self.compute_mode,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"p={self.p}",
                f"compute_mode={self.compute_mode}",
            ]
        )
