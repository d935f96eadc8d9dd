"""aten::take_along_dim: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, indices: Any, dim: Any) -> Any:
    """aten::take_along_dim in ONNX; `op` writes the nodes for the exporter that asks."""
    if dim is None:
        reshape = op.Reshape(self, op.constant([-1], like="INT64"))
        reshape_2 = op.Reshape(indices, op.constant([-1], like="INT64"))
        result_5 = op.GatherElements(reshape, reshape_2, axis=0)
    else:
        if sum([1 if d != dim % op.rank(self) and (op.is_open(self, d) or op.is_open(indices, d) or op.size(self, d) != op.size(indices, d)) else 0 for d in range(op.rank(self))]) == 0:  # fmt: skip
            result_4 = op.GatherElements(self, indices, axis=dim)
        else:
            is_along = op.Cast(
                op.constant([1 if d_2 == dim % op.rank(self) else 0 for d_2 in range(op.rank(self))], like="INT64"),
                to=9,
            )  # fmt: skip
            shape = op.Shape(indices)
            where = op.Where(is_along, op.constant(1, like="INT64"), shape)
            x = op.Expand(self, where)
            shape_2 = op.Shape(self)
            where_2 = op.Where(is_along, op.constant(1, like="INT64"), shape_2)
            expand = op.Expand(indices, where_2)
            result_4 = op.GatherElements(x, expand, axis=dim)
        result_5 = result_4
    return result_5


OP = _onnxop.Operator(
    name="aten::take_along_dim.default",
    existing="aten::take_along_dim.default",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="take_along_dim",
    doc="The operator aten::take_along_dim.",
    spec="sha256:4f77d52c3c28da45ea24b0f9e6cb572d624cdd146ecb1bb83edf8ce47f3debc1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.take_along_dim.default


@_onnxop.script.scripted(OP)
def take_along_dim(
    self: Tensor,
    indices: Tensor,
    dim: int | None = None,
) -> Tensor:
    """The operator aten::take_along_dim.

    Args:
        self: a tensor.
        indices: a tensor.
        dim: an integer or None; None by default.

    Returns:
        What PyTorch's aten::take_along_dim returns.
    """
    result: Tensor = _operator(
        self,
        indices,
        dim,
    )
    return result


class TakeAlongDim(torch.nn.Module):
    """`take_along_dim` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
        indices: Tensor,
    ) -> Tensor:
        return take_along_dim(
            input,
            indices,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
