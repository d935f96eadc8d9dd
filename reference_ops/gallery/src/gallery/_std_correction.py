"""aten::std: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dim: Any, correction: Any, keepdim: Any) -> Any:
    """aten::std in ONNX; `op` writes the nodes for the exporter that asks."""
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
    found_2 = op.Sqrt(found)
    if keepdim:
        result_2 = found_2
    else:
        result_2 = op.Squeeze(
            found_2,
            op.constant((dim if len(dim) > 0 else list(range(op.rank(self)))) if dim is not None else list(range(op.rank(self))), like="INT64"),
        )  # fmt: skip
    return result_2


OP = _onnxop.Operator(
    name="aten::std.correction",
    called="std_correction",
    existing="aten::std.correction",
    rules={
        range(18, 26): rule,
    },
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="std_correction",
    doc="The operator aten::std.correction.",
    spec="sha256:15026accab68d627032d4a35fa0ddd93297571b0858fc24fc86685b8cc4efb9d",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.std.correction


@_onnxop.script.scripted(OP)
def std_correction(
    self: Tensor,
    dim: Sequence[int] | None = None,
    *,
    correction: float | None = None,
    keepdim: bool = False,
) -> Tensor:
    """The operator aten::std.correction.

    Args:
        self: a tensor.
        dim: 1 integers or None; None by default.
        correction: a number or None; None by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::std returns.
    """
    result: Tensor = _operator(
        self,
        dim,
        correction=_onnxop.number(correction),
        keepdim=keepdim,
    )
    return result


class StdCorrection(torch.nn.Module):
    """`std_correction` as a module; what is no tensor is fixed."""

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
        return std_correction(
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
