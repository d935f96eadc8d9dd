"""aten::view_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::view_copy.default",
    existing="aten::view_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="view_copy",
    doc="The operator aten::view_copy.",
    spec="sha256:62b3de856fa39439645e30efc917c43de274770e55046a20b7d1909d18b81d99",
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
