"""aten::linalg_multi_dot: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_multi_dot.default",
    existing="aten::linalg_multi_dot.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_multi_dot",
    doc="The operator aten::linalg_multi_dot.",
    spec="sha256:31db57d8572f09dff2c9366b52608c6d9f09096e93bff816e0ff09b9baf286ea",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_multi_dot.default


@_onnxop.script.scripted(OP)
def linalg_multi_dot(
    tensors: Sequence[Tensor],
) -> Tensor:
    """The operator aten::linalg_multi_dot.

    Args:
        tensors: a list of tensors.

    Returns:
        What PyTorch's aten::linalg_multi_dot returns.
    """
    result: Tensor = _operator(
        tensors,
    )
    return result


class LinalgMultiDot(torch.nn.Module):
    """`linalg_multi_dot` as a module."""

    def forward(
        self,
        tensors: list[Tensor],
    ) -> Tensor:
        return linalg_multi_dot(
            tensors,
        )
