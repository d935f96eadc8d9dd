"""aten::copy: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, src: Any, non_blocking: Any) -> Any:
    """aten::copy in ONNX; `op` writes the nodes for the exporter that asks."""
    cast_like = op.CastLike(src, self)
    shape = op.Shape(self)
    return op.Expand(cast_like, shape)


OP = _onnxop.Operator(
    name="aten::copy.default",
    called="copy_to",
    existing="aten::copy.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="copy_to",
    doc="One tensor in the place of another, of whose sizes and dtype it becomes, as x.copy_(y) ends up.",
    spec="sha256:17430281d8f00cf9435c7980d449fbd7ecb603ff54dae4538ef2d943835442e9",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.copy.default


@_onnxop.script.scripted(OP)
def copy_to(
    self: Tensor,
    src: Tensor,
    non_blocking: bool = False,
) -> Tensor:
    """One tensor in the place of another, of whose sizes and dtype it becomes, as x.copy_(y) ends up.

    Args:
        self: a tensor.
        src: a tensor.
        non_blocking: a boolean; False by default.

    Returns:
        What PyTorch's aten::copy returns.
    """
    result: Tensor = _operator(
        self,
        src,
        non_blocking,
    )
    return result


class CopyTo(torch.nn.Module):
    """`copy_to` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        non_blocking: bool = False,
    ) -> None:
        super().__init__()
        self.non_blocking = non_blocking

    def forward(
        self,
        input: Tensor,
        src: Tensor,
    ) -> Tensor:
        return copy_to(
            input,
            src,
            self.non_blocking,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"non_blocking={self.non_blocking}",
            ]
        )
