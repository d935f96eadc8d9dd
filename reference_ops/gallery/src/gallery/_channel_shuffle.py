"""aten::channel_shuffle: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::channel_shuffle.default",
    existing="aten::channel_shuffle.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="channel_shuffle",
    doc="The operator aten::channel_shuffle.",
    spec="sha256:1df71160f6432965d2ab7cfec81affc59b3cb884a83f1f85e9b5fbbf93eaef14",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.channel_shuffle.default


@_onnxop.script.scripted(OP)
def channel_shuffle(
    self: Tensor,
    groups: int,
) -> Tensor:
    """The operator aten::channel_shuffle.

    Args:
        self: a tensor.
        groups: an integer.

    Returns:
        What PyTorch's aten::channel_shuffle returns.
    """
    result: Tensor = _operator(
        self,
        groups,
    )
    return result


class ChannelShuffle(torch.nn.Module):
    """`channel_shuffle` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        groups: int,
    ) -> None:
        super().__init__()
        self.groups = groups

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return channel_shuffle(
            input,
            self.groups,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"groups={self.groups}",
            ]
        )
