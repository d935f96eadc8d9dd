"""aten::all: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::all in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_3 = op.Cast(self, to=9)
    else:
        cast = op.Cast(self, to=9)
        not_2 = op.Not(cast)
        cast_2 = op.Cast(not_2, to=6)
        count = op.ReduceSum(cast_2, op.constant([dim], like="INT64"), keepdims=1)
        slice = op.Slice(
            count,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([dim], like="INT64"),
        )
        cast_3 = op.Cast(slice, to=9)
        found = op.Not(cast_3)
        if keepdim:
            result_2 = found
        else:
            result_2 = op.Squeeze(found, op.constant([dim], like="INT64"))
        result_3 = result_2
    return result_3


OP = _onnxop.Operator(
    name="aten::all.dim",
    called="all_dim",
    existing="aten::all.dim",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="all_dim",
    doc="The operator aten::all.dim.",
    spec="sha256:4c26bfbc31e58871addedcddb288d4e586f6852c327795e1bb3822bf687df4c5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.all.dim


@_onnxop.script.scripted(OP)
def all_dim(
    self: Tensor,
    dim: int,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::all.dim.

    Args:
        self: a tensor.
        dim: an integer.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::all returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class AllDim(torch.nn.Module):
    """`all_dim` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return all_dim(
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
