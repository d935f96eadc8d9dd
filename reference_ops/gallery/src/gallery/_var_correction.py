"""aten::var: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, correction: Any, keepdim: Any) -> Any:
    """aten::var in ONNX; `op` writes the nodes for the exporter that asks."""
    sizes = op.Shape(self)
    gather = op.Gather(
        sizes,
        op.constant((dim if len(dim) > 0 else list(range(op.rank(self)))) if dim is not None else list(range(op.rank(self))), like="INT64"),
    )  # fmt: skip
    reduce_prod = op.ReduceProd(gather, keepdims=0)
    count = op.Cast(reduce_prod, to=1)
    if op.rank(self) > 0:
        kept = op.ScatterElements(
            sizes,
            op.constant((dim if len(dim) > 0 else list(range(op.rank(self)))) if dim is not None else list(range(op.rank(self))), like="INT64"),
            op.constant([1] * len((dim if len(dim) > 0 else list(range(op.rank(self)))) if dim is not None else list(range(op.rank(self)))), like="INT64"),
        )  # fmt: skip
    else:
        kept = op.Identity(sizes)
    reduce_mean = op.ReduceMean(
        self,
        op.constant((dim if len(dim) > 0 else list(range(op.rank(self)))) if dim is not None else list(range(op.rank(self))), like="INT64"),
        keepdims=1,
    )  # fmt: skip
    mean = op.Reshape(reduce_mean, kept, allowzero=1)
    div = op.Div(count, count)
    cast_like = op.CastLike(div, self)
    mean_2 = op.Mul(mean, cast_like)
    gone = op.Sub(self, mean_2)
    sub = op.Sub(
        count,
        op.constant(float(correction if correction is not None else 1), like="FLOAT"),
    )
    max = op.Max(sub, op.constant(0.0, like="FLOAT"))
    left = op.Div(count, max)
    mul = op.Mul(gone, gone)
    reduce_mean_2 = op.ReduceMean(
        mul,
        op.constant((dim if len(dim) > 0 else list(range(op.rank(self)))) if dim is not None else list(range(op.rank(self))), like="INT64"),
        keepdims=1,
    )  # fmt: skip
    reshape = op.Reshape(reduce_mean_2, kept, allowzero=1)
    cast_like_2 = op.CastLike(left, self)
    found = op.Mul(reshape, cast_like_2)
    if keepdim:
        result_2 = found
    else:
        result_2 = op.Squeeze(
            found,
            op.constant((dim if len(dim) > 0 else list(range(op.rank(self)))) if dim is not None else list(range(op.rank(self))), like="INT64"),
        )  # fmt: skip
    return result_2


OP = _onnxop.Operator(
    name="aten::var.correction",
    called="var_correction",
    existing="aten::var.correction",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="var_correction",
    doc="The operator aten::var.correction.",
    spec="sha256:192279e12a49f4b90d255f462b7e939a8f7140dae92f30d1cf5729f4576db400",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.var.correction


@_onnxop.script.scripted(OP)
def var_correction(
    self: Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::var.correction.

    Args:
        self: a tensor.
        dim: 1 integers or None; None by default.
        correction: a number or None; None by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::var returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        correction=_onnxop.number(correction),
        keepdim=keepdim,
    )
    return result


class VarCorrection(torch.nn.Module):
    """`var_correction` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: Sequence[int] | None = None,
        *,
        correction: float | None = None,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.dim = dim
        self.correction = correction
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return var_correction(
            input,
            self.dim,
            correction=self.correction,
            keepdim=self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
                f"correction={self.correction}",
                f"keepdim={self.keepdim}",
            ]
        )
