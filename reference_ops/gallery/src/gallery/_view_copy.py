"""aten::view_copy: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, size: Any) -> Any:
    """aten::view_copy in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.Reshape(self, op.constant(size, like="INT64"), allowzero=1)


OP = _onnxop.Operator(
    name="aten::view_copy.default",
    existing="aten::view_copy.default",
    rules={
        range(14, 26): rule,
    },
    torchscript=range(14, 24),
    dynamo=range(0),
    dynamo_opset=14,
    domain="gallery",
    op_type="view_copy",
    doc="The operator aten::view_copy.",
    spec="sha256:0185ac136a3422e5ff727a5af298fd8b203d2adde6b5677e08b4a9ff135bf48d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.view_copy.default


@_onnxop.script.scripted(OP)
def view_copy(
    self: Tensor,
    size: Sequence[int],
) -> Tensor:
    """The operator aten::view_copy.

    Args:
        self: a tensor.
        size: integers.

    Returns:
        What PyTorch's aten::view_copy returns.
    """
    result: Tensor = _operator(
        self,
        size,
    )
    return result


class ViewCopy(torch.nn.Module):
    """`view_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        size: Sequence[int],
    ) -> None:
        super().__init__()
        self.size = size

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return view_copy(
            input,
            self.size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"size={self.size}",
            ]
        )
