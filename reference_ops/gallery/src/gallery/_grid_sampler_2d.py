"""aten::grid_sampler_2d: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::grid_sampler_2d.default",
    existing="aten::grid_sampler_2d.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="grid_sampler_2d",
    doc="The operator aten::grid_sampler_2d.",
    spec="sha256:71ef2b1d4549cb8f6f74667410f1a090f38c14f0b31d5888597b99c55dbf7075",
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
