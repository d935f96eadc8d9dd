"""aten::repeat: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::repeat.default",
    existing="aten::repeat.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="repeat",
    doc="The operator aten::repeat.",
    spec="sha256:a1d49199935fe9c88252e3f99b1f837272d8f7559b62bb4ac99500445f4920ce",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.repeat.default


@_onnxop.script.scripted(OP)
def repeat(
    self: Tensor,
    repeats: Sequence[int],
) -> Tensor:
    """The operator aten::repeat.

    Args:
        self: a tensor.
        repeats: integers.

    Returns:
        What PyTorch's aten::repeat returns.
    """
    result: Tensor = _operator(
        self,
        repeats,
    )
    return result


class Repeat(torch.nn.Module):
    """`repeat` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        repeats: Sequence[int],
    ) -> None:
        super().__init__()
        self.repeats = repeats

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return repeat(
            input,
            self.repeats,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"repeats={self.repeats}",
            ]
        )
