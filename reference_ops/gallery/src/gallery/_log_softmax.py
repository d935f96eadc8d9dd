"""aten::log_softmax: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, dtype: Any) -> Any:
    """aten::log_softmax in ONNX; `op` writes the nodes for the exporter that asks."""
    if dtype is not None:
        x = op.Cast(self, to=dtype)
    else:
        x = op.Identity(self)
    if op.rank(self) > 0:
        result_3 = op.LogSoftmax(x, axis=dim)
    else:
        reshape = op.Reshape(x, op.constant([1], like="INT64"))
        log_softmax = op.LogSoftmax(reshape, axis=0)
        result_3 = op.Reshape(log_softmax, op.constant([], like="INT64"))
    return result_3


OP = _onnxop.Operator(
    name="aten::log_softmax.int",
    existing="aten::log_softmax.int",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="log_softmax",
    doc="The operator aten::log_softmax.",
    spec="sha256:4d46eab46b0fae4c2a2c502cfe6165833bebedc327e7d076b481b3d520b900cb",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.log_softmax.int


@_onnxop.script.scripted(OP)
def log_softmax(
    self: Tensor,
    dim: int,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The operator aten::log_softmax.

    Args:
        self: a tensor.
        dim: an integer.
        dtype: a dtype or None; None by default.

    Returns:
        What PyTorch's aten::log_softmax returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        dtype,
    )
    return result


class LogSoftmax(torch.nn.Module):
    """`log_softmax` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.dtype = dtype

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return log_softmax(
            input,
            self.dim,
            self.dtype,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"dtype={self.dtype}",
            ]
        )
