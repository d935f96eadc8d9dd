"""aten::fmin: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, other: Any) -> Any:
    """aten::fmin in ONNX; `op` writes the nodes for the exporter that asks."""
    is_na_n = op.IsNaN(self)
    is_na_n_2 = op.IsNaN(other)
    min = op.Min(self, other)
    where = op.Where(is_na_n_2, self, min)
    return op.Where(is_na_n, other, where)


OP = _onnxop.Operator(
    name="aten::fmin.default",
    existing="aten::fmin.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="fmin",
    doc="The operator aten::fmin.",
    spec="sha256:bdd53e7a371f5e454de93b6ff4807a5df49dfa8ae33769843e9f8473483cb5a3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fmin.default


@_onnxop.script.scripted(OP)
def fmin(
    self: Tensor,
    other: Tensor,
) -> Tensor:
    """The operator aten::fmin.

    Args:
        self: a tensor.
        other: a tensor.

    Returns:
        What PyTorch's aten::fmin returns.
    """
    result: Tensor = _operator(
        self,
        other,
    )
    return result


class Fmin(torch.nn.Module):
    """`fmin` as a module."""

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return fmin(
            input,
            other,
        )
