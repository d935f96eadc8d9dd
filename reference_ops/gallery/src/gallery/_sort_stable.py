"""aten::sort: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, stable: Any, dim: Any, descending: Any) -> Any:
    """aten::sort in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        indices = op.Constant(value_int=0)
        result, result_2 = self, indices
    else:
        equal = op.Equal(self, self)
        is_nan = op.Not(equal)
        constant_2 = op.Constant(value_float=float("inf"))
        infinite = op.CastLike(constant_2, self)
        shape = op.Shape(self)
        length = op.Gather(shape, op.constant([dim % op.rank(self)], like="INT64"))
        where = op.Where(is_nan, infinite, self)
        _values, places = op.TopK(
            where,
            length,
            axis=dim,
            largest=1 if descending else 0,
            _outputs=2,
        )
        is_nan_2 = op.GatherElements(is_nan, places, axis=dim)
        cast = op.Cast(is_nan_2, to=1)
        _behind, order = op.TopK(cast, length, axis=dim, largest=1 if descending else 0, _outputs=2)
        places_2 = op.GatherElements(places, order, axis=dim)
        values_2 = op.GatherElements(self, places_2, axis=dim)
        result, result_2 = values_2, places_2
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::sort.stable",
    called="sort_stable",
    existing="aten::sort.stable",
    results=[
        "values",
        "indices",
    ],
    rules={
        range(15, 26): rule,
    },
    torchscript=range(15, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="sort_stable",
    doc="The operator aten::sort.stable.",
    spec="sha256:c6e3cc71d0374e4878e65deb324ba76ed789451a4c8c71b7c6ad8ba37fc25fb8",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.sort.stable


@_onnxop.script.scripted(OP)
def sort_stable(
    self: Tensor,
    *,
    stable: bool | None,
    dim: int = -1,
    descending: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::sort.stable.

    Args:
        self: a tensor.
        stable: a boolean or None.
        dim: an integer; -1 by default.
        descending: a boolean; False by default.

    Returns:
        What PyTorch's aten::sort returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        stable=stable,
        dim=dim,
        descending=descending,
    )
    return result


class SortStable(torch.nn.Module):
    """`sort_stable` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        *,
        stable: bool | None,
        dim: int = -1,
        descending: bool = False,
    ) -> None:
        super().__init__()
        self.stable = stable
        self.dim = dim
        self.descending = descending

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return sort_stable(
            input,
            stable=self.stable,
            dim=self.dim,
            descending=self.descending,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"stable={self.stable}",
                f"dim={self.dim}",
                f"descending={self.descending}",
            ]
        )
