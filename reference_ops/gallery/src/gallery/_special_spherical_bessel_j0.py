"""aten::special_spherical_bessel_j0: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any) -> Any:
    """aten::special_spherical_bessel_j0 in ONNX; `op` writes the nodes for the exporter that asks."""
    s = op.Mul(x, x)
    div = op.Div(s, op.constant(6.0, like=x))
    div_2 = op.Div(s, op.constant(20.0, like=x))
    div_3 = op.Div(s, op.constant(42.0, like=x))
    sub = op.Sub(op.constant(1.0, like=x), div_3)
    mul = op.Mul(div_2, sub)
    sub_2 = op.Sub(op.constant(1.0, like=x), mul)
    mul_2 = op.Mul(div, sub_2)
    near = op.Sub(op.constant(1.0, like=x), mul_2)
    is_inf = op.IsInf(x)
    sin = op.Sin(x)
    div_4 = op.Div(sin, x)
    far = op.Where(is_inf, op.constant(0.0, like=x), div_4)
    abs = op.Abs(x)
    less = op.Less(abs, op.constant(0.5, like=x))
    return op.Where(less, near, far)


OP = _onnxop.Operator(
    name="aten::special_spherical_bessel_j0.default",
    existing="aten::special_spherical_bessel_j0.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="special_spherical_bessel_j0",
    doc="The operator aten::special_spherical_bessel_j0.",
    spec="sha256:5a43a8889c7907550b5a1f6c236fe24b1f6016ac63d91feb31bf0c989706e21c",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.special_spherical_bessel_j0.default


@_onnxop.script.scripted(OP)
def special_spherical_bessel_j0(
    x: Tensor,
) -> Tensor:
    """The operator aten::special_spherical_bessel_j0.

    Args:
        x: a tensor.

    Returns:
        What PyTorch's aten::special_spherical_bessel_j0 returns.
    """
    result: Tensor = _operator(
        x,
    )
    return result


class SpecialSphericalBesselJ0(torch.nn.Module):
    """`special_spherical_bessel_j0` as a module."""

    def forward(
        self,
        x: Tensor,
    ) -> Tensor:
        return special_spherical_bessel_j0(
            x,
        )
