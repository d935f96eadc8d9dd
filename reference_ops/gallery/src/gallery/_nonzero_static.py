"""aten::nonzero_static: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, size: Any, fill_value: Any) -> Any:
    """aten::nonzero_static in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        constant_of_shape = op.ConstantOfShape(op.constant([size, 0], like="INT64"))
        result_3 = op.Cast(constant_of_shape, to=7)
    else:
        non_zero = op.NonZero(self)
        found = op.Transpose(non_zero, perm=[1, 0])
        filled = op.Expand(
            op.constant(fill_value, like="INT64"),
            op.constant([size, op.rank(self)], like="INT64"),
        )
        concat = op.Concat(found, filled, axis=0)
        result_3 = op.Slice(
            concat,
            op.constant([0], like="INT64"),
            op.constant([size], like="INT64"),
            op.constant([0], like="INT64"),
        )
    return result_3


OP = _onnxop.Operator(
    name="aten::nonzero_static.default",
    existing="aten::nonzero_static.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="nonzero_static",
    doc="The operator aten::nonzero_static.",
    spec="sha256:5727b6d50fd0d0ef56dce24e3d5b238dee42e3e5fabfa2a74b451b872204c9e0",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nonzero_static.default


@_onnxop.script.scripted(OP)
def nonzero_static(
    self: Tensor,
    *,
    size: int,
    fill_value: int = -1,
) -> Tensor:
    """The operator aten::nonzero_static.

    Args:
        self: a tensor.
        size: an integer.
        fill_value: an integer; -1 by default.

    Returns:
        What PyTorch's aten::nonzero_static returns.
    """
    result: Tensor = _operator(
        self,
        size=size,
        fill_value=fill_value,
    )
    return result


class NonzeroStatic(torch.nn.Module):
    """`nonzero_static` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        size: int,
        fill_value: int = -1,
    ) -> None:
        super().__init__()
        self.size = size
        self.fill_value = fill_value

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return nonzero_static(
            input,
            size=self.size,
            fill_value=self.fill_value,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"size={self.size}",
                f"fill_value={self.fill_value}",
            ]
        )
