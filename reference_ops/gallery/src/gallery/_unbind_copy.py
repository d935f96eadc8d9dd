"""aten::unbind_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::unbind_copy.int",
    existing="aten::unbind_copy.int",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="unbind_copy",
    doc="The operator aten::unbind_copy.",
    spec="sha256:79e676bbd03c79527a136f24f96a3f7505f2e8d1ff535363a701134b1f39e8aa",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.unbind_copy.int


@_onnxop.script.scripted(OP)
def unbind_copy(
    self: Tensor,
    dim: int = 0,
) -> list[Tensor]:
    """The operator aten::unbind_copy.

    Args:
        self: a tensor.
        dim: an integer; 0 by default.

    Returns:
        What PyTorch's aten::unbind_copy returns.
    """
    result: list[Tensor] = _operator(
        self,
        dim,
    )
    return result


class UnbindCopy(torch.nn.Module):
    """`unbind_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int = 0,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> list[Tensor]:
        return unbind_copy(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
