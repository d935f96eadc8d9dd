"""vision_ops::carafe: the operator, its gradients, and its rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

from typing import Any

import onnxop_runtime
import torch
from onnxop_runtime import OnnxOps, OnnxValue
from torch import Tensor, einsum, promote_types
from torch.nn.functional import pad

# api: the version of onnxop_runtime's interface that this package was made for.
package = onnxop_runtime.Package.of(__package__, api=1)


def _reference(
    features: Tensor,
    masks: Tensor,
    kernel_size: int,
    group_size: int,
    scale_factor: int,
) -> Any:
    """Compute the operator by PyTorch's own, where the kernel does not support the call."""
    k, s, g = kernel_size, scale_factor, group_size
    dtype = promote_types(features.dtype, torch.float32)
    batch, channels, height, width = features.shape
    before, after = k // 2, k - 1 - k // 2
    if features.numel() == 0:
        return features.new_zeros(batch, channels, height * s, width * s) + 0 * (
            features.sum() * masks.sum()
        )
    windows = (
        pad(features.to(dtype), [before, after, before, after]).unfold(2, k, 1).unfold(3, k, 1)
    )
    windows = windows.reshape(batch, g, channels // g, height, width, k * k)
    kernels = masks.to(dtype).reshape(batch, g, k * k, height, s, width, s)
    result = einsum("ngchwt,ngthawb->ngchawb", windows, kernels)
    return result.reshape(batch, channels, height * s, width * s).to(features.dtype)


def to_onnx(
    op: OnnxOps,
    features: OnnxValue,
    masks: OnnxValue,
    kernel_size: int,
    group_size: int,
    scale_factor: int,
) -> OnnxValue:
    """Return the operator in ONNX; `op` adds the nodes for the calling exporter."""
    k, s, g = kernel_size, scale_factor, group_size
    before, after = k // 2, k - 1 - k // 2
    batch, channels = op.Shape(features, start=0, end=1), op.Shape(features, start=1, end=2)
    height, width = op.Shape(features, start=2, end=3), op.Shape(features, start=3, end=4)
    per_group = op.Div(channels, [g])
    padded = op.Pad(features, [0, 0, before, before, 0, 0, after, after])
    shifted = [
        op.Slice(
            padded,
            [i, j],
            [i + 1 - k if i + 1 < k else 2**31, j + 1 - k if j + 1 < k else 2**31],
            [2, 3],
        )
        for i in range(k)
        for j in range(k)
    ]
    rows = op.Transpose(
        op.Concat(*[op.Unsqueeze(x, [4]) for x in shifted], axis=4), perm=[0, 2, 3, 1, 4]
    )
    rows = op.Reshape(
        rows, op.Concat(batch, height, width, [g], per_group, [k * k], axis=0), allowzero=1
    )
    kernels = op.Reshape(
        masks, op.Concat(batch, [g, k * k], height, [s], width, [s], axis=0), allowzero=1
    )
    kernels = op.Transpose(kernels, perm=[0, 3, 5, 1, 2, 4, 6])
    kernels = op.Reshape(
        kernels, op.Concat(batch, height, width, [g, k * k, s * s], axis=0), allowzero=1
    )
    result = op.Reshape(
        op.MatMul(rows, kernels),
        op.Concat(batch, height, width, channels, [s, s], axis=0),
        allowzero=1,
    )
    result = op.Transpose(result, perm=[0, 3, 1, 4, 2, 5])
    return op.Reshape(
        result, op.Concat(batch, channels, op.Shape(masks, start=2), axis=0), allowzero=1
    )


OP = package.operator(
    name="vision_ops::carafe.default",
    rule=to_onnx,
    opset=16,
    domain="vision_ops",
    op_type="carafe",
    doc="Content-aware reassembly of features, an upsampling: equation 4 of CARAFE, arXiv 1905.02188.",
    spec_hash="sha256:03a0fc54a6572a9633fe542a9da8e2acc861950bb14bfa0f0e0aeb34669a3000",
    is_native=True,
    kernel=package.kernel.carafe,
    infer=package.kernel._infer_carafe,
    differentiable=["features", "masks"],
    reference=_reference,
    dtypes=package.kernel._dtypes_carafe(),
)


class CarafeFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `carafe` goes through the dispatcher: it is quicker, with the same gradients.
    """

    @staticmethod
    def forward(*arguments: Any) -> Any:
        return OP.by_position(*arguments)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        OP.save(ctx, *inputs)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients = OP.gradients(ctx, [grad])
        return tuple(gradients)

    @staticmethod
    def symbolic(g: Any, *arguments: Any) -> Any:
        return package.symbolic(OP)(g, *arguments)


_operator = package.register(
    OP,
    CarafeFunction,
    source="ops/carafe.h",
)


@package.scripted(OP)
def carafe(
    features: Tensor,
    masks: Tensor,
    kernel_size: int,
    group_size: int,
    scale_factor: int,
) -> Tensor:
    """Content-aware reassembly of features, an upsampling: equation 4 of CARAFE, arXiv 1905.02188.

    The masks are taken as they are given, without a softmax.

    Args:
        features: [n, c, h, w], the image.
        masks: [n, group_size * kernel_size ** 2, h * scale_factor, w * scale_factor], the
            kernel of each output pixel and group.
        kernel_size: the height and the width of kernels.
        group_size: the number of groups of channels, of which each has its own kernels.
        scale_factor: the output's height and width, divided by the image's.

    Returns:
        A contiguous tensor.

    Raises:
        RuntimeError: ops/carafe.h rejects the arguments.
    """
    result: Tensor = _operator(features, masks, kernel_size, group_size, scale_factor)
    return result


class Carafe(torch.nn.Module):
    """`carafe` as a module; its constructor takes all but the tensors."""

    def __init__(self, kernel_size: int, group_size: int, scale_factor: int) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.group_size = group_size
        self.scale_factor = scale_factor

    def extra_repr(self) -> str:
        return ", ".join(
            [
                f"kernel_size={self.kernel_size}",
                f"group_size={self.group_size}",
                f"scale_factor={self.scale_factor}",
            ]
        )

    def forward(self, features: Tensor, masks: Tensor) -> Tensor:
        result: Tensor = carafe(
            features,
            masks,
            self.kernel_size,
            self.group_size,
            self.scale_factor,
        )
        return result
