"""aten::expand_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::expand_copy.default",
    existing="aten::expand_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="expand_copy",
    doc="The operator aten::expand_copy.",
    spec="sha256:15ff1e32b3e07cda81f4a91779acd352aa8c8875822bd05c97dc3ce9bcfa892a",
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
