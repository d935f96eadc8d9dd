"""aten::scatter: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, index: Any, value: Any) -> Any:
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
    found = op.ScatterElements(x, places, y, axis=dim)
    if op.rank(self) > 0:
        result = found
    else:
        result = op.Reshape(found, op.constant([], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::scatter.value",
    called="scatter_value",
    existing="aten::scatter.value",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="scatter_value",
    doc="The operator aten::scatter.value.",
    spec="sha256:daf65b9352efaf2de017abb0bbaf52a5e43a5dc47a29500e1f16fbe764c9e375",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.scatter.value


@_onnxop.script.scripted(OP)
def scatter_value(
    self: Tensor,
    dim: int,
    index: Tensor,
    value: float,
) -> Tensor:
    """The operator aten::scatter.value.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        value: a number.

    Returns:
        What PyTorch's aten::scatter returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        _onnxop.number(value),
    )
    return result


class ScatterValue(torch.nn.Module):
    """`scatter_value` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        value: float,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.value = value

    def forward(
        self,
        input: Tensor,
        index: Tensor,
    ) -> Tensor:
        return scatter_value(
            input,
            self.dim,
            index,
            self.value,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"value={self.value}",
            ]
        )
