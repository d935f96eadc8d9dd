"""aten::argmin: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, keepdim: Any) -> Any:
    """aten::argmin in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) > 0 and dim is not None:
        x = op.Identity(self)
    else:
        x = op.Reshape(self, op.constant([-1], like="INT64"))
    cast = op.Cast(x, to=1)
    is_na_n = op.IsNaN(cast)
    is_nan = op.Cast(is_na_n, to=6)
    axis = dim if op.rank(self) > 0 and dim is not None else 0
    nan = op.ArgMax(is_nan, axis=axis, keepdims=1)
    gather_elements = op.GatherElements(is_nan, nan, axis=axis)
    cast_2 = op.Cast(gather_elements, to=9)
    arg_min = op.ArgMin(x, axis=axis, keepdims=1)
    found = op.Where(cast_2, nan, arg_min)
    if keepdim:
        if op.rank(self) > 0 and dim is not None:
            result = found
        else:
            result = op.Reshape(found, op.constant([1] * op.rank(self), like="INT64"))
        result_3 = result
    else:
        result_3 = op.Squeeze(found, op.constant([axis], like="INT64"))
    return result_3


OP = _onnxop.Operator(
    name="aten::argmin.default",
    existing="aten::argmin.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="argmin",
    doc="The operator aten::argmin.",
    spec="sha256:ef9d2752975172065dd3cc32c6e1cdb14bdefd30a4f4f4b05cc51968090a1200",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.argmin.default


@_onnxop.script.scripted(OP)
def argmin(
    self: Tensor,
    dim: int | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::argmin.

    Args:
        self: a tensor.
        dim: an integer or None; None by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::argmin returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        keepdim,
    )
    return result


class Argmin(torch.nn.Module):
    """`argmin` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int | None = None,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return argmin(
            input,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
