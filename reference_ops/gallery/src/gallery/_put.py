"""aten::put: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, index: Any, source: Any, accumulate: Any) -> Any:
    """aten::put in ONNX; `op` writes the nodes for the exporter that asks."""
    flat = op.Reshape(self, op.constant([-1], like="INT64"))
    places = op.Reshape(index, op.constant([-1], like="INT64"))
    values = op.Reshape(source, op.constant([-1], like="INT64"))
    if accumulate:
        found_3 = op.ScatterElements(flat, places, values, reduction="add")
    else:
        found_3 = op.ScatterElements(flat, places, values)
    shape = op.Shape(self)
    return op.Reshape(found_3, shape)


OP = _onnxop.Operator(
    name="aten::put.default",
    existing="aten::put.default",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="put",
    doc="The operator aten::put.",
    spec="sha256:d25403a041437bf5b21caedfb488743e14a09025b8ab550ed8e502e943855c6f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.put.default


@_onnxop.script.scripted(OP)
def put(
    self: Tensor,
    index: Tensor,
    source: Tensor,
    accumulate: bool = False,
) -> Tensor:
    """The operator aten::put.

    Args:
        self: a tensor.
        index: a tensor.
        source: a tensor.
        accumulate: a boolean; False by default.

    Returns:
        What PyTorch's aten::put returns.
    """
    result: Tensor = _operator(
        self,
        index,
        source,
        accumulate,
    )
    return result


class Put(torch.nn.Module):
    """`put` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        accumulate: bool = False,
    ) -> None:
        super().__init__()
        self.accumulate = accumulate

    def forward(
        self,
        input: Tensor,
        index: Tensor,
        source: Tensor,
    ) -> Tensor:
        return put(
            input,
            index,
            source,
            self.accumulate,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"accumulate={self.accumulate}",
            ]
        )
