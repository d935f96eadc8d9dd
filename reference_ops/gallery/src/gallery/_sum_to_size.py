"""aten::sum_to_size: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::sum_to_size.default",
    existing="aten::sum_to_size.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="sum_to_size",
    doc="The operator aten::sum_to_size.",
    spec="sha256:d50fb3cde7ff0a4e020689c2cbf5089cd15968fdb2e94f07f73fc64a264a2fed",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.sum_to_size.default


@_onnxop.script.scripted(OP)
def sum_to_size(
    self: Tensor,
    size: Sequence[int],
) -> Tensor:
    """The operator aten::sum_to_size.

    Args:
        self: a tensor.
        size: integers.

    Returns:
        What PyTorch's aten::sum_to_size returns.
    """
    result: Tensor = _operator(
        self,
        size,
    )
    return result


class SumToSize(torch.nn.Module):
    """`sum_to_size` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        size: Sequence[int],
    ) -> None:
        super().__init__()
        self.size = size

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return sum_to_size(
            input,
            self.size,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"size={self.size}",
            ]
        )
