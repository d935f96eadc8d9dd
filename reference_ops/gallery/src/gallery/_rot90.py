"""aten::rot90: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::rot90.default",
    existing="aten::rot90.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="rot90",
    doc="The operator aten::rot90.",
    spec="sha256:af4eb5f8226cebabc9a26d8515eb0b09306c5d005a735f6acfd70821b90546ff",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.rot90.default


@_onnxop.script.scripted(OP)
def rot90(
    self: Tensor,
    k: int = 1,
    dims: Sequence[int] = (0, 1),
) -> Tensor:
    """The operator aten::rot90.

    Args:
        self: a tensor.
        k: an integer; 1 by default.
        dims: integers; (0, 1) by default.

    Returns:
        What PyTorch's aten::rot90 returns.
    """
    result: Tensor = _operator(
        self,
        k,
        dims,
    )
    return result


class Rot90(torch.nn.Module):
    """`rot90` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        k: int = 1,
        dims: Sequence[int] = (0, 1),
    ) -> None:
        super().__init__()
        self.k = k
        self.dims = dims

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return rot90(
            input,
            self.k,
            self.dims,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"k={self.k}",
                f"dims={self.dims}",
            ]
        )
