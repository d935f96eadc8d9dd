"""aten::scatter_reduce: the operator in PyTorch, its gradients, and its rule for ONNX."""

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
    src: Any,
    reduce: Any,
    include_self: Any,
) -> Any:
    """aten::scatter_reduce in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        x = op.Reshape(self, op.constant([1], like="INT64"))
        y = op.Reshape(src, op.constant([1], like="INT64"))
        places = op.Reshape(index, op.constant([1], like="INT64"))
        x_3, y_3, places_3 = x, y, places
    else:
        x_2 = op.Identity(self)
        y_2 = op.Identity(src)
        places_2 = op.Identity(index)
        x_3, y_3, places_3 = x_2, y_2, places_2
    if include_self:
        start_9 = op.Identity(x_3)
    else:
        if reduce == "prod":
            mul = op.Mul(op.constant(0.0, like=src), y_3)
            add = op.Add(mul, op.constant(1.0, like=src))
            start_8 = op.ScatterElements(x_3, places_3, add, axis=dim)
        else:
            if reduce == "amax":
                mul_2 = op.Mul(op.constant(0.0, like=src), y_3)
                sub = op.Sub(mul_2, op.constant(3.4028234663852886e38, like=src))
                start_7 = op.ScatterElements(x_3, places_3, sub, axis=dim)
            else:
                if reduce == "amin":
                    mul_3 = op.Mul(op.constant(0.0, like=src), y_3)
                    add_2 = op.Add(mul_3, op.constant(3.4028234663852886e38, like=src))
                    start_6 = op.ScatterElements(x_3, places_3, add_2, axis=dim)
                else:
                    mul_4 = op.Mul(op.constant(0.0, like=src), y_3)
                    start_6 = op.ScatterElements(x_3, places_3, mul_4, axis=dim)
                start_7 = start_6
            start_8 = start_7
        start_9 = start_8
    if reduce == "prod":
        found_7 = op.ScatterElements(start_9, places_3, y_3, axis=dim, reduction="mul")
    else:
        if reduce == "amax":
            found_6 = op.ScatterElements(start_9, places_3, y_3, axis=dim, reduction="max")
        else:
            if reduce == "amin":
                found_5 = op.ScatterElements(start_9, places_3, y_3, axis=dim, reduction="min")
            else:
                found_5 = op.ScatterElements(start_9, places_3, y_3, axis=dim, reduction="add")
            found_6 = found_5
        found_7 = found_6
    if reduce == "mean":
        mul_5 = op.Mul(op.constant(0.0, like=self), x_3)
        add_3 = op.Add(mul_5, op.constant(1.0 if include_self else 0.0, like=self))
        mul_6 = op.Mul(op.constant(0.0, like=src), y_3)
        add_4 = op.Add(mul_6, op.constant(1.0, like=src))
        count = op.ScatterElements(add_3, places_3, add_4, axis=dim, reduction="add")
        max = op.Max(count, op.constant(1.0, like=self))
        found_9 = op.Div(found_7, max)
    else:
        found_9 = found_7
    if op.rank(self) == 0:
        result = op.Reshape(found_9, op.constant([], like="INT64"))
    else:
        result = found_9
    return result


OP = _onnxop.Operator(
    name="aten::scatter_reduce.two",
    existing="aten::scatter_reduce.two",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="scatter_reduce",
    doc="The operator aten::scatter_reduce.",
    spec="sha256:a1b3c30ac075ed855d8b74d7c403e44cb33c22e53a5fdb74ae4d5d28c6e22c97",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.scatter_reduce.two


def scatter_reduce(
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """The operator aten::scatter_reduce.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        src: a tensor.
        reduce: a string.
        include_self: a boolean; True by default.

    Returns:
        What PyTorch's aten::scatter_reduce returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        src,
        reduce,
        include_self=include_self,
    )
    return result


class ScatterReduce(torch.nn.Module):
    """`scatter_reduce` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        reduce: str,
        *,
        include_self: bool = True,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.reduce = reduce
        self.include_self = include_self

    def forward(
        self,
        input: Tensor,
        index: Tensor,
        src: Tensor,
    ) -> Tensor:
        return scatter_reduce(
            input,
            self.dim,
            index,
            src,
            self.reduce,
            include_self=self.include_self,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"reduce={self.reduce}",
                f"include_self={self.include_self}",
            ]
        )
