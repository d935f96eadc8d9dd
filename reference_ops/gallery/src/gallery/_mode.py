"""aten::mode: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_15(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::mode in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        indices = op.Constant(value_int=0)
        result, result_2 = self, indices
    else:
        unsqueeze = op.Unsqueeze(self, op.constant([dim % op.rank(self)], like="INT64"))
        unsqueeze_2 = op.Unsqueeze(self, op.constant([dim % op.rank(self) + 1], like="INT64"))
        is_equal = op.Equal(unsqueeze, unsqueeze_2)
        cast = op.Cast(is_equal, to=7)
        reduce_sum = op.ReduceSum(
            cast,
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            keepdims=1,
        )
        counts = op.Squeeze(reduce_sum, op.constant([dim % op.rank(self) + 1], like="INT64"))
        equal = op.Equal(self, self)
        clean = op.Where(equal, self, op.constant(0, like=self))
        most = op.ReduceMax(counts, axes=[dim % op.rank(self)], keepdims=1)
        above = op.ReduceMax(clean, axes=[dim % op.rank(self)], keepdims=1)
        equal_2 = op.Equal(counts, most)
        where = op.Where(equal_2, clean, above)
        least = op.ReduceMin(where, axes=[dim % op.rank(self)], keepdims=1)
        equal_3 = op.Equal(most, op.constant(0, like="INT64"))
        slice = op.Slice(
            self,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([dim % op.rank(self)], like="INT64"),
        )
        values = op.Where(equal_3, slice, least)
        equal_4 = op.Equal(self, values)
        is_there = op.Cast(equal_4, to=6)
        places = op.ArgMax(
            is_there,
            axis=dim % op.rank(self),
            keepdims=int(keepdim),
            select_last_index=1,
        )
        if keepdim:
            values_2 = values
        else:
            values_2 = op.Squeeze(values, op.constant([dim % op.rank(self)], like="INT64"))
        result, result_2 = values_2, places
    result_3 = op.Identity(result)
    return result_3, result_2


def rule_18(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::mode in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        indices = op.Constant(value_int=0)
        result, result_2 = self, indices
    else:
        unsqueeze = op.Unsqueeze(self, op.constant([dim % op.rank(self)], like="INT64"))
        unsqueeze_2 = op.Unsqueeze(self, op.constant([dim % op.rank(self) + 1], like="INT64"))
        is_equal = op.Equal(unsqueeze, unsqueeze_2)
        cast = op.Cast(is_equal, to=7)
        reduce_sum = op.ReduceSum(
            cast,
            op.constant([dim % op.rank(self) + 1], like="INT64"),
            keepdims=1,
        )
        counts = op.Squeeze(reduce_sum, op.constant([dim % op.rank(self) + 1], like="INT64"))
        equal = op.Equal(self, self)
        clean = op.Where(equal, self, op.constant(0, like=self))
        most = op.ReduceMax(counts, op.constant([dim % op.rank(self)], like="INT64"), keepdims=1)
        above = op.ReduceMax(clean, op.constant([dim % op.rank(self)], like="INT64"), keepdims=1)
        equal_2 = op.Equal(counts, most)
        where = op.Where(equal_2, clean, above)
        least = op.ReduceMin(where, op.constant([dim % op.rank(self)], like="INT64"), keepdims=1)
        equal_3 = op.Equal(most, op.constant(0, like="INT64"))
        slice = op.Slice(
            self,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([dim % op.rank(self)], like="INT64"),
        )
        values = op.Where(equal_3, slice, least)
        equal_4 = op.Equal(self, values)
        is_there = op.Cast(equal_4, to=6)
        places = op.ArgMax(
            is_there,
            axis=dim % op.rank(self),
            keepdims=int(keepdim),
            select_last_index=1,
        )
        if keepdim:
            values_2 = values
        else:
            values_2 = op.Squeeze(values, op.constant([dim % op.rank(self)], like="INT64"))
        result, result_2 = values_2, places
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::mode.default",
    existing="aten::mode.default",
    results=[
        "values",
        "indices",
    ],
    rules={
        range(15, 18): rule_15,
        range(18, 26): rule_18,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="mode",
    doc="The operator aten::mode.",
    spec="sha256:87b78d5a1b00380ce5861c7840c3191f1083e5251593cb76585c89bf913a9460",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.mode.default


@_onnxop.script.scripted(OP)
def mode(
    self: Tensor,
    dim: int = -1,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::mode.

    Args:
        self: a tensor.
        dim: an integer; -1 by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::mode returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class Mode(torch.nn.Module):
    """`mode` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int = -1,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return mode(
            input,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
