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
    src: Any,
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
    if op.rank(src) > 0:
        y = op.Identity(src)
    else:
        y = op.Reshape(src, op.constant([1], like="INT64"))
    shape = op.Shape(places)
    y_2 = op.Slice(
        y,
        op.constant([0] * max(op.rank(self), 1), like="INT64"),
        shape,
        op.constant(list(range(max(op.rank(self), 1))), like="INT64"),
    )
    if reduce == "add":
        found_3 = op.ScatterElements(x, places, y_2, axis=dim, reduction="add")
    else:
        found_3 = op.ScatterElements(x, places, y_2, axis=dim, reduction="mul")
    if op.rank(self) > 0:
        result = found_3
    else:
        result = op.Reshape(found_3, op.constant([], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::scatter.reduce",
    called="scatter_src_reduce",
    existing="aten::scatter.reduce",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="scatter_src_reduce",
    doc="The operator aten::scatter.reduce.",
    spec="sha256:590a08797bc21dafc4321e2197c394b9a6a629aca7e75660c05067081e880229",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.scatter.reduce


@_onnxop.script.scripted(OP)
def scatter_src_reduce(
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
    *,
    reduce: str,
) -> Tensor:
    """The operator aten::scatter.reduce.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        src: a tensor.
        reduce: a string.

    Returns:
        What PyTorch's aten::scatter returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        src,
        reduce=reduce,
    )
    return result


class ScatterSrcReduce(torch.nn.Module):
    """`scatter_src_reduce` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        *,
        reduce: str,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.reduce = reduce

    def forward(
        self,
        input: Tensor,
        index: Tensor,
        src: Tensor,
    ) -> Tensor:
        return scatter_src_reduce(
            input,
            self.dim,
            index,
            src,
            reduce=self.reduce,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"reduce={self.reduce}",
            ]
        )
