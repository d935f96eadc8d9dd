"""aten::instance_norm: its place in ONNX, and the function and module that call it."""

from __future__ import annotations

import torch
from torch import Tensor

from . import _onnxop

OP = _onnxop.Operator(
    name="aten::instance_norm.default",
    existing="aten::instance_norm.default",
    torchscript=range(18, 24),
    dynamo=range(18, 26),
    is_decomposed=True,
    domain="gallery",
    op_type="instance_norm",
    doc="The operator aten::instance_norm.",
    spec="sha256:cc3088fda11e5c6d272c97ff3f87af3cc82e7456aa16a48a220006062bbe188e",
)
_onnxop.rules.register(OP)

_operator = torch.ops.aten.instance_norm.default


@_onnxop.script.scripted(OP)
def instance_norm(
    input: Tensor,
    weight: Tensor | None,
    bias: Tensor | None,
    running_mean: Tensor | None,
    running_var: Tensor | None,
    use_input_stats: bool,
    momentum: float,
    eps: float,
    cudnn_enabled: bool,
) -> Tensor:
    """The operator aten::instance_norm.

    Args:
        input: a tensor.
        weight: a tensor or None.
        bias: a tensor or None.
        running_mean: a tensor or None.
        running_var: a tensor or None.
        use_input_stats: a boolean.
        momentum: a float.
        eps: a float.
        cudnn_enabled: a boolean.

    Returns:
        What PyTorch's aten::instance_norm returns.
    """
    result: Tensor = _operator(
        input,
        weight,
        bias,
        running_mean,
        running_var,
        use_input_stats,
        momentum,
        eps,
        cudnn_enabled,
    )
    return result


class InstanceNorm(torch.nn.Module):
    """`instance_norm` as a module; what is no tensor is fixed."""

    def __init__(
        self,
        use_input_stats: bool,
        momentum: float,
        eps: float,
        cudnn_enabled: bool,
    ) -> None:
        super().__init__()
        self.use_input_stats = use_input_stats
        self.momentum = momentum
        self.eps = eps
        self.cudnn_enabled = cudnn_enabled

    def forward(
        self,
        input: Tensor,
        weight: Tensor | None,
        bias: Tensor | None,
        running_mean: Tensor | None,
        running_var: Tensor | None,
    ) -> Tensor:
        return instance_norm(
            input,
            weight,
            bias,
            running_mean,
            running_var,
            self.use_input_stats,
            self.momentum,
            self.eps,
            self.cudnn_enabled,
        )

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"use_input_stats={self.use_input_stats}",
                f"momentum={self.momentum}",
                f"eps={self.eps}",
                f"cudnn_enabled={self.cudnn_enabled}",
            ]
        )
