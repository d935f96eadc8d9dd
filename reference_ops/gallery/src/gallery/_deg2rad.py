"""aten::deg2rad: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::deg2rad.default",
    existing="aten::deg2rad.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="deg2rad",
    doc="The operator aten::deg2rad.",
    spec="sha256:1da49cdf5fe9f7942107ced9d876eba8e7a23e7dfa50ea01594b8738106cfef0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.deg2rad.default


@_onnxop.script.scripted(OP)
def deg2rad(
    self: Tensor,
) -> Tensor:
    """The operator aten::deg2rad.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::deg2rad returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Deg2rad(torch.nn.Module):
    """`deg2rad` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return deg2rad(
            input,
        )
