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
        bounds = op.GatherElements(sorted_sequence, sorter, axis=-1)
    else:
        bounds = op.Identity(sorted_sequence)
    value = op.CastLike(op.constant(self, like="FLOAT"), bounds)
    if right or side is not None and side == "right":
        behind = op.Greater(bounds, value)
    else:
        behind = op.GreaterOrEqual(bounds, value)
    not_2 = op.Not(behind)
    cast = op.Cast(not_2, to=6 if out_int32 else 7)
    return op.ReduceSum(cast, keepdims=0)


OP = _onnxop.Operator(
    name="aten::searchsorted.Scalar",
    called="searchsorted_scalar",
    existing="aten::searchsorted.Scalar",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="searchsorted_scalar",
    doc="The operator aten::searchsorted.Scalar.",
    spec="sha256:90fe0a6381cc3c85d47bd51664da2d95b21a0bb74ad9a05050e01c77d0cf5757",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.searchsorted.Scalar


@_onnxop.script.scripted(OP)
def searchsorted_scalar(
    sorted_sequence: Tensor,
    self: float,
    *,
    out_int32: bool = False,
    right: bool = False,
    side: str | None = None,
    sorter: Tensor | None = None,
) -> Tensor:
    """The operator aten::searchsorted.Scalar.

    Args:
        sorted_sequence: a tensor.
        self: a number.
        out_int32: a boolean; False by default.
        right: a boolean; False by default.
        side: a string or None; None by default.
        sorter: a tensor or None; None by default.

    Returns:
        What PyTorch's aten::searchsorted returns.
    """
    result: Tensor = _operator(
        sorted_sequence,
        _onnxop.number(self),
        out_int32=out_int32,
        right=right,
        side=side,
        sorter=sorter,
    )
    return result


class SearchsortedScalar(torch.nn.Module):
    """`searchsorted_scalar` as a module; what is no tensor is fixed."""

    def __init__(
        self_,
        self: float,
        *,
        out_int32: bool = False,
        right: bool = False,
        side: str | None = None,
    ) -> None:
        super().__init__()
        self_.self_ = self
        self_.out_int32 = out_int32
        self_.right = right
        self_.side = side

    def forward(
        self,
        sorted_sequence: Tensor,
        sorter: Tensor | None = None,
    ) -> Tensor:
        return searchsorted_scalar(
            sorted_sequence,
            self.self_,
            out_int32=self.out_int32,
            right=self.right,
            side=self.side,
            sorter=sorter,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"self={self.self_}",
                f"out_int32={self.out_int32}",
                f"right={self.right}",
                f"side={self.side}",
            ]
        )
