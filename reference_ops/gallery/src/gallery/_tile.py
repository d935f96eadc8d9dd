"""aten::tile: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dims: Any) -> Any:
    """aten::tile in ONNX; `op` writes the nodes for the exporter that asks."""
    if max(len(dims) - op.rank(self), 0) > 0:
        x = op.Unsqueeze(
            self,
            op.constant(list(range(max(len(dims) - op.rank(self), 0))), like="INT64"),
        )
    else:
        x = op.Identity(self)
    return op.Tile(x, op.constant([1] * (op.rank(self) - len(dims)) + list(dims), like="INT64"))


OP = _onnxop.Operator(
    name="aten::tile.default",
    existing="aten::tile.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="tile",
    doc="The operator aten::tile.",
    spec="sha256:93798cb022353202ca8c27897661ac5a92128021456511a3373d8d4a646cf5be",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.tile.default


@_onnxop.script.scripted(OP)
def tile(
    self: Tensor,
    dims: Sequence[int],
) -> Tensor:
    """The operator aten::tile.

    Args:
        self: a tensor.
        dims: integers.

    Returns:
        What PyTorch's aten::tile returns.
    """
    result: Tensor = _operator(
        self,
        dims,
    )
    return result


class Tile(torch.nn.Module):
    """`tile` as a module; what is no tensor is fixed."""

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
        return tile(
            input,
            self.dims,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dims={self.dims}",
            ]
        )
