"""aten::diff: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::diff.default",
    existing="aten::diff.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="diff",
    doc="The operator aten::diff.",
    spec="sha256:1868951331725f38ca82cd7e0b6d68b3518d8c23356bc780a1360e7fa8869adf",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.diff.default


@_onnxop.script.scripted(OP)
def diff(
    self: Tensor,
    n: int = 1,
    dim: int = -1,
    prepend: Tensor | None = None,
    append: Tensor | None = None,
) -> Tensor:
    """The operator aten::diff.

    Args:
        self: a tensor.
        n: an integer; 1 by default.
        dim: an integer; -1 by default.
        prepend: a tensor or None; None by default.
        append: a tensor or None; None by default.

    Returns:
        What PyTorch's aten::diff returns.
    """
    result: Tensor = _operator(
        self,
        n,
        dim,
        prepend,
        append,
    )
    return result


class Diff(torch.nn.Module):
    """`diff` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        n: int = 1,
        dim: int = -1,
    ) -> None:
        super().__init__()
        self.n = n
        self.dim = dim

    def forward(
        self,
        input: Tensor,
        prepend: Tensor | None = None,
        append: Tensor | None = None,
    ) -> Tensor:
        return diff(
            input,
            self.n,
            self.dim,
            prepend,
            append,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"n={self.n}",
                f"dim={self.dim}",
            ]
        )
