"""aten::dsplit: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::dsplit.array",
    existing="aten::dsplit.array",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="dsplit",
    doc="The operator aten::dsplit.",
    spec="sha256:a2a3aae38f184f40ef72f59f17969b499d6c38f3bec9ef4f083619b83c2591c9",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.dsplit.array


@_onnxop.script.scripted(OP)
def dsplit(
    self: Tensor,
    indices: Sequence[int],
) -> list[Tensor]:
    """The operator aten::dsplit.

    Args:
        self: a tensor.
        indices: integers.

    Returns:
        What PyTorch's aten::dsplit returns.
    """
    result: list[Tensor] = _operator(
        self,
        indices,
    )
    return result


class Dsplit(torch.nn.Module):
    """`dsplit` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        indices: Sequence[int],
    ) -> None:
        super().__init__()
        self.indices = indices

    def forward(
        self,
        input: Tensor,
    ) -> list[Tensor]:
        return dsplit(
            input,
            self.indices,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"indices={self.indices}",
            ]
        )
