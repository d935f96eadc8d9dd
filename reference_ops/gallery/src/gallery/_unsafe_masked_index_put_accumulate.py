"""aten::_unsafe_masked_index_put_accumulate: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::_unsafe_masked_index_put_accumulate.default",
    called="unsafe_masked_index_put_accumulate",
    existing="aten::_unsafe_masked_index_put_accumulate.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="unsafe_masked_index_put_accumulate",
    doc="The operator aten::_unsafe_masked_index_put_accumulate.",
    spec="sha256:514299ec8c105f4d11c4dc21ff2a26ae39ac422f715981bfcd8c6d586d319166",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten._unsafe_masked_index_put_accumulate.default


@_onnxop.script.scripted(OP)
def unsafe_masked_index_put_accumulate(
    self: Tensor,
    mask: Tensor,
    indices: Sequence[Tensor | None],
    values: Tensor,
) -> Tensor:
    """The operator aten::_unsafe_masked_index_put_accumulate.

    Args:
        self: a tensor.
        mask: a tensor.
        indices: a list of tensors.
        values: a tensor.

    Returns:
        What PyTorch's aten::_unsafe_masked_index_put_accumulate returns.
    """
    result: Tensor = _operator(
        self,
        mask,
        indices,
        values,
    )
    return result


class UnsafeMaskedIndexPutAccumulate(torch.nn.Module):
    """`unsafe_masked_index_put_accumulate` as a module."""

    def forward(
        self,
        input: Tensor,
        mask: Tensor,
        indices: list[Tensor | None],
        values: Tensor,
    ) -> Tensor:
        return unsafe_masked_index_put_accumulate(
            input,
            mask,
            indices,
            values,
        )
