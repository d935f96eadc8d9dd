"""aten::scatter: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    dim: Any,
    index: Any,
    value: Any,
    reduce: Any,
) -> Any:
    """aten::scatter in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) > 0:
        x = op.Identity(self)
    else:
        x = op.Reshape(self, op.constant([1], like="INT64"))
    if op.rank(index) > 0:
        places = op.Identity(index)
    else:
        places = op.Reshape(index, op.constant([1], like="INT64"))
    cast_like = op.CastLike(op.constant(value, like="FLOAT"), x)
    shape = op.Shape(places)
    y = op.Expand(cast_like, shape)
    if reduce == "add":
        found_3 = op.ScatterElements(x, places, y, axis=dim, reduction="add")
    else:
        found_3 = op.ScatterElements(x, places, y, axis=dim, reduction="mul")
    if op.rank(self) > 0:
        result = found_3
    else:
        result = op.Reshape(found_3, op.constant([], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::scatter.value_reduce",
    called="scatter_value_reduce",
    existing="aten::scatter.value_reduce",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="scatter_value_reduce",
    doc="The operator aten::scatter.value_reduce.",
    spec="sha256:9c4c0e956dc86b17d6ceb7fdd63b5fd309e1a2a575479a2d6f66c914b6f549e7",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.scatter.value_reduce


@_onnxop.script.scripted(OP)
def scatter_value_reduce(
    self: Tensor,
    dim: int,
    index: Tensor,
    value: float,
    *,
    reduce: str,
) -> Tensor:
    """The operator aten::scatter.value_reduce.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        value: a number.
        reduce: a string.

    Returns:
        What PyTorch's aten::scatter returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        _onnxop.number(value),
        reduce=reduce,
    )
    return result


class ScatterValueReduce(torch.nn.Module):
    """`scatter_value_reduce` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        value: float,
        *,
        reduce: str,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.value = value
        self.reduce = reduce

    def forward(
        self,
        input: Tensor,
        index: Tensor,
    ) -> Tensor:
        return scatter_value_reduce(
            input,
            self.dim,
            index,
            self.value,
            reduce=self.reduce,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"value={self.value}",
                f"reduce={self.reduce}",
            ]
        )
