"""aten::count_nonzero: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::count_nonzero.default",
    existing="aten::count_nonzero.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="count_nonzero",
    doc="The operator aten::count_nonzero.",
    spec="sha256:9a469ad53e9ec6760b50697a61b8b5174cc7541a1425695c3268cc99f5fe9e83",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.count_nonzero.default


@_onnxop.script.scripted(OP)
def count_nonzero(
    self: Tensor,
    dim: int | None = None,
) -> Tensor:
    """The operator aten::count_nonzero.

    Args:
        self: a tensor.
        dim: an integer or None; None by default.

    Returns:
        What PyTorch's aten::count_nonzero returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class CountNonzero(torch.nn.Module):
    """`count_nonzero` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return count_nonzero(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
