"""aten::sinc: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::sinc.default",
    existing="aten::sinc.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="sinc",
    doc="The operator aten::sinc.",
    spec="sha256:7d9493919783aaae623ea16632508a124590da833b9e74bd7125cbe8856c69eb",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.sinc.default


@_onnxop.script.scripted(OP)
def sinc(
    self: Tensor,
) -> Tensor:
    """The operator aten::sinc.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::sinc returns.
    """
    result: Tensor = _operator(
        self,
    )
    return result


class Sinc(torch.nn.Module):
    """`sinc` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return sinc(
            input,
        )
