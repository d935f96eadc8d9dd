"""aten::softmax: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, dtype: Any) -> Any:
    """aten::softmax in ONNX; `op` writes the nodes for the exporter that asks."""
    if dtype is not None:
        x = op.Cast(self, to=dtype)
    else:
        x = op.Identity(self)
    if op.rank(self) > 0:
        result_3 = op.Softmax(x, axis=dim)
    else:
        reshape = op.Reshape(x, op.constant([1], like="INT64"))
        softmax = op.Softmax(reshape, axis=0)
        result_3 = op.Reshape(softmax, op.constant([], like="INT64"))
    return result_3


OP = _onnxop.Operator(
    name="aten::softmax.int",
    existing="aten::softmax.int",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="softmax",
    doc="The operator aten::softmax.",
    spec="sha256:3f3af8a25f9fa1687e0fb189ac20cb197d329c7100e1270a1aee7ac028929dfc",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.softmax.int


@_onnxop.script.scripted(OP)
def softmax(
    self: Tensor,
    dim: int,
    dtype: torch.dtype | None = None,
) -> Tensor:
    """The operator aten::softmax.

    Args:
        self: a tensor.
        dim: an integer.
        dtype: a dtype or None; None by default.

    Returns:
        What PyTorch's aten::softmax returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        dtype,
    )
    return result


class Softmax(torch.nn.Module):
    """`softmax` as a module; what is no tensor is fixed."""

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
        return softmax(
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
