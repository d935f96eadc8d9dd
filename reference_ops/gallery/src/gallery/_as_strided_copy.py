"""aten::as_strided_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::as_strided_copy.default",
    existing="aten::as_strided_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="as_strided_copy",
    doc="The operator aten::as_strided_copy.",
    spec="sha256:e192a7d75a0575b37df3075659defb5f25608841b073e56ad6e1568c2d3666f1",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.as_strided_copy.default


@_onnxop.script.scripted(OP)
def as_strided_copy(
    self: Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None = None,
) -> Tensor:
    """The operator aten::as_strided_copy.

    Args:
        self: a tensor.
        size: integers.
        stride: integers.
        storage_offset: an integer or None; None by default.

    Returns:
        What PyTorch's aten::as_strided_copy returns.
    """
    result: Tensor = _operator(
        self,
        size,
        stride,
        storage_offset,
    )
    return result


class AsStridedCopy(torch.nn.Module):
    """`as_strided_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        size: Sequence[int],
        stride: Sequence[int],
        storage_offset: int | None = None,
    ) -> None:
        super().__init__()
        self.size = size
        self.stride = stride
        self.storage_offset = storage_offset

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return as_strided_copy(
            input,
            self.size,
            self.stride,
            self.storage_offset,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"size={self.size}",
                f"stride={self.stride}",
                f"storage_offset={self.storage_offset}",
            ]
        )
