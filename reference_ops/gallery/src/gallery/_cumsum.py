"""aten::cumsum: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, dtype: Any) -> Any:
    """aten::cumsum in ONNX; `op` writes the nodes for the exporter that asks."""
    if dtype is not None:
        x = op.Cast(self, to=dtype)
    else:
        x = op.Identity(self)
    if op.rank(self) > 0:
        result = op.CumSum(x, op.constant(dim, like="INT64"))
    else:
        result = x
    return result


OP = _onnxop.Operator(
    name="aten::cumsum.default",
    existing="aten::cumsum.default",
    rules={
        range(14, 26): rule,
    },
    torchscript=range(14, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="cumsum",
    doc="The operator aten::cumsum.",
    spec="sha256:292ac8dba72dff625a615fa4b23a9f6bc13f2be6da9358d49d45d7fb1a5c9c42",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.cumsum.default


@_onnxop.script.scripted(OP)
def cumsum(
    self: Tensor,
    dim: int,
    *,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The operator aten::cumsum.

    Args:
        self: a tensor.
        dim: an integer.
        dtype: a dtype or None; None by default.

    Returns:
        What PyTorch's aten::cumsum returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        dtype=dtype,
    )
    return result


class Cumsum(torch.nn.Module):
    """`cumsum` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        *,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.dtype = dtype

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return cumsum(
            input,
            self.dim,
            dtype=self.dtype,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"dtype={self.dtype}",
            ]
        )
