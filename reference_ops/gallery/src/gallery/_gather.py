"""aten::gather: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, index: Any, sparse_grad: Any) -> Any:
    """aten::gather in ONNX; `op` writes the nodes for the exporter that asks."""
    places = op.Cast(index, to=7)
    if op.rank(self) == 0 or op.rank(index) != op.rank(self):
        reshape = op.Reshape(self, op.constant([-1], like="INT64"))
        result_3 = op.Gather(reshape, places)
    else:
        result_3 = op.GatherElements(self, places, axis=dim)
    return result_3


OP = _onnxop.Operator(
    name="aten::gather.default",
    existing="aten::gather.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="gather",
    doc="The operator aten::gather.",
    spec="sha256:f483e150c0d8458548fc3ea616a96b170d45098e0e7160369a04539188c7fa41",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.gather.default


@_onnxop.script.scripted(OP)
def gather(
    self: Tensor,
    dim: int,
    index: Tensor,
    *,
    sparse_grad: bool = False,
) -> Tensor:
    """The operator aten::gather.

    Args:
        self: a tensor.
        dim: an integer.
        index: a tensor.
        sparse_grad: a boolean; False by default.

    Returns:
        What PyTorch's aten::gather returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        index,
        sparse_grad=sparse_grad,
    )
    return result


class Gather(torch.nn.Module):
    """`gather` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        *,
        sparse_grad: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.sparse_grad = sparse_grad

    def forward(
        self,
        input: Tensor,
        index: Tensor,
    ) -> Tensor:
        return gather(
            input,
            self.dim,
            index,
            sparse_grad=self.sparse_grad,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"sparse_grad={self.sparse_grad}",
            ]
        )
