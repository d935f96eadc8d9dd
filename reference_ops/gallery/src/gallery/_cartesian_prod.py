"""aten::cartesian_prod: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::cartesian_prod.default",
    existing="aten::cartesian_prod.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="cartesian_prod",
    doc="The operator aten::cartesian_prod.",
    spec="sha256:e95193d0cb29123e95268349d60976dbcdae41ddc67d7136b22755b20b341a19",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cartesian_prod.default


@_onnxop.script.scripted(OP)
def cartesian_prod(
    tensors: Sequence[Tensor],
) -> Tensor:
    """The operator aten::cartesian_prod.

    Args:
        tensors: a list of tensors.

    Returns:
        What PyTorch's aten::cartesian_prod returns.
    """
    result: Tensor = _operator(
        tensors,
    )
    return result


class CartesianProd(torch.nn.Module):
    """`cartesian_prod` as a module."""

    def forward(
        self,
        tensors: list[Tensor],
    ) -> Tensor:
        return cartesian_prod(
            tensors,
        )
