"""aten::embedding: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    weight: Any,
    indices: Any,
    padding_idx: Any,
    scale_grad_by_freq: Any,
    sparse: Any,
) -> Any:
    """aten::embedding in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.Gather(weight, indices)


OP = _onnxop.Operator(
    name="aten::embedding.default",
    existing="aten::embedding.default",
    rules={
        range(9, 26): rule,
    },
    torchscript=range(9, 24),
    dynamo=range(0),
    dynamo_opset=9,
    domain="gallery",
    op_type="embedding",
    doc="The operator aten::embedding.",
    spec="sha256:b438fbe7637b5581320f738338c754220328a910a81eba94db3677e562eb07fb",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.embedding.default


@_onnxop.script.scripted(OP)
def embedding(
    weight: Tensor,
    indices: Tensor,
    padding_idx: int = -1,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """The operator aten::embedding.

    Args:
        weight: a tensor.
        indices: a tensor.
        padding_idx: an integer; -1 by default.
        scale_grad_by_freq: a boolean; False by default.
        sparse: a boolean; False by default.

    Returns:
        What PyTorch's aten::embedding returns.
    """
    result: Tensor = _operator(
        weight,
        indices,
        padding_idx,
        scale_grad_by_freq,
        sparse,
    )
    return result


class Embedding(torch.nn.Module):
    """`embedding` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        padding_idx: int = -1,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> None:
        super().__init__()
        self.padding_idx = padding_idx
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse

    def forward(
        self,
        weight: Tensor,
        indices: Tensor,
    ) -> Tensor:
        return embedding(
            weight,
            indices,
            self.padding_idx,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"padding_idx={self.padding_idx}",
                f"scale_grad_by_freq={self.scale_grad_by_freq}",
                f"sparse={self.sparse}",
            ]
        )
