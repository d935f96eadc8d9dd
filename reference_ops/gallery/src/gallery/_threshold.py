"""aten::threshold: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::threshold.default",
    existing="aten::threshold.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="threshold",
    doc="The operator aten::threshold.",
    spec="sha256:c43f4548882554fec03a30ee99ce8b56a10bc7d26c5be6a817f9bec193d17d9a",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.threshold.default


@_onnxop.script.scripted(OP)
def threshold(
    self: Tensor,
    threshold: float,
    value: float,
) -> Tensor:
    """The operator aten::threshold.

    Args:
        self: a tensor.
        threshold: a number.
        value: a number.

    Returns:
        What PyTorch's aten::threshold returns.
    """
    result: Tensor = _operator(
        self,
        _onnxop.number(threshold),
        _onnxop.number(value),
    )
    return result


class Threshold(torch.nn.Module):
    """`threshold` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        threshold: float,
        value: float,
    ) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return threshold(
            input,
            self.threshold,
            self.value,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"threshold={self.threshold}",
                f"value={self.value}",
            ]
        )
