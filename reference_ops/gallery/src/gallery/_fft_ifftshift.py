"""aten::fft_ifftshift: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any) -> Any:
    """aten::fft_ifftshift in ONNX; `op` writes the nodes for the exporter that asks."""
    x = op.Identity(self)
    x_2 = x
    for d in dim if dim is not None else list(range(op.rank(self))):
        shape = op.Shape(self)
        size = op.Slice(
            shape,
            op.constant([d % op.rank(self)], like="INT64"),
            op.constant([d % op.rank(self) + 1], like="INT64"),
            op.constant([0], like="INT64"),
        )
        middle = op.Div(size, op.constant(2, like="INT64"))
        squeeze = op.Squeeze(size, op.constant([0], like="INT64"))
        range_2 = op.Range(op.constant(0, like="INT64"), squeeze, op.constant(1, like="INT64"))
        add = op.Add(range_2, middle)
        place = op.Mod(add, size)
        x_3 = op.Gather(x_2, place, axis=d % op.rank(self))
        x_2 = x_3
    return x_2


OP = _onnxop.Operator(
    name="aten::fft_ifftshift.default",
    existing="aten::fft_ifftshift.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="fft_ifftshift",
    doc="The operator aten::fft_ifftshift.",
    spec="sha256:e2f73dc430a5d8fc7959cd438919e3ced3eea47bbdc20a1f0e20d81c00aa9fa6",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.fft_ifftshift.default


@_onnxop.script.scripted(OP)
def fft_ifftshift(
    self: Tensor,
    dim: Sequence[int] | None = None,
) -> Tensor:
    """The operator aten::fft_ifftshift.

    Args:
        self: a tensor.
        dim: 1 integers or None; None by default.

    Returns:
        What PyTorch's aten::fft_ifftshift returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class FftIfftshift(torch.nn.Module):
    """`fft_ifftshift` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return fft_ifftshift(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
