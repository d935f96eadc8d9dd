"""aten::unsqueeze_copy: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::unsqueeze_copy.default",
    existing="aten::unsqueeze_copy.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="unsqueeze_copy",
    doc="The operator aten::unsqueeze_copy.",
    spec="sha256:42d278ba53a6bd27a56619208c2237e0ae5a1e3c5b84249dca191a23fc7634f5",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.unsqueeze_copy.default


@_onnxop.script.scripted(OP)
def unsqueeze_copy(
    self: Tensor,
    dim: int,
) -> Tensor:
    """The operator aten::unsqueeze_copy.

    Args:
        self: a tensor.
        dim: an integer.

    Returns:
        What PyTorch's aten::unsqueeze_copy returns.
    """
    result: Tensor = _operator(
        self,
        dim,
    )
    return result


class UnsqueezeCopy(torch.nn.Module):
    """`unsqueeze_copy` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        dim: int,
    ) -> None:
        super().__init__()
        self.dim = dim

    def forward(
        self,
        input: Tensor,
    ) -> Tensor:
        return unsqueeze_copy(
            input,
            self.dim,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"dim={self.dim}",
            ]
        )
