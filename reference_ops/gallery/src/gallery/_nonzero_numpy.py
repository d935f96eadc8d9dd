"""aten::nonzero_numpy: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any) -> Any:
    """aten::nonzero_numpy in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) > 0:
        chosen = self
    else:
        chosen = op.Reshape(self, op.constant([1], like="INT64"))
    places = op.NonZero(chosen)
    result = []
    for d in range(max(op.rank(self), 1)):
        gather = op.Gather(places, op.constant(d, like="INT64"), axis=0)
        result.append(gather)
    return result


OP = _onnxop.Operator(
    name="aten::nonzero_numpy.default",
    existing="aten::nonzero_numpy.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(0),
    dynamo_opset=13,
    domain="gallery",
    op_type="nonzero_numpy",
    doc="The operator aten::nonzero_numpy.",
    spec="sha256:db13ce7ccd0be5c53e271e28ce671e5618272ac706188edba171d69cb03032fd",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.nonzero_numpy.default


@_onnxop.script.scripted(OP)
def nonzero_numpy(
    self: Tensor,
) -> list[Tensor]:
    """The operator aten::nonzero_numpy.

    Args:
        self: a tensor.

    Returns:
        What PyTorch's aten::nonzero_numpy returns.
    """
    result: list[Tensor] = _operator(
        self,
    )
    return result


class NonzeroNumpy(torch.nn.Module):
    """`nonzero_numpy` as a module."""

    def forward(
        self,
        input: Tensor,
    ) -> list[Tensor]:
        return nonzero_numpy(
            input,
        )
