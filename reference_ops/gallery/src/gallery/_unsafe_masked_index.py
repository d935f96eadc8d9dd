"""aten::_unsafe_masked_index: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::_unsafe_masked_index.default",
    called="unsafe_masked_index",
    existing="aten::_unsafe_masked_index.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="unsafe_masked_index",
    doc="The operator aten::_unsafe_masked_index.",
    spec="sha256:041124185930395f71d711606a1cdd04d79fb129228bae0e65370558422c3eb5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._unsafe_masked_index.default


@_onnxop.script.scripted(OP)
def unsafe_masked_index(
    self: Tensor,
    mask: Tensor,
    indices: Sequence[Tensor | None],
    fill: float,
) -> Tensor:
    """The operator aten::_unsafe_masked_index.

    Args:
        self: a tensor.
        mask: a tensor.
        indices: a list of tensors.
        fill: a number.

    Returns:
        What PyTorch's aten::_unsafe_masked_index returns.
    """
    result: Tensor = _operator(
        self,
        mask,
        indices,
        _onnxop.number(fill),
    )
    return result


class UnsafeMaskedIndex(torch.nn.Module):
    """`unsafe_masked_index` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        fill: float,
    ) -> None:
        super().__init__()
        self.fill = fill

    def forward(
        self,
        input: Tensor,
        mask: Tensor,
        indices: list[Tensor | None],
    ) -> Tensor:
        return unsafe_masked_index(
            input,
            mask,
            indices,
            self.fill,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"fill={self.fill}",
            ]
        )
