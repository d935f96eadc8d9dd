"""aten::sum_to_size: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, size: Any) -> Any:
    """aten::sum_to_size in ONNX; `op` writes the nodes for the exporter that asks."""
    found = op.Identity(self)
    found_2 = found
    for d in range(op.rank(self) - len(size)):
        found_3 = op.ReduceSum(found_2, op.constant([0], like="INT64"), keepdims=0)
        found_2 = found_3
    found_4 = found_2
    for d_2 in range(len(size)):
        if size[d_2] == 1:
            found_5 = op.ReduceSum(found_4, op.constant([d_2], like="INT64"), keepdims=1)
        else:
            found_5 = op.Identity(found_4)
        found_4 = found_5
    return found_4


OP = _onnxop.Operator(
    name="aten::sum_to_size.default",
    existing="aten::sum_to_size.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(0),
    dynamo_opset=13,
    domain="gallery",
    op_type="sum_to_size",
    doc="The operator aten::sum_to_size.",
    spec="sha256:d341863cf4ad1ab495344b76350d5ccdd40ba2923e84f8ada70eb570fbbf88da",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.sum_to_size.default


@_onnxop.script.scripted(OP)
def sum_to_size(
    self: Tensor,
    size: Sequence[int],
) -> Tensor:
    """The operator aten::sum_to_size.

    Args:
        self: a tensor.
        size: integers.

    Returns:
        What PyTorch's aten::sum_to_size returns.
    """
    result: Tensor = _operator(
        self,
        size,
    )
    return result


class SumToSize(torch.nn.Module):
    """`sum_to_size` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        size: Sequence[int],
    ) -> None:
        super().__init__()
        self.size = size

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return sum_to_size(
            input,
            self.size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"size={self.size}",
            ]
        )
