"""aten::squeeze: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any) -> Any:
    """aten::squeeze in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_5 = op.Identity(self)
    else:
        if op.is_open(self, dim):
            shape = op.Shape(self)
            gather = op.Gather(shape, op.constant(dim % op.rank(self), like="INT64"))
            is_one = op.Equal(gather, op.constant(1, like="INT64"))

            def then_branch() -> Any:
                return op.Squeeze(self, op.constant([dim], like="INT64"))

            def else_branch() -> Any:
                return op.Identity(self)

            result_4 = op.If(is_one, then_branch=then_branch, else_branch=else_branch)
        else:
            if op.size(self, dim) == 1:
                result_3 = op.Squeeze(self, op.constant([dim], like="INT64"))
            else:
                result_3 = op.Identity(self)
            result_4 = result_3
        result_5 = result_4
    return result_5


OP = _onnxop.Operator(
    name="aten::squeeze.dim",
    called="squeeze_dim",
    existing="aten::squeeze.dim",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="squeeze_dim",
    doc="The operator aten::squeeze.dim.",
    spec="sha256:10abedd08e3b5f3c54b4104cc645524f3acc3e62cb8cd19f7f64938689cee6ce",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.squeeze.dim


@_onnxop.script.scripted(OP)
def squeeze_dim(
    self: Tensor,
    dim: int,
) -> Tensor:
    """The operator aten::squeeze.dim.

    Args:
        self: a tensor.
        dim: an integer.

    Returns:
        What PyTorch's aten::squeeze returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class SqueezeDim(torch.nn.Module):
    """`squeeze_dim` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return squeeze_dim(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
