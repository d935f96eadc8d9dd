"""aten::linalg_vander: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, x: Any, N: Any) -> Any:
    """aten::linalg_vander in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(x) == 0:
        base = op.Reshape(x, op.constant([1], like="INT64"))
    else:
        base = op.Identity(x)
    if N is not None:
        width = op.Constant(value_int=N)
    else:
        shape = op.Shape(base)
        width = op.Gather(shape, op.constant(-1, like="INT64"))
    cast_like = op.CastLike(op.constant(1, like="INT64"), x)
    shape_2 = op.Shape(base)
    expand = op.Expand(cast_like, shape_2)

    def body(k: Any, keep: Any, power: Any) -> Any:
        mul = op.Mul(power, base)
        keep_2 = op.Identity(keep)
        power_2 = op.Identity(power)
        return keep_2, mul, power_2

    _value, powers = op.Loop(width, op.constant(True, like="BOOL"), expand, body=body, _outputs=2)
    unsqueeze = op.Unsqueeze(width, op.constant([0], like="INT64"))
    shape_3 = op.Shape(base)
    sizes = op.Concat(unsqueeze, shape_3, axis=0)
    powers_2 = op.Reshape(powers, sizes, allowzero=1)
    return op.Transpose(powers_2, perm=list(range(1, max(op.rank(x), 1) + 1)) + [0])


OP = _onnxop.Operator(
    name="aten::linalg_vander.default",
    existing="aten::linalg_vander.default",
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="linalg_vander",
    doc="The operator aten::linalg_vander.",
    spec="sha256:e58dcb203717d4923a016129e1b933a39ad82fb45c0828f5e356ba4b78caa48b",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_vander.default


@_onnxop.script.scripted(OP)
def linalg_vander(
    x: Tensor,
    *,
    N: int | None = None,
) -> Tensor:
    """The operator aten::linalg_vander.

    Args:
        x: a tensor.
        N: an integer or None; None by default.

    Returns:
        What PyTorch's aten::linalg_vander returns.
    """
    result: Tensor = _operator(
        x,
        N=N,
    )
    return result


class LinalgVander(torch.nn.Module):
    """`linalg_vander` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        N: int | None = None,
    ) -> None:
        super().__init__()
        self.N = N

    def forward(
        self,
        x: Tensor,
    ) -> Tensor:
        return linalg_vander(
            x,
            N=self.N,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"N={self.N}",
            ]
        )
