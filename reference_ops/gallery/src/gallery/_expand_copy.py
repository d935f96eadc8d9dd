"""aten::expand_copy: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, size: Any, implicit: Any) -> Any:
    """aten::expand_copy in ONNX; `op` writes the nodes for the exporter that asks."""
    abs = op.Abs(op.constant(size, like="INT64"))
    return op.Expand(self, abs)


OP = _onnxop.Operator(
    name="aten::expand_copy.default",
    existing="aten::expand_copy.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(0),
    dynamo_opset=13,
    domain="gallery",
    op_type="expand_copy",
    doc="The operator aten::expand_copy.",
    spec="sha256:91a0ebfbcfde29c57c9a78a7ebf1c9fc9e3c454a73e6600e875af6d27e5aef84",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.expand_copy.default


@_onnxop.script.scripted(OP)
def expand_copy(
    self: Tensor,
    size: Sequence[int],
    *,
    implicit: bool = False,
) -> Tensor:
    """The operator aten::expand_copy.

    Args:
        self: a tensor.
        size: integers.
        implicit: a boolean; False by default.

    Returns:
        What PyTorch's aten::expand_copy returns.
    """
    result: Tensor = _operator(
        self,
        size,
        implicit=implicit,
    )
    return result


class ExpandCopy(torch.nn.Module):
    """`expand_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        size: Sequence[int],
        *,
        implicit: bool = False,
    ) -> None:
        super().__init__()
        self.size = size
        self.implicit = implicit

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return expand_copy(
            input,
            self.size,
            implicit=self.implicit,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"size={self.size}",
                f"implicit={self.implicit}",
            ]
        )
