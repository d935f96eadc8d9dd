"""aten::squeeze: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any) -> Any:
    """aten::squeeze in ONNX; `op` writes the nodes for the exporter that asks."""
    found = op.Identity(self)
    found_2 = found
    for place in range(op.rank(self)):
        if sum([1 if e % op.rank(self) == op.rank(self) - 1 - place else 0 for e in dim]) > 0:
            if op.is_open(self, op.rank(self) - 1 - place):
                shape = op.Shape(self)
                gather = op.Gather(shape, op.constant(op.rank(self) - 1 - place, like="INT64"))
                is_one = op.Equal(gather, op.constant(1, like="INT64"))

                def then_branch() -> Any:
                    return op.Squeeze(
                        found_2,
                        op.constant([op.rank(self) - 1 - place], like="INT64"),
                    )

                def else_branch() -> Any:
                    return op.Identity(found_2)

                found_5 = op.If(is_one, then_branch=then_branch, else_branch=else_branch)
            else:
                if op.size(self, op.rank(self) - 1 - place) == 1:
                    found_4 = op.Squeeze(
                        found_2,
                        op.constant([op.rank(self) - 1 - place], like="INT64"),
                    )
                else:
                    found_4 = op.Identity(found_2)
                found_5 = found_4
            found_6 = found_5
        else:
            found_6 = found_2
        found_2 = found_6
    return found_2


OP = _onnxop.Operator(
    name="aten::squeeze.dims",
    called="squeeze_dims",
    existing="aten::squeeze.dims",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="squeeze_dims",
    doc="The operator aten::squeeze.dims.",
    spec="sha256:531e162188b317a7bac76083bd9ecc2bcedd66d63d794a48292db897e4af4440",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.squeeze.dims


@_onnxop.script.scripted(OP)
def squeeze_dims(
    self: Tensor,
    dim: Sequence[int],
) -> Tensor:
    """The operator aten::squeeze.dims.

    Args:
        self: a tensor.
        dim: integers.

    Returns:
        What PyTorch's aten::squeeze returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class SqueezeDims(torch.nn.Module):
    """`squeeze_dims` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: Sequence[int],
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return squeeze_dims(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
