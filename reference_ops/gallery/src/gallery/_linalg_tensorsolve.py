"""aten::linalg_tensorsolve: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::linalg_tensorsolve.default",
    existing="aten::linalg_tensorsolve.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="linalg_tensorsolve",
    doc="The operator aten::linalg_tensorsolve.",
    spec="sha256:b811dd4f2e8b75bede117276d7a635f8f1569afaeb15cc11e25f91b21f03bf52",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.linalg_tensorsolve.default


@_onnxop.script.scripted(OP)
def linalg_tensorsolve(
    self: Tensor,
    other: Tensor,
    dims: Sequence[int] | None = None,
) -> Tensor:
    """The operator aten::linalg_tensorsolve.

    Args:
        self: a tensor.
        other: a tensor.
        dims: integers or None; None by default.

    Returns:
        What PyTorch's aten::linalg_tensorsolve returns.
    """
    result: Tensor = _operator(
        self,
        other,
        dims,
    )
    return result


class LinalgTensorsolve(torch.nn.Module):
    """`linalg_tensorsolve` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dims: Sequence[int] | None = None,
    ) -> None:
        super().__init__()
        self.dims = dims

    def forward(
        self,
        input: Tensor,
        other: Tensor,
    ) -> Tensor:
        return linalg_tensorsolve(
            input,
            other,
            self.dims,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dims={self.dims}",
            ]
        )
