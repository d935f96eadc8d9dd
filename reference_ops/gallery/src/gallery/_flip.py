"""aten::flip: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dims: Any) -> Any:
    """aten::flip in ONNX; `op` writes the nodes for the exporter that asks."""
    if len(dims) == 0:
        result_2 = self
    else:
        result_2 = op.Slice(
            self,
            op.constant([-1] * len(dims), like="INT64"),
            op.constant([-9223372036854775807] * len(dims), like="INT64"),
            op.constant(dims, like="INT64"),
            op.constant([-1] * len(dims), like="INT64"),
        )
    return op.Identity(result_2)


OP = _onnxop.Operator(
    name="aten::flip.default",
    existing="aten::flip.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="flip",
    doc="The operator aten::flip.",
    spec="sha256:82a5af189122e143137209967a033e29a6c3b0c69f5125b7918a15674ae857b4",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.flip.default


@_onnxop.script.scripted(OP)
def flip(
    self: Tensor,
    dims: Sequence[int],
) -> Tensor:
    """The operator aten::flip.

    Args:
        self: a tensor.
        dims: integers.

    Returns:
        What PyTorch's aten::flip returns.
    """
    result: Tensor = _operator(
        self,
        dims,
    )
    return result


class Flip(torch.nn.Module):
    """`flip` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dims: Sequence[int],
    ) -> None:
        super().__init__()
        self.dims = dims

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return flip(
            input,
            self.dims,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dims={self.dims}",
            ]
        )
