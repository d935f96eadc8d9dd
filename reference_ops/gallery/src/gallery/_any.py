"""aten::any: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::any.default",
    existing="aten::any.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="any",
    doc="The operator aten::any.",
    spec="sha256:ef2c6eca03e68f8b1a951d97483e009b14df2f7fd012f2470e5bd6e907f7bba5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.any.default


@_onnxop.script.scripted(OP)
def any(
    self: Tensor,
) -> Tensor:
    """The operator aten::any.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::any returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class AnyOp(torch.nn.Module):
    """`any` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return any(
            input,
        )
