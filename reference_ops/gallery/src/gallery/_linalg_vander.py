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
    base_2 = op.Unsqueeze(base, op.constant([-1], like="INT64"))
    cast_like = op.CastLike(op.constant(1, like="INT64"), x)
    shape = op.Shape(base_2)
    power = op.Expand(cast_like, shape)
    found = op.Identity(power)
    power_2, found_2 = power, found
    for k in range((N if N is not None else op.size(x, -1)) - 1):
        power_3 = op.Mul(power_2, base_2)
        found_3 = op.Concat(found_2, power_3, axis=-1)
        power_2, found_2 = power_3, found_3
    return op.Slice(
        found_2,
        op.constant([0], like="INT64"),
        op.constant([N if N is not None else op.size(x, -1)], like="INT64"),
        op.constant([-1], like="INT64"),
    )


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
    spec="sha256:279da8b449c9fb01db39ec430ab2e631851c726e3bcd7a207fd68f6e5366f6ee",
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
