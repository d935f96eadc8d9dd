"""aten::svd: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::svd.default",
    existing="aten::svd.default",
    results=[
        "U",
        "S",
        "V",
    ],
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="svd",
    doc="The operator aten::svd.",
    spec="sha256:267d5dd496b2dfd7b93f328c80d4d0392c0f08fcb9cbfaca672fe53c9ef62da5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.svd.default


@_onnxop.script.scripted(OP)
def svd(
    self: Tensor,
    some: bool = True,
    compute_uv: bool = True,
) -> tuple[Tensor, Tensor, Tensor]:
    """The operator aten::svd.

    Args:
        self: a tensor.
        some: a boolean; True by default.
        compute_uv: a boolean; True by default.

    Returns:
        What PyTorch's aten::svd returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        self,
        some,
        compute_uv,
    )
    return result


class Svd(torch.nn.Module):
    """`svd` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        some: bool = True,
        compute_uv: bool = True,
    ) -> None:
        super().__init__()
        self.some = some
        self.compute_uv = compute_uv

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return svd(
            input,
            self.some,
            self.compute_uv,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"some={self.some}",
                f"compute_uv={self.compute_uv}",
            ]
        )
