"""aten::grid_sampler_2d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule_16(
    op: Any,
    input: Any,
    grid: Any,
    interpolation_mode: Any,
    padding_mode: Any,
    align_corners: Any,
) -> Any:
    """aten::grid_sampler_2d in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.GridSample(
        input,
        grid,
        align_corners=1 if align_corners else 0,
        mode="bilinear" if interpolation_mode == 0 else "nearest" if interpolation_mode == 1 else "bicubic",
        padding_mode="zeros" if padding_mode == 0 else "border" if padding_mode == 1 else "reflection",
    )  # fmt: skip


def rule_20(
    op: Any,
    input: Any,
    grid: Any,
    interpolation_mode: Any,
    padding_mode: Any,
    align_corners: Any,
) -> Any:
    """aten::grid_sampler_2d in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.GridSample(
        input,
        grid,
        align_corners=1 if align_corners else 0,
        mode="linear" if interpolation_mode == 0 else "nearest" if interpolation_mode == 1 else "cubic",
        padding_mode="zeros" if padding_mode == 0 else "border" if padding_mode == 1 else "reflection",
    )  # fmt: skip


OP = _onnxop.Operator(
    name="aten::grid_sampler_2d.default",
    existing="aten::grid_sampler_2d.default",
    rules={
        range(16, 20): rule_16,
        range(20, 26): rule_20,
    },
    torchscript=range(16, 24),
    dynamo=range(0),
    dynamo_opset=16,
    domain="gallery",
    op_type="grid_sampler_2d",
    doc="The operator aten::grid_sampler_2d.",
    spec="sha256:45f8c4a45804fa8dcf8fdf89bca00f98e9b8799f81651bdd654d64684b0a3a6f",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.grid_sampler_2d.default


@_onnxop.script.scripted(OP)
def grid_sampler_2d(
    input: Tensor,
    grid: Tensor,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> Tensor:
    """The operator aten::grid_sampler_2d.

    Args:
        input: a tensor.
        grid: a tensor.
        interpolation_mode: an integer.
        padding_mode: an integer.
        align_corners: a boolean.

    Returns:
        What PyTorch's aten::grid_sampler_2d returns.
    """
    result: Tensor = _operator(
        input,
        grid,
        interpolation_mode,
        padding_mode,
        align_corners,
    )
    return result


class GridSampler2d(torch.nn.Module):
    """`grid_sampler_2d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        interpolation_mode: int,
        padding_mode: int,
        align_corners: bool,
    ) -> None:
        super().__init__()
        self.interpolation_mode = interpolation_mode
        self.padding_mode = padding_mode
        self.align_corners = align_corners

    def forward(
        self,
        input: Tensor,
        grid: Tensor,
    ) -> Tensor:
        return grid_sampler_2d(
            input,
            grid,
            self.interpolation_mode,
            self.padding_mode,
            self.align_corners,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"interpolation_mode={self.interpolation_mode}",
                f"padding_mode={self.padding_mode}",
                f"align_corners={self.align_corners}",
            ]
        )
