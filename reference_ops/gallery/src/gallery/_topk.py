"""aten::topk: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    self: Any,
    k: Any,
    dim: Any,
    largest: Any,
    sorted: Any,
) -> Any:
    """aten::topk in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        indices = op.Constant(value_int=0)
        result, result_2 = self, indices
    else:
        result, result_2 = op.TopK(
            self,
            op.constant([k], like="INT64"),
            axis=dim,
            largest=1 if largest else 0,
            sorted=1 if sorted else 0,
            _outputs=2,
        )
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::topk.default",
    existing="aten::topk.default",
    results=[
        "values",
        "indices",
    ],
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="topk",
    doc="The operator aten::topk.",
    spec="sha256:d1f3675e811a8edd44b12ed0a6fa3d5893c4e0ad097ee2ef005f14b29e866292",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.topk.default


@_onnxop.script.scripted(OP)
def topk(
    self: Tensor,
    k: int,
    dim: int = -1,
    largest: bool = True,
    sorted: bool = True,
) -> tuple[Tensor, Tensor]:
    """The operator aten::topk.

    Args:
        self: a tensor.
        k: an integer.
        dim: an integer; -1 by default.
        largest: a boolean; True by default.
        sorted: a boolean; True by default.

    Returns:
        What PyTorch's aten::topk returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        k,
        dim,
        largest,
        sorted,
    )
    return result


class Topk(torch.nn.Module):
    """`topk` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        k: int,
        dim: int = -1,
        largest: bool = True,
        sorted: bool = True,
    ) -> None:
        super().__init__()
        self.k = k
        self.dim = dim
        self.largest = largest
        self.sorted = sorted

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return topk(
            input,
            self.k,
            self.dim,
            self.largest,
            self.sorted,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"k={self.k}",
                f"dim={self.dim}",
                f"largest={self.largest}",
                f"sorted={self.sorted}",
            ]
        )
