"""aten::any: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::any in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_3 = op.Cast(self, to=9)
    else:
        cast = op.Cast(self, to=9)
        cast_2 = op.Cast(cast, to=6)
        count = op.ReduceSum(cast_2, op.constant([dim], like="INT64"), keepdims=1)
        slice = op.Slice(
            count,
            op.constant([0], like="INT64"),
            op.constant([1], like="INT64"),
            op.constant([dim], like="INT64"),
        )
        found = op.Cast(slice, to=9)
        if keepdim:
            result_2 = found
        else:
            result_2 = op.Squeeze(found, op.constant([dim], like="INT64"))
        result_3 = result_2
    return result_3


OP = _onnxop.Operator(
    name="aten::any.dim",
    called="any_dim",
    existing="aten::any.dim",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="any_dim",
    doc="The operator aten::any.dim.",
    spec="sha256:f2d242ea4ab2e8ac88b1f8e3cf1c0a503232e887c33ba68b8a1bb5ffdb1e47d1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.any.dim


@_onnxop.script.scripted(OP)
def any_dim(
    self: Tensor,
    dim: int,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::any.dim.

    Args:
        self: a tensor.
        dim: an integer.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::any returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class AnyDim(torch.nn.Module):
    """`any_dim` as a module; what is no tensor is fixed."""

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
        return any_dim(
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
