"""aten::aminmax: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_13(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::aminmax in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        max = op.Identity(self)
        result, result_2 = self, max
    else:
        low = op.ReduceMin(
            self,
            axes=[dim] if dim is not None else range(op.rank(self)),
            keepdims=int(keepdim),
        )
        high = op.ReduceMax(
            self,
            axes=[dim] if dim is not None else range(op.rank(self)),
            keepdims=int(keepdim),
        )
        result, result_2 = low, high
    result_3 = op.Identity(result)
    return result_3, result_2


def rule_18(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::aminmax in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        max = op.Identity(self)
        result, result_2 = self, max
    else:
        low = op.ReduceMin(
            self,
            op.constant([dim] if dim is not None else range(op.rank(self)), like="INT64"),
            keepdims=int(keepdim),
        )
        high = op.ReduceMax(
            self,
            op.constant([dim] if dim is not None else range(op.rank(self)), like="INT64"),
            keepdims=int(keepdim),
        )
        result, result_2 = low, high
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::aminmax.default",
    existing="aten::aminmax.default",
    results=[
        "min",
        "max",
    ],
    rules={
        range(13, 18): rule_13,
        range(18, 26): rule_18,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="aminmax",
    doc="The operator aten::aminmax.",
    spec="sha256:e24fd401614e85d8d0c293c5df5e633f19bf3c51b76557e5b484559e10ca0b99",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.aminmax.default


def aminmax(
    self: Tensor,
    *,
    dim: int | None = None,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::aminmax.

    Args:
        self: a tensor.
        dim: an integer or None; None by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::aminmax returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        dim=dim,
        keepdim=keepdim,
    )
    return result


class Aminmax(torch.nn.Module):
    """`aminmax` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        dim: int | None = None,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return aminmax(
            input,
            dim=self.dim,
            keepdim=self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
