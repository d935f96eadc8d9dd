"""aten::masked_scatter: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::masked_scatter.default",
    existing="aten::masked_scatter.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="masked_scatter",
    doc="The operator aten::masked_scatter.",
    spec="sha256:a658b2edaaf712aa72d6454e26e36835c0f459343a61cc33f8eb28095324d2db",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.masked_scatter.default


@_onnxop.script.scripted(OP)
def masked_scatter(
    self: Tensor,
    mask: Tensor,
    source: Tensor,
) -> Tensor:
    """The operator aten::masked_scatter.

    Args:
        self: a tensor.
        mask: a tensor.
        source: a tensor.

    Returns:
        What PyTorch's aten::masked_scatter returns.
    """
    result: Tensor = _operator(
        self,
        mask,
        source,
    )
    return result


class MaskedScatter(torch.nn.Module):
    """`masked_scatter` as a module."""

    def forward(
        self,
        input: Tensor,
        mask: Tensor,
        source: Tensor,
    ) -> Tensor:
        return masked_scatter(
            input,
            mask,
            source,
        )
