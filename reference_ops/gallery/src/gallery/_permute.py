"""aten::permute: its rule in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from . import _onnxop


def rule(op: Any, self: Any, dims: Any) -> Any:
    """aten::permute in ONNX; `op` writes the nodes for the exporter that asks."""
    if op.rank(self) > 0:
        result = op.Transpose(self, perm=[d if d >= 0 else d + op.rank(self) for d in dims])
    else:
        result = op.Identity(self)
    return result


OP = _onnxop.Operator(
    name="aten::permute.default",
    existing="aten::permute.default",
    rules={
        range(13, 26): rule,
    },
    torchscript=range(13, 24),
    dynamo=range(18, 26),
    dynamo_opset=18,
    domain="gallery",
    op_type="permute",
    doc="The operator aten::permute.",
    spec="sha256:a9352f60bae875610d37de7e256a5a40397461bc140b714f12d0cfe150b0d142",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.permute.default


@_onnxop.script.scripted(OP)
def permute(
    self: Tensor,
    dims: Sequence[int],
) -> Tensor:
    """The operator aten::permute.

    Args:
        self: a tensor.
        dims: integers.

    Returns:
        What PyTorch's aten::permute returns.
    """
    result: Tensor = _operator(
        self,
        dims,
    )
    return result


class Permute(torch.nn.Module):
    """`permute` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dims: Sequence[int],
    ) -> None:
        super().__init__()
        self.dims = dims

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return permute(
            input,
            self.dims,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dims={self.dims}",
            ]
        )
