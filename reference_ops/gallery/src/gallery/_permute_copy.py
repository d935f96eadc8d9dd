"""aten::permute_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::permute_copy.default",
    existing="aten::permute_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="permute_copy",
    doc="The operator aten::permute_copy.",
    spec="sha256:09825699dfc8d795f3050a82be77aec5e3599674dbe0d587c1a4bc964c9ce606",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.permute_copy.default


@_onnxop.script.scripted(OP)
def permute_copy(
    self: Tensor,
    dims: Sequence[int],
) -> Tensor:
    """The operator aten::permute_copy.

    Args:
        self: a tensor.
        dims: integers.

    Returns:
        What PyTorch's aten::permute_copy returns.
    """
    result: Tensor = _operator(
        self,
        dims,
    )
    return result


class PermuteCopy(torch.nn.Module):
    """`permute_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dims: Sequence[int],
    ) -> None:
        super().__init__()
        self.dims = dims

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return permute_copy(
            input,
            self.dims,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dims={self.dims}",
            ]
        )
