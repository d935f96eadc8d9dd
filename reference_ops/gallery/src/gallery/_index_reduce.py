"""aten::index_reduce: the operator in PyTorch, its gradients, and its rule for ONNX."""

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
    source: Any,
    reduce: Any,
    include_self: Any,
) -> Any:
    """aten::index_reduce in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        x = op.Reshape(self, op.constant([1], like="INT64"))
        y = op.Reshape(source, op.constant([1], like="INT64"))
        places = op.Reshape(index, op.constant([1], like="INT64"))
        x_3, y_3, places_3 = x, y, places
    else:
        x_2 = op.Identity(self)
        y_2 = op.Identity(source)
        reshape = op.Reshape(
            index,
            op.constant([-1 if d == dim % max(op.rank(self), 1) else 1 for d in range(op.rank(self))], like="INT64"),
        )  # fmt: skip
        shape = op.Shape(source)
        places_2 = op.Expand(reshape, shape)
        x_3, y_3, places_3 = x_2, y_2, places_2
    if include_self:
        start_9 = op.Identity(x_3)
    else:
        if reduce == "prod":
            mul = op.Mul(op.constant(0.0, like=source), y_3)
            add = op.Add(mul, op.constant(1.0, like=source))
            start_8 = op.ScatterElements(x_3, places_3, add, axis=dim)
        else:
            if reduce == "amax":
                mul_2 = op.Mul(op.constant(0.0, like=source), y_3)
                sub = op.Sub(mul_2, op.constant(3.4028234663852886e38, like=source))
                start_7 = op.ScatterElements(x_3, places_3, sub, axis=dim)
            else:
                if reduce == "amin":
                    mul_3 = op.Mul(op.constant(0.0, like=source), y_3)
                    add_2 = op.Add(mul_3, op.constant(3.4028234663852886e38, like=source))
                    start_6 = op.ScatterElements(x_3, places_3, add_2, axis=dim)
                else:
                    mul_4 = op.Mul(op.constant(0.0, like=source), y_3)
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
        mul_6 = op.Mul(op.constant(0.0, like=source), y_3)
        add_4 = op.Add(mul_6, op.constant(1.0, like=source))
        count = op.ScatterElements(add_3, places_3, add_4, axis=dim, reduction="add")
        max_2 = op.Max(count, op.constant(1.0, like=self))
        found_9 = op.Div(found_7, max_2)
    else:
        found_9 = found_7
    if op.rank(self) == 0:
        result = op.Reshape(found_9, op.constant([], like="INT64"))
    else:
        result = found_9
    return result


OP = _onnxop.Operator(
    name="aten::index_reduce.default",
    existing="aten::index_reduce.default",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="index_reduce",
    doc="The operator aten::index_reduce.",
    spec="sha256:31d06c1fcff2b8b07ac3bb26bf838f0d7f28aeaafe68ee9ca1c9079cd6d45662",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.index_reduce.default


def index_reduce(
    self: Tensor,
    dim: int,
    index: Tensor,
    source: Tensor,
    reduce: str,
    *,
    include_self: bool = True,
) -> Tensor:
    """The operator aten::index_reduce.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        source: a tensor.
        reduce: a string.
        include_self: a boolean; True by default.

    Returns:
        What PyTorch's aten::index_reduce returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        source,
        reduce,
        include_self=include_self,
    )
    return result


class IndexReduce(torch.nn.Module):
    """`index_reduce` as a module; what is no tensor is fixed."""

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
        source: Tensor,
    ) -> Tensor:
        return index_reduce(
            input,
            self.dim,
            index,
            source,
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
