"""aten::fmax: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::fmax in ONNX; `op` writes the nodes for the exporter that asks."""
    is_na_n = op.IsNaN(self)
    is_na_n_2 = op.IsNaN(other)
    max = op.Max(self, other)
    where = op.Where(is_na_n_2, self, max)
    return op.Where(is_na_n, other, where)


OP = _onnxop.Operator(
    name="aten::fmax.default",
    existing="aten::fmax.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="fmax",
    doc="The operator aten::fmax.",
    spec="sha256:00edac1c95725613d57b93731c87c13b0a2c3452ce0829b43e9a1b4db76687a7",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fmax.default


@_onnxop.script.scripted(OP)
def fmax(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::fmax.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::fmax returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Fmax(torch.nn.Module):
    """`fmax` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return fmax(
            input,
            other,
        )
