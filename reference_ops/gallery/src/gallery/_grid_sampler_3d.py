"""aten::grid_sampler_3d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(
    op: Any,
    input: Any,
    grid: Any,
    interpolation_mode: Any,
    padding_mode: Any,
    align_corners: Any,
) -> Any:
    """aten::grid_sampler_3d in ONNX; `op` writes the nodes for the exporter that asks."""
    return op.GridSample(
        input,
        grid,
        mode="linear" if interpolation_mode == 0 else "nearest",
        padding_mode="zeros" if padding_mode == 0 else "border" if padding_mode == 1 else "reflection",
        align_corners=int(align_corners),
    )  # fmt: skip


OP = _onnxop.Operator(
    name="aten::grid_sampler_3d.default",
    existing="aten::grid_sampler_3d.default",
    rules={
        range(20, 26): rule,
    },
    torchscript=range(20, 24),
    dynamo=range(20, 26),
    dynamo_opset=20,
    domain="gallery",
    op_type="grid_sampler_3d",
    doc="The operator aten::grid_sampler_3d.",
    spec="sha256:30bdcd8c347da8ef520e3319a19b9e8360f32b0c79638add23ff1d921cc3eb60",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.grid_sampler_3d.default


@_onnxop.script.scripted(OP)
def grid_sampler_3d(
    input: Tensor,
    grid: Tensor,
    interpolation_mode: int,
    padding_mode: int,
    align_corners: bool,
) -> Tensor:
    """The operator aten::grid_sampler_3d.

    Args:
        input: a tensor.
        grid: a tensor.
        interpolation_mode: an integer.
        padding_mode: an integer.
        align_corners: a boolean.

    Returns:
        What PyTorch's aten::grid_sampler_3d returns.
    """
    result: Tensor = _operator(
        input,
        grid,
        interpolation_mode,
        padding_mode,
        align_corners,
    )
    return result


class GridSampler3d(torch.nn.Module):
    """`grid_sampler_3d` as a module; what is no tensor is fixed."""

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
        return grid_sampler_3d(
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
