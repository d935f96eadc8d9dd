"""aten::linalg_vector_norm: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    ord: Any,
    dim: Any,
    keepdim: Any,
    dtype: Any,
) -> Any:
    """aten::linalg_vector_norm in ONNX; `op` writes the nodes for the exporter that asks."""
    if dtype is not None:
        x = op.Cast(self, to=dtype)
    else:
        x = op.Identity(self)
    if op.rank(self) == 0:
        x_3 = op.Reshape(x, op.constant([1], like="INT64"))
    else:
        x_3 = x
    if ord == 2:
        found_11 = op.ReduceL2(
            x_3,
            op.constant((dim if len(dim) > 0 else list(range(max(op.rank(self), 1)))) if dim is not None else list(range(max(op.rank(self), 1))), like="INT64"),
            keepdims=1,
        )  # fmt: skip
    else:
        if ord == 1:
            found_10 = op.ReduceL1(
                x_3,
                op.constant((dim if len(dim) > 0 else list(range(max(op.rank(self), 1)))) if dim is not None else list(range(max(op.rank(self), 1))), like="INT64"),
                keepdims=1,
            )  # fmt: skip
        else:
            if ord == 0:
                equal = op.Equal(x_3, op.constant(0.0, like=self))
                not_2 = op.Not(equal)
                cast_like = op.CastLike(not_2, x_3)
                found_9 = op.ReduceSum(
                    cast_like,
                    op.constant((dim if len(dim) > 0 else list(range(max(op.rank(self), 1)))) if dim is not None else list(range(max(op.rank(self), 1))), like="INT64"),
                    keepdims=1,
                )  # fmt: skip
            else:
                if ord > 1e300 or ord < -1e300:
                    is_na_n = op.IsNaN(x_3)
                    where = op.Where(is_na_n, x_3, op.constant(0.0, like=self))
                    nan = op.ReduceSum(
                        where,
                        op.constant((dim if len(dim) > 0 else list(range(max(op.rank(self), 1)))) if dim is not None else list(range(max(op.rank(self), 1))), like="INT64"),
                        keepdims=1,
                    )  # fmt: skip
                    if ord > 0:
                        abs = op.Abs(x_3)
                        reduce_max = op.ReduceMax(
                            abs,
                            op.constant((dim if len(dim) > 0 else list(range(max(op.rank(self), 1)))) if dim is not None else list(range(max(op.rank(self), 1))), like="INT64"),
                            keepdims=1,
                        )  # fmt: skip
                        found_6 = op.Add(reduce_max, nan)
                    else:
                        abs_2 = op.Abs(x_3)
                        reduce_min = op.ReduceMin(
                            abs_2,
                            op.constant((dim if len(dim) > 0 else list(range(max(op.rank(self), 1)))) if dim is not None else list(range(max(op.rank(self), 1))), like="INT64"),
                            keepdims=1,
                        )  # fmt: skip
                        found_6 = op.Add(reduce_min, nan)
                    found_8 = found_6
                else:
                    abs_3 = op.Abs(x_3)
                    pow = op.Pow(abs_3, op.constant(float(ord), like="FLOAT"))
                    total = op.ReduceSum(
                        pow,
                        op.constant((dim if len(dim) > 0 else list(range(max(op.rank(self), 1)))) if dim is not None else list(range(max(op.rank(self), 1))), like="INT64"),
                        keepdims=1,
                    )  # fmt: skip
                    found_8 = op.Pow(total, op.constant(1.0 / float(ord), like="FLOAT"))
                found_9 = found_8
            found_10 = found_9
        found_11 = found_10
    if op.rank(self) == 0:
        result_3 = op.Reshape(found_11, op.constant([], like="INT64"))
    else:
        if keepdim:
            result_2 = found_11
        else:
            result_2 = op.Squeeze(
                found_11,
                op.constant((dim if len(dim) > 0 else list(range(max(op.rank(self), 1)))) if dim is not None else list(range(max(op.rank(self), 1))), like="INT64"),
            )  # fmt: skip
        result_3 = result_2
    return result_3


OP = _onnxop.Operator(
    name="aten::linalg_vector_norm.default",
    existing="aten::linalg_vector_norm.default",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_vector_norm",
    doc="The operator aten::linalg_vector_norm.",
    spec="sha256:82a2c6974445700f9dc25caeb1670fce2835b884dfc91836cda96d3833718494",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_vector_norm.default


@_onnxop.script.scripted(OP)
def linalg_vector_norm(
    self: Tensor,
    ord: float = 2,
    dim: Sequence[int] | None = None,
    keepdim: bool = False,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The operator aten::linalg_vector_norm.

    Args:
        self: a tensor.
        ord: a number; 2 by default.
        dim: 1 integers or None; None by default.
        keepdim: a boolean; False by default.
        dtype: a dtype or None; None by default.

    Returns:
        What PyTorch's aten::linalg_vector_norm returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(ord),
        dim,
        keepdim,
        dtype=dtype,
    )
    return result


class LinalgVectorNorm(torch.nn.Module):
    """`linalg_vector_norm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        ord: float = 2,
        dim: Sequence[int] | None = None,
        keepdim: bool = False,
        *,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.ord = ord
        self.dim = dim
        self.keepdim = keepdim
        self.dtype = dtype

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return linalg_vector_norm(
            input,
            self.ord,
            self.dim,
            self.keepdim,
            dtype=self.dtype,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"ord={self.ord}",
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
                f"dtype={self.dtype}",
            ]
        )
