"""aten::rms_norm: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, input: Any, normalized_shape: Any, weight: Any, eps: Any) -> Any:
    """aten::rms_norm in ONNX; `op` writes the nodes for the exporter that asks."""
    axes = [d - len(normalized_shape) for d in range(len(normalized_shape))]
    mul = op.Mul(input, input)
    square = op.ReduceMean(mul, axes=axes, keepdims=1)
    if eps is None:
        cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), square)
        shape = op.Shape(square)
        one = op.Expand(cast_like, shape)
        add = op.Add(one, op.constant(1e-10, like=input))
        equal = op.Equal(add, op.constant(1.0, like=input))
        mul_2 = op.Mul(op.constant(1.1920928955078125e-07, like=input), one)
        small_3 = op.Where(equal, mul_2, op.constant(2.220446049250313e-16, like=input))
    else:
        cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), square)
        shape_2 = op.Shape(square)
        expand = op.Expand(cast_like_2, shape_2)
        small_3 = op.Mul(expand, op.constant(eps, like=input))
    add_2 = op.Add(square, small_3)
    sqrt = op.Sqrt(add_2)
    found = op.Div(input, sqrt)
    if weight is not None:
        result = op.Mul(found, weight)
    else:
        result = op.Identity(found)
    return result


def rule_18(op: Any, input: Any, normalized_shape: Any, weight: Any, eps: Any) -> Any:
    """aten::rms_norm in ONNX; `op` writes the nodes for the exporter that asks."""
    axes = [d - len(normalized_shape) for d in range(len(normalized_shape))]
    mul = op.Mul(input, input)
    square = op.ReduceMean(mul, op.constant(axes, like="INT64"), keepdims=1)
    if eps is None:
        cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), square)
        shape = op.Shape(square)
        one = op.Expand(cast_like, shape)
        add = op.Add(one, op.constant(1e-10, like=input))
        equal = op.Equal(add, op.constant(1.0, like=input))
        mul_2 = op.Mul(op.constant(1.1920928955078125e-07, like=input), one)
        small_3 = op.Where(equal, mul_2, op.constant(2.220446049250313e-16, like=input))
    else:
        cast_like_2 = op.CastLike(op.constant(1.0, like="FLOAT"), square)
        shape_2 = op.Shape(square)
        expand = op.Expand(cast_like_2, shape_2)
        small_3 = op.Mul(expand, op.constant(eps, like=input))
    add_2 = op.Add(square, small_3)
    sqrt = op.Sqrt(add_2)
    found = op.Div(input, sqrt)
    if weight is not None:
        result = op.Mul(found, weight)
    else:
        result = op.Identity(found)
    return result


OP = _onnxop.Operator(
    name="aten::rms_norm.default",
    existing="aten::rms_norm.default",
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="rms_norm",
    doc="The operator aten::rms_norm.",
    spec="sha256:3c096316cf57a03a2005c4c59a9bf3812dab42f6e166d14ef6d5751fe693ed9a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.rms_norm.default


@_onnxop.script.scripted(OP)
def rms_norm(
    input: Tensor,
    normalized_shape: Sequence[int],
    weight: Tensor | None = None,
    eps: float | None = None,
) -> Tensor:
    """The operator aten::rms_norm.

    Args:
        input: a tensor.
        normalized_shape: integers.
        weight: a tensor or None; None by default.
        eps: a float or None; None by default.

    Returns:
        What PyTorch's aten::rms_norm returns.
    """
    result: Tensor = _operator(
        input,
        normalized_shape,
        weight,
        eps,
    )
    return result


class RmsNorm(torch.nn.Module):
    """`rms_norm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        normalized_shape: Sequence[int],
        eps: float | None = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = normalized_shape
        self.eps = eps

    def forward(
        self,
        input: Tensor,
        weight: Tensor | None = None,
    ) -> Tensor:
        return rms_norm(
            input,
            self.normalized_shape,
            weight,
            self.eps,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"normalized_shape={self.normalized_shape}",
                f"eps={self.eps}",
            ]
        )
