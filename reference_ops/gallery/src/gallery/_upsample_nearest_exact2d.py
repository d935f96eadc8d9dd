"""aten::_upsample_nearest_exact2d: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, input: Any, output_size: Any, scale_factors: Any) -> Any:
    """aten::_upsample_nearest_exact2d in ONNX; `op` writes the nodes for the exporter that asks."""
    found = op.Identity(input)
    found_2 = found
    for d in range(2):
        shape = op.Shape(input)
        size = op.Gather(shape, op.constant(d + 2, like="INT64"))
        if output_size is not None:
            count = op.Identity(op.constant(output_size[d], like="INT64"))
            cast = op.Cast(size, to=1)
            cast_2 = op.Cast(op.constant(output_size[d], like="INT64"), to=1)
            step = op.Div(cast, cast_2)
            count_3, step_3 = count, step
        else:
            cast_3 = op.Cast(size, to=11)
            mul = op.Mul(
                cast_3,
                op.constant((scale_factors if scale_factors is not None else [0.0])[d], like="DOUBLE"),
            )  # fmt: skip
            floor = op.Floor(mul)
            count_2 = op.Cast(floor, to=7)
            step_2 = op.Constant(
                value_float=1.0 / (scale_factors if scale_factors is not None else [0.0])[d],
            )
            count_3, step_3 = count_2, step_2
        range_2 = op.Range(op.constant(0, like="INT64"), count_3, op.constant(1, like="INT64"))
        cast_4 = op.Cast(range_2, to=1)
        add = op.Add(cast_4, op.constant(0.5, like="FLOAT"))
        mul_2 = op.Mul(add, step_3)
        place = op.Floor(mul_2)
        cast_5 = op.Cast(place, to=7)
        sub = op.Sub(size, op.constant(1, like="INT64"))
        min = op.Min(cast_5, sub)
        found_3 = op.Gather(found_2, min, axis=d + 2)
        found_2 = found_3
    return found_2


OP = _onnxop.Operator(
    name="aten::_upsample_nearest_exact2d.vec",
    called="upsample_nearest_exact2d",
    existing="aten::_upsample_nearest_exact2d.vec",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="upsample_nearest_exact2d",
    doc="The operator aten::_upsample_nearest_exact2d.vec.",
    spec="sha256:8e613ddd27fa3fb2fd478e8be422c1c94bebb5c998fcd93d0a3a5668e7226a0b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._upsample_nearest_exact2d.vec


@_onnxop.script.scripted(OP)
def upsample_nearest_exact2d(
    input: Tensor,
    output_size: Sequence[int] | None,
    scale_factors: Sequence[float] | None,
) -> Tensor:
    """The operator aten::_upsample_nearest_exact2d.vec.

    Args:
        input: a tensor.
        output_size: integers or None.
        scale_factors: floats or None.

    Returns:
        What PyTorch's aten::_upsample_nearest_exact2d returns.
    """
    result: Tensor = _operator(
        input,
        output_size,
        scale_factors,
    )
    return result


class UpsampleNearestExact2d(torch.nn.Module):
    """`upsample_nearest_exact2d` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        output_size: Sequence[int] | None,
        scale_factors: Sequence[float] | None,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.scale_factors = scale_factors

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return upsample_nearest_exact2d(
            input,
            self.output_size,
            self.scale_factors,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"output_size={self.output_size}",
                f"scale_factors={self.scale_factors}",
            ]
        )
