"""aten::amax: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_13(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::amax in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_2 = self
    else:
        result_2 = op.ReduceMax(
            self,
            axes=dim if len(dim) > 0 else range(op.rank(self)),
            keepdims=int(keepdim),
        )
    return op.Identity(result_2)


def rule_18(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::amax in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        result_2 = self
    else:
        result_2 = op.ReduceMax(
            self,
            op.constant(dim if len(dim) > 0 else range(op.rank(self)), like="INT64"),
            keepdims=int(keepdim),
        )
    return op.Identity(result_2)


OP = _onnxop.Operator(
    name="aten::amax.default",
    existing="aten::amax.default",
    rules={
        range(13, 18): rule_13,
        range(18, 26): rule_18,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="amax",
    doc="The operator aten::amax.",
    spec="sha256:2775ed56ba11280506914e7f314f5bc38b9841ebb46a6c0acbbabc98691992b3",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.amax.default


def amax(
    self: Tensor,
    dim: Sequence[int] = (),
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::amax.

    Args:
        self: a tensor.
        dim: 1 integers; () by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::amax returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class Amax(torch.nn.Module):
    """`amax` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: Sequence[int] = (),
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return amax(
            input,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
