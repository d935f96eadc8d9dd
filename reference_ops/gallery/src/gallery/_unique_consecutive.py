"""aten::unique_consecutive: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, return_inverse: Any, return_counts: Any, dim: Any) -> Any:
    """aten::unique_consecutive in ONNX; `op` writes the nodes for the exporter that asks."""
    if dim is not None:
        x = op.Identity(self)
    else:
        x = op.Reshape(self, op.constant([-1], like="INT64"))
    d = dim % max(op.rank(self), 1) if dim is not None else 0
    others = [e + (1 if e >= d else 0) for e in range((op.rank(self) if dim is not None else 1) - 1)]  # fmt: skip
    shape = op.Shape(x)
    length = op.Slice(
        shape,
        op.constant([d], like="INT64"),
        op.constant([d + 1], like="INT64"),
        op.constant([0], like="INT64"),
    )
    slice = op.Slice(
        x,
        op.constant([1], like="INT64"),
        op.constant([9223372036854775807], like="INT64"),
        op.constant([d], like="INT64"),
    )
    slice_2 = op.Slice(
        x,
        op.constant([0], like="INT64"),
        op.constant([-1], like="INT64"),
        op.constant([d], like="INT64"),
    )
    equal = op.Equal(slice, slice_2)
    not_2 = op.Not(equal)
    is_other = op.Cast(not_2, to=7)
    if len(others) > 0:
        changes = op.ReduceSum(is_other, op.constant(others, like="INT64"), keepdims=0)
    else:
        changes = op.Identity(is_other)
    constant_2 = op.Constant(value_int=1)
    min = op.Min(length, op.constant(1, like="INT64"))
    first = op.Expand(constant_2, min)
    concat = op.Concat(first, changes, axis=0)
    is_new = op.Greater(concat, op.constant(0, like="INT64"))
    values = op.Compress(x, is_new, axis=d)
    squeeze = op.Squeeze(length, op.constant([0], like="INT64"))
    range_2 = op.Range(op.constant(0, like="INT64"), squeeze, op.constant(1, like="INT64"))
    places = op.Compress(range_2, is_new, axis=0)
    if return_inverse or dim is not None:
        cast = op.Cast(is_new, to=7)
        cum_sum = op.CumSum(cast, op.constant(0, like="INT64"))
        group = op.Sub(cum_sum, op.constant(1, like="INT64"))
        if dim is not None:
            inverse = op.Identity(group)
        else:
            shape_2 = op.Shape(self)
            inverse = op.Reshape(group, shape_2)
        inverse_3 = inverse
    else:
        inverse_3 = op.Slice(
            places,
            op.constant([0], like="INT64"),
            op.constant([0], like="INT64"),
            op.constant([0], like="INT64"),
        )
    if return_counts or dim is not None:
        slice_3 = op.Slice(
            places,
            op.constant([1], like="INT64"),
            op.constant([9223372036854775807], like="INT64"),
            op.constant([0], like="INT64"),
        )
        concat_2 = op.Concat(slice_3, length, axis=0)
        counts_3 = op.Sub(concat_2, places)
    else:
        counts_3 = op.Slice(
            places,
            op.constant([0], like="INT64"),
            op.constant([0], like="INT64"),
            op.constant([0], like="INT64"),
        )
    return values, inverse_3, counts_3


OP = _onnxop.Operator(
    name="aten::unique_consecutive.default",
    existing="aten::unique_consecutive.default",
    results=[
        "result0",
        "result1",
        "result2",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="unique_consecutive",
    doc="The operator aten::unique_consecutive.",
    spec="sha256:6c00630dd54f3a199ecb8a2501948c37f4d75f213cd4f6f884b0e5872f86dd17",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.unique_consecutive.default


@_onnxop.script.scripted(OP)
def unique_consecutive(
    self: Tensor,
    return_inverse: bool = False,
    return_counts: bool = False,
    dim: int | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """The operator aten::unique_consecutive.

    Args:
        self: a tensor.
        return_inverse: a boolean; False by default.
        return_counts: a boolean; False by default.
        dim: an integer or None; None by default.

    Returns:
        What PyTorch's aten::unique_consecutive returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        self,
        return_inverse,
        return_counts,
        dim,
    )
    return result


class UniqueConsecutive(torch.nn.Module):
    """`unique_consecutive` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        return_inverse: bool = False,
        return_counts: bool = False,
        dim: int | None = None,
    ) -> None:
        super().__init__()
        self.return_inverse = return_inverse
        self.return_counts = return_counts
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return unique_consecutive(
            input,
            self.return_inverse,
            self.return_counts,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"return_inverse={self.return_inverse}",
                f"return_counts={self.return_counts}",
                f"dim={self.dim}",
            ]
        )
