"""aten::searchsorted: the operator in PyTorch, its gradients, and its rule for ONNX."""

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
        before = op.LessOrEqual(line, value)
    else:
        before = op.Less(line, value)
    cast = op.Cast(before, to=6 if out_int32 else 7)
    return op.ReduceSum(cast, op.constant([-1], like="INT64"), keepdims=0)


OP = _onnxop.Operator(
    name="aten::searchsorted.Tensor",
    existing="aten::searchsorted.Tensor",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="searchsorted",
    doc="The operator aten::searchsorted.",
    spec="sha256:a15da7ed0cbdfda6dd5a03d18260dd319a4b0ecd2f44a6fd5bce1845fffd7f1e",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.searchsorted.Tensor


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
