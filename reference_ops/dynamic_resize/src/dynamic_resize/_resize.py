"""dynamic_resize::resize, composed of PyTorch's operators, with its gradients and rule for ONNX."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

import math
from typing import Any

import onnxop_runtime
import torch
from onnxop_runtime import OnnxOps, OnnxValue
from torch import Tensor

# api: the version of onnxop_runtime's interface that this package was made for.
package = onnxop_runtime.Package.of(__package__, api=1)


def _kernel(input: Tensor, scales: Tensor) -> Tensor:
    """Compute dynamic_resize::resize."""
    if input.dim() != 4 or not input.is_floating_point():
        raise ValueError(
            f"input must be a float tensor with 4 dimensions, not {input.shape} {input.dtype}"
        )
    if scales.shape != (4,) or scales.dtype != torch.float32:
        raise ValueError(f"scales must be float32[4], not {scales.shape} {scales.dtype}")
    factors = scales.tolist()
    if not all(math.isfinite(factor) and factor > 0 for factor in factors):
        raise ValueError(f"scales must be finite and above 0, not {factors}")
    if factors[:2] != [1.0, 1.0]:
        raise ValueError(f"scales must begin with 1, 1 for batch and channels, not {factors}")
    sizes = (torch.tensor(input.shape[2:]) * scales[2:].cpu()).floor().long().tolist()
    if min(sizes) < 1:
        raise ValueError(f"scales {factors} leave nothing of {input.shape}: {sizes}")
    # Follow ONNX Runtime: multiply the sizes in float32, copy the image if its sizes stay, and
    # sample at 0 (as with a scale of 1) if the result has only one row or column.
    if sizes == list(input.shape[2:]):
        return input.clone()
    scale_h, scale_w = (f if size > 1 else 1.0 for f, size in zip(factors[2:], sizes, strict=True))
    return torch.ops.aten.upsample_bicubic2d(input, sizes, False, scale_h, scale_w)


def new_dynamic_size(*, min: int = 0, max: int | None = None) -> Any:
    """Return a data-dependent size, as `torch.library.get_ctx` makes it."""
    context: Any = torch.library.get_ctx()
    return context.new_dynamic_size(min=min, max=max)


def _fake(input: Tensor, scales: Tensor) -> Tensor:
    """Return the kernel's result without values: shape, dtype and device."""
    if input.dim() != 4 or scales.shape != (4,) or scales.dtype != torch.float32:
        raise ValueError("input must have 4 dimensions, and scales must be float32[4]")
    return input.new_empty(*input.shape[:2], new_dynamic_size(min=1), new_dynamic_size(min=1))


def to_onnx(op: OnnxOps, input: OnnxValue, scales: OnnxValue) -> OnnxValue:
    """Return the operator in ONNX; `op` adds the nodes for the calling exporter."""
    return op.Resize(
        input, [], scales,
        coordinate_transformation_mode="pytorch_half_pixel", cubic_coeff_a=-0.75,
        mode="cubic", nearest_mode="floor",
    )


OP = package.operator(
    name="dynamic_resize::resize.default",
    rule=to_onnx,
    opset=11,
    domain="dynamic_resize",
    op_type="resize",
    doc="Bicubic interpolation whose scales are an input of the graph.",
    spec_hash="sha256:ad750ec7413d63c28d222b28156088454fa1f5f02a11db67cba7385ddc8d2153",
    differentiable=["input"],
    kernel=_kernel,
    reference=_kernel,
    fake=_fake,
    schema="(Tensor input, Tensor scales) -> Tensor",
    backward_schema="(Tensor grad, Tensor input, Tensor scales, bool[] wants) -> Tensor",
)


class ResizeFunction(onnxop_runtime.Function):
    """The operator with its gradients, and its symbolic function for the TorchScript exporter.

    `resize` goes through the dispatcher: it is quicker, with the same gradients.
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


_operator = package.register(OP, ResizeFunction)


@package.scripted(OP)
def resize(input: Tensor, scales: Tensor) -> Tensor:
    """Bicubic interpolation whose scales are an input of the graph.

    One exported model serves every scale. `input` is [n, c, h, w]; `scales` is float32[4]: 1, 1,
    and the scales of height and width.

    Args:
        input: a tensor.
        scales: a tensor.

    Returns:
        A contiguous tensor.
    """
    result: Tensor = _operator(input, scales)
    return result


class Resize(torch.nn.Module):
    """`resize` as a module."""

    def forward(self, input: Tensor, scales: Tensor) -> Tensor:
        result: Tensor = resize(input, scales)
        return result
