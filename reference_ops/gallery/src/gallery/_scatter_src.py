"""aten::scatter: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, index: Any, src: Any) -> Any:
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
    found = op.ScatterElements(x, places, y_2, axis=dim)
    if op.rank(self) > 0:
        result = found
    else:
        result = op.Reshape(found, op.constant([], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::scatter.src",
    called="scatter_src",
    existing="aten::scatter.src",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="scatter_src",
    doc="The operator aten::scatter.src.",
    spec="sha256:f8da5c5cdf968d3607ad77cf41e11af502c943697adb86a9544b2d6029ef61d1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.scatter.src


@_onnxop.script.scripted(OP)
def scatter_src(
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
) -> Tensor:
    """The operator aten::scatter.src.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        src: a tensor.

    Returns:
        What PyTorch's aten::scatter returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        src,
    )
    return result


class ScatterSrc(torch.nn.Module):
    """`scatter_src` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
        index: Tensor,
        src: Tensor,
    ) -> Tensor:
        return scatter_src(
            input,
            self.dim,
            index,
            src,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
