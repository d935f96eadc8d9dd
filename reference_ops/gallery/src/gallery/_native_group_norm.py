"""aten::native_group_norm: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::native_group_norm.default",
    existing="aten::native_group_norm.default",
    results=[
        "result0",
        "result1",
        "result2",
    ],
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="native_group_norm",
    doc="The operator aten::native_group_norm.",
    spec="sha256:2ad8b46483675cc0ddb601e6826670eb5ef1da7c312f95ca9d8527e3b5a143e9",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.native_group_norm.default


@_onnxop.script.scripted(OP)
def native_group_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    N: int,
    C: int,
    HxW: int,
    group: int,
    eps: float,
) -> tuple[Tensor, Tensor, Tensor]:
    """The operator aten::native_group_norm.

    Args:
        input: a tensor.
        weight: a tensor or None.
        bias: a tensor or None.
        N: an integer.
        C: an integer.
        HxW: an integer.
        group: an integer.
        eps: a float.

    Returns:
        What PyTorch's aten::native_group_norm returns.
    """
    result: tuple[Tensor, Tensor, Tensor] = _operator(
        input,
        weight,
        bias,
        N,
        C,
        HxW,
        group,
        eps,
    )
    return result


class NativeGroupNorm(torch.nn.Module):
    """`native_group_norm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        N: int,
        C: int,
        HxW: int,
        group: int,
        eps: float,
    ) -> None:
        super().__init__()
        self.N = N
        self.C = C
        self.HxW = HxW
        self.group = group
        self.eps = eps

    def forward(
        self,
        input: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
    ) -> tuple[Tensor, Tensor, Tensor]:
        return native_group_norm(
            input,
            weight,
            bias,
            self.N,
            self.C,
            self.HxW,
            self.group,
            self.eps,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"N={self.N}",
                f"C={self.C}",
                f"HxW={self.HxW}",
                f"group={self.group}",
                f"eps={self.eps}",
            ]
        )
