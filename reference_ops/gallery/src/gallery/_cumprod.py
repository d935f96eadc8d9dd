"""aten::cumprod: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_13(op: Any, self: Any, dim: Any, dtype: Any) -> Any:
    """aten::cumprod in ONNX; `op` writes the nodes for the exporter that asks."""
    if dtype is not None:
        x = op.Cast(self, to=dtype)
    else:
        x = self
    if op.rank(self) == 0:
        result_2 = x
    else:
        shape = op.Shape(self)
        length = op.Gather(shape, op.constant(dim % op.rank(self), like="INT64"))
        index = op.Range(op.constant(0, like="INT64"), length, op.constant(1, like="INT64"))
        row = op.Reshape(
            index,
            op.constant([1, -1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        column = op.Reshape(
            index,
            op.constant([-1, 1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        less_or_equal = op.LessOrEqual(row, column)
        unsqueeze = op.Unsqueeze(x, op.constant([dim % op.rank(self)], like="INT64"))
        cast_2 = op.Cast(op.constant(1.0, like="FLOAT"), to=1)
        before = op.Where(less_or_equal, unsqueeze, cast_2)
        result_2 = op.ReduceProd(before, axes=[dim % op.rank(self) + 1], keepdims=0)
    return op.Identity(result_2)


def rule_15(op: Any, self: Any, dim: Any, dtype: Any) -> Any:
    """aten::cumprod in ONNX; `op` writes the nodes for the exporter that asks."""
    if dtype is not None:
        x = op.Cast(self, to=dtype)
    else:
        x = self
    if op.rank(self) == 0:
        result_2 = x
    else:
        shape = op.Shape(self)
        length = op.Gather(shape, op.constant(dim % op.rank(self), like="INT64"))
        index = op.Range(op.constant(0, like="INT64"), length, op.constant(1, like="INT64"))
        row = op.Reshape(
            index,
            op.constant([1, -1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        column = op.Reshape(
            index,
            op.constant([-1, 1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        less_or_equal = op.LessOrEqual(row, column)
        unsqueeze = op.Unsqueeze(x, op.constant([dim % op.rank(self)], like="INT64"))
        cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), x)
        before = op.Where(less_or_equal, unsqueeze, cast_like)
        result_2 = op.ReduceProd(before, axes=[dim % op.rank(self) + 1], keepdims=0)
    return op.Identity(result_2)


def rule_18(op: Any, self: Any, dim: Any, dtype: Any) -> Any:
    """aten::cumprod in ONNX; `op` writes the nodes for the exporter that asks."""
    if dtype is not None:
        x = op.Cast(self, to=dtype)
    else:
        x = self
    if op.rank(self) == 0:
        result_2 = x
    else:
        shape = op.Shape(self)
        length = op.Gather(shape, op.constant(dim % op.rank(self), like="INT64"))
        index = op.Range(op.constant(0, like="INT64"), length, op.constant(1, like="INT64"))
        row = op.Reshape(
            index,
            op.constant([1, -1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        column = op.Reshape(
            index,
            op.constant([-1, 1] + [1] * (op.rank(self) - dim % op.rank(self) - 1), like="INT64"),
        )
        less_or_equal = op.LessOrEqual(row, column)
        unsqueeze = op.Unsqueeze(x, op.constant([dim % op.rank(self)], like="INT64"))
        cast_like = op.CastLike(op.constant(1.0, like="FLOAT"), x)
        before = op.Where(less_or_equal, unsqueeze, cast_like)
        result_2 = op.ReduceProd(
            before,
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            keepdims=0,
        )
    return op.Identity(result_2)


OP = _onnxop.Operator(
    name="aten::cumprod.default",
    existing="aten::cumprod.default",
    rules={
        range(13, 15): rule_13,
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cumprod",
    doc="The operator aten::cumprod.",
    spec="sha256:9ef081c395b5c3106b104b878b7a4a7481c86798f3db48d9302cef6c02e21bd2",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cumprod.default


def cumprod(
    self: Tensor,
    dim: int,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The operator aten::cumprod.

    Args:
        self: a tensor.
        dim: an integer.
        dtype: a dtype or None; None by default.

    Returns:
        What PyTorch's aten::cumprod returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        dtype=dtype,
    )
    return result


class Cumprod(torch.nn.Module):
    """`cumprod` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        *,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.dtype = dtype

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return cumprod(
            input,
            self.dim,
            dtype=self.dtype,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"dtype={self.dtype}",
            ]
        )
