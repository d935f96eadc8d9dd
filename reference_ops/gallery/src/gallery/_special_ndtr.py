"""aten::special_ndtr: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::special_ndtr.default",
    existing="aten::special_ndtr.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="special_ndtr",
    doc="The operator aten::special_ndtr.",
    spec="sha256:0d48a50dedf05a8f7a5791bf8cfd1af15f212527c78147bf68669517b1c3ff17",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_ndtr.default


@_onnxop.script.scripted(OP)
def special_ndtr(
    self: Tensor,
) -> Tensor:
    """The operator aten::special_ndtr.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::special_ndtr returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class SpecialNdtr(torch.nn.Module):
    """`special_ndtr` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return special_ndtr(
            input,
        )
