"""aten::scatter_add: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, index: Any, src: Any) -> Any:
    """aten::scatter_add in ONNX; `op` writes the nodes for the exporter that asks."""
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
    found = op.ScatterElements(x, places, y_2, axis=dim, reduction="add")
    if op.rank(self) > 0:
        result = found
    else:
        result = op.Reshape(found, op.constant([], like="INT64"))
    return result


OP = _onnxop.Operator(
    name="aten::scatter_add.default",
    existing="aten::scatter_add.default",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="scatter_add",
    doc="The operator aten::scatter_add.",
    spec="sha256:4393c87f262d576a6c45bb2becc3d60b33a2125f8b8e7be48b1e69080211d63c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.scatter_add.default


@_onnxop.script.scripted(OP)
def scatter_add(
    self: Tensor,
    dim: int,
    index: Tensor,
    src: Tensor,
) -> Tensor:
    """The operator aten::scatter_add.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        src: a tensor.

    Returns:
        What PyTorch's aten::scatter_add returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        src,
    )
    return result


class ScatterAdd(torch.nn.Module):
    """`scatter_add` as a module; what is no tensor is fixed."""

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
        return scatter_add(
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
