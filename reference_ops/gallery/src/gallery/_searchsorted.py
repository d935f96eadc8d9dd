"""aten::searchsorted: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    sorted_sequence: Any,
    self: Any,
    out_int32: Any,
    right: Any,
    side: Any,
    sorter: Any,
) -> Any:
    """aten::searchsorted in ONNX; `op` writes the nodes for the exporter that asks."""
    if sorter is not None:
        bounds_3 = op.GatherElements(sorted_sequence, sorter, axis=-1)
    else:
        bounds_3 = op.Identity(sorted_sequence)
    if op.rank(sorted_sequence) > 1:
        line = op.Unsqueeze(bounds_3, op.constant([-2], like="INT64"))
    else:
        line = op.Identity(bounds_3)
    value = op.Unsqueeze(self, op.constant([-1], like="INT64"))
    if right or side is not None and side == "right":
        behind = op.Greater(line, value)
    else:
        behind = op.GreaterOrEqual(line, value)
    not_2 = op.Not(behind)
    cast = op.Cast(not_2, to=6 if out_int32 else 7)
    counts = op.ReduceSum(cast, op.constant([-1], like="INT64"), keepdims=1)
    slice = op.Slice(
        counts,
        op.constant([0], like="INT64"),
        op.constant([1], like="INT64"),
        op.constant([-1], like="INT64"),
    )
    shape = op.Shape(self)
    return op.Reshape(slice, shape, allowzero=1)


OP = _onnxop.Operator(
    name="aten::searchsorted.Tensor",
    existing="aten::searchsorted.Tensor",
    rules={
        range(16, 26): rule,
    },
    torchscript=range(16, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="searchsorted",
    doc="The operator aten::searchsorted.",
    spec="sha256:0ec6fe66d39ffd47cbf78c75d947226152d10a1a09806bce3df5a4fe15a9711f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.searchsorted.Tensor


@_onnxop.script.scripted(OP)
def searchsorted(
    sorted_sequence: Tensor,
    self: Tensor,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """The operator aten::searchsorted.

    Args:
        sorted_sequence: a tensor.
        self: a tensor.
        out_int32: a boolean; False by default.
        right: a boolean; False by default.
        side: a string or None; None by default.
        sorter: a tensor or None; None by default.

    Returns:
        What PyTorch's aten::searchsorted returns.
    """
    result: Tensor = _operator(
        sorted_sequence,
        self,
        out_int32=out_int32,
        right=right,
        side=side,
        sorter=sorter,
    )
    return result


class Searchsorted(torch.nn.Module):
    """`searchsorted` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        out_int32: bool = False,
        right: bool = False,
        side: str | None = None,
    ) -> None:
        super().__init__()
        self.out_int32 = out_int32
        self.right = right
        self.side = side

    def forward(
        self,
        sorted_sequence: Tensor,
        input: Tensor,
        sorter: Tensor | None = None,
    ) -> Tensor:
        return searchsorted(
            sorted_sequence,
            input,
            out_int32=self.out_int32,
            right=self.right,
            side=self.side,
            sorter=sorter,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"out_int32={self.out_int32}",
                f"right={self.right}",
                f"side={self.side}",
            ]
        )
