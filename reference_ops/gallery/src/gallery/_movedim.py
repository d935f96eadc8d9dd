"""aten::movedim: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::movedim.intlist",
    called="movedim",
    existing="aten::movedim.intlist",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="movedim",
    doc="The operator aten::movedim.intlist.",
    spec="sha256:9fc33670cedbf627e21d768e385cc5aff0cb70033c2c7500c591570af03f7897",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.movedim.intlist


@_onnxop.script.scripted(OP)
def movedim(
    self: Tensor,
    source: Sequence[int],
    destination: Sequence[int],
) -> Tensor:
    """The operator aten::movedim.intlist.

    Args:
        self: a tensor.
        source: integers.
        destination: integers.

    Returns:
        What PyTorch's aten::movedim returns.
    """
    result: Tensor = _operator(
        self,
        source,
        destination,
    )
    return result


class Movedim(torch.nn.Module):
    """`movedim` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        source: Sequence[int],
        destination: Sequence[int],
    ) -> None:
        super().__init__()
        self.source = source
        self.destination = destination

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return movedim(
            input,
            self.source,
            self.destination,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"source={self.source}",
                f"destination={self.destination}",
            ]
        )
