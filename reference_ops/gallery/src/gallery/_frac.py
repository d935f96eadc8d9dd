"""aten::frac: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::frac.default",
    existing="aten::frac.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="frac",
    doc="The operator aten::frac.",
    spec="sha256:ffd82b38a41af9f8fa330aed97762d6d7c458f6da1ff35080a32ebe6b484bfdb",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.frac.default


@_onnxop.script.scripted(OP)
def frac(
    self: Tensor,
) -> Tensor:
    """The operator aten::frac.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::frac returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Frac(torch.nn.Module):
    """`frac` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return frac(
            input,
        )
