"""aten::all: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::all in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        found_3 = op.Cast(self, to=9)
    else:
        cast = op.Cast(self, to=9)
        cast_2 = op.Cast(cast, to=6)
        reduce_min = op.ReduceMin(
            cast_2,
            op.constant([dim], like="INT64"),
            keepdims=1 if keepdim else 0,
        )
        found_3 = op.Cast(reduce_min, to=9)
    return found_3


OP = _onnxop.Operator(
    name="aten::all.dim",
    called="all_dim",
    existing="aten::all.dim",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="all_dim",
    doc="The operator aten::all.dim.",
    spec="sha256:5d715c9d72841e1901e73f38959b140a5f2f5a65bf5f6277344527ef5e465e16",
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
