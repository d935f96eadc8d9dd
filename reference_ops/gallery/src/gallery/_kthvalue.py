"""aten::kthvalue: the operator in PyTorch, its gradients, and its rule for ONNX."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, k: Any, dim: Any, keepdim: Any) -> Any:
    """aten::kthvalue in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) == 0:
        mul = op.Mul(op.constant(0.0, like=self), self)
        indices = op.Cast(mul, to=7)
        result, result_2 = self, indices
    else:
        values, indices_2 = op.TopK(
            self,
            op.constant([k], like="INT64"),
            axis=dim,
            largest=0,
            _outputs=2,
        )
        last = op.Slice(
            values,
            op.constant([k - 1], like="INT64"),
            op.constant([k], like="INT64"),
            op.constant([dim], like="INT64"),
        )
        place = op.Slice(
            indices_2,
            op.constant([k - 1], like="INT64"),
            op.constant([k], like="INT64"),
            op.constant([dim], like="INT64"),
        )
        if keepdim:
            values_2 = last
        else:
            values_2 = op.Squeeze(last, op.constant([dim], like="INT64"))
        if keepdim:
            indices_3 = place
        else:
            indices_3 = op.Squeeze(place, op.constant([dim], like="INT64"))
        result, result_2 = values_2, indices_3
    result_3 = op.Identity(result)
    return result_3, result_2


OP = _onnxop.Operator(
    name="aten::kthvalue.default",
    existing="aten::kthvalue.default",
    results=[
        "values",
        "indices",
    ],
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="kthvalue",
    doc="The operator aten::kthvalue.",
    spec="sha256:bdc4d3533b8a8ba7cde09c8c54291045937dbb53e297ad9f843bfd3d1ba880dd",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.kthvalue.default


def kthvalue(
    self: Tensor,
    k: int,
    dim: int = -1,
    keepdim: bool = False,
) -> tuple[Tensor, Tensor]:
    """The operator aten::kthvalue.

    Args:
        self: a tensor.
        k: an integer.
        dim: an integer; -1 by default.
        keepdim: a boolean; False by default.

    Returns:
        What PyTorch's aten::kthvalue returns.
    """
    result: tuple[Tensor, Tensor] = _operator(
        self,
        k,
        dim,
        keepdim,
    )
    return result


class Kthvalue(torch.nn.Module):
    """`kthvalue` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        k: int,
        dim: int = -1,
        keepdim: bool = False,
    ) -> None:
        super().__init__()
        self.k = k
        self.dim = dim
        self.keepdim = keepdim

    def forward(
        self,
        input: Tensor,
    ) -> tuple[Tensor, Tensor]:
        return kthvalue(
            input,
            self.k,
            self.dim,
            self.keepdim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"k={self.k}",
                f"dim={self.dim}",
                f"keepdim={self.keepdim}",
            ]
        )
