"""deform_conv2d::deform_conv2d in PyTorch: the dispatcher's operator, its gradients and its Python faces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from deform_conv2d import _autograd, _library
from deform_conv2d._symbolic import symbolic

_kernel: Any = _library.load()

OP = "deform_conv2d::deform_conv2d"

_operator = torch.ops.deform_conv2d.deform_conv2d.default
_backward_operator = torch.ops.deform_conv2d.deform_conv2d_backward.default
_DIFFERENTIABLE = ["input", "weight", "offset", "mask", "bias"]
_ARGUMENTS = [
    "input",
    "weight",
    "offset",
    "mask",
    "bias",
    "stride_h",
    "stride_w",
    "pad_h",
    "pad_w",
    "dilation_h",
    "dilation_w",
    "groups",
    "offset_groups",
    "use_mask",
]


def _known(sizes: list[Any]) -> list[Any]:
    """The sizes, of which those that depend on data are still open."""
    return [_new_dynamic_size() if size is None else size for size in sizes]


def _new_dynamic_size() -> Any:
    """A size that only the data tell; only where PyTorch traces is there a context for it."""
    context: Any = torch.library.get_ctx()
    return context.new_dynamic_size()


def _fake(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Tensor:
    """What the kernel returns, without its values: shape, dtype and device."""
    dtype, sizes = _kernel.infer(
        input,
        weight,
        offset,
        mask,
        bias,
        stride_h,
        stride_w,
        pad_h,
        pad_w,
        dilation_h,
        dilation_w,
        groups,
        offset_groups,
        use_mask,
    )
    return input.new_empty(_known(sizes), dtype=dtype)


torch.library.register_fake(OP, _fake)


def _fake_backward(grad: Tensor, *args: Any) -> Any:
    """The gradients, without their values; empty where one is not wanted."""
    *values, wants = args
    arguments = dict(zip(_ARGUMENTS, values, strict=True))
    found = [
        torch.empty(0) if tensor is None else tensor.new_empty(tensor.shape if is_wanted else 0)
        for tensor, is_wanted in zip((arguments[n] for n in _DIFFERENTIABLE), wants, strict=True)
    ]
    return found[0] if len(found) == 1 else tuple(found)


torch.library.register_fake(f"{OP}_backward", _fake_backward)


def _kernel_gradients(
    grad: Tensor, arguments: Sequence[Any], wants: Sequence[bool]
) -> list[Tensor | None]:
    """The gradients that the kernel gives; None where one is not wanted."""
    if not any(wants):
        return [None for _ in wants]
    found = _backward_operator(grad, *arguments, wants)
    found = [found] if isinstance(found, Tensor) else found
    return [each if is_wanted else None for each, is_wanted in zip(found, wants, strict=True)]


class DeformConv2dFunction(torch.autograd.Function):
    """`deform_conv2d` as an autograd function: its gradients, and its symbolic for TorchScript export.

    `deform_conv2d` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @classmethod
    def apply(cls, *args: Any) -> Any:
        if _autograd.is_transformed():  # the operator knows of tangents and of torch.func
            return cls.forward(*args)
        return super().apply(*args)

    @staticmethod
    def forward(
        input: Tensor,
        weight: Tensor,
        offset: Tensor,
        mask: Tensor,
        bias: Tensor,
        stride_h: int,
        stride_w: int,
        pad_h: int,
        pad_w: int,
        dilation_h: int,
        dilation_w: int,
        groups: int,
        offset_groups: int,
        use_mask: bool,
    ) -> Tensor:
        result: Tensor = _operator(
            input,
            weight,
            offset,
            mask,
            bias,
            stride_h,
            stride_w,
            pad_h,
            pad_w,
            dilation_h,
            dilation_w,
            groups,
            offset_groups,
            use_mask,
        )
        return result

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        (
            input,
            weight,
            offset,
            mask,
            bias,
            stride_h,
            stride_w,
            pad_h,
            pad_w,
            dilation_h,
            dilation_w,
            groups,
            offset_groups,
            use_mask,
        ) = inputs
        ctx.save_for_backward(input, weight, offset, mask, bias)
        ctx.scalars = (
            stride_h,
            stride_w,
            pad_h,
            pad_w,
            dilation_h,
            dilation_w,
            groups,
            offset_groups,
            use_mask,
        )

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        input, weight, offset, mask, bias = ctx.saved_tensors
        (
            stride_h,
            stride_w,
            pad_h,
            pad_w,
            dilation_h,
            dilation_w,
            groups,
            offset_groups,
            use_mask,
        ) = ctx.scalars
        arguments = (
            input,
            weight,
            offset,
            mask,
            bias,
            stride_h,
            stride_w,
            pad_h,
            pad_w,
            dilation_h,
            dilation_w,
            groups,
            offset_groups,
            use_mask,
        )
        wants = [
            ctx.needs_input_grad[0],
            ctx.needs_input_grad[1],
            ctx.needs_input_grad[2],
            ctx.needs_input_grad[3],
            ctx.needs_input_grad[4],
        ]
        (
            grad_input,
            grad_weight,
            grad_offset,
            grad_mask,
            grad_bias,
        ) = _kernel_gradients(grad, arguments, wants)
        return (
            grad_input,
            grad_weight,
            grad_offset,
            grad_mask,
            grad_bias,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
            None,
        )

    @staticmethod
    def symbolic(
        g: Any,
        input: torch.Value,
        weight: torch.Value,
        offset: torch.Value,
        mask: torch.Value,
        bias: torch.Value,
        stride_h: int,
        stride_w: int,
        pad_h: int,
        pad_w: int,
        dilation_h: int,
        dilation_w: int,
        groups: int,
        offset_groups: int,
        use_mask: bool,
    ) -> Any:
        return symbolic(
            g,
            input,
            weight,
            offset,
            mask,
            bias,
            stride_h,
            stride_w,
            pad_h,
            pad_w,
            dilation_h,
            dilation_w,
            groups,
            offset_groups,
            use_mask,
        )


_autograd.register(_operator, DeformConv2dFunction)
_autograd.refuse(_backward_operator, "csrc/kernel.h")


def deform_conv2d(
    input: Tensor,
    weight: Tensor,
    offset: Tensor,
    mask: Tensor,
    bias: Tensor,
    stride_h: int,
    stride_w: int,
    pad_h: int,
    pad_w: int,
    dilation_h: int,
    dilation_w: int,
    groups: int,
    offset_groups: int,
    use_mask: bool,
) -> Tensor:
    """Deformable convolution: a convolution whose samples lie at offsets, as in torchvision.

    Args:
        input: a tensor.
        weight: a tensor.
        offset: a tensor.
        mask: a tensor.
        bias: a tensor.
        stride_h: an integer.
        stride_w: an integer.
        pad_h: an integer.
        pad_w: an integer.
        dilation_h: an integer.
        dilation_w: an integer.
        groups: an integer.
        offset_groups: an integer.
        use_mask: a boolean.

    Returns:
        A contiguous tensor.

    Raises:
        RuntimeError: csrc/kernel.h refuses the arguments.
    """
    result: Tensor = _operator(
        input,
        weight,
        offset,
        mask,
        bias,
        stride_h,
        stride_w,
        pad_h,
        pad_w,
        dilation_h,
        dilation_w,
        groups,
        offset_groups,
        use_mask,
    )
    return result


class DeformConv2d(torch.nn.Module):
    """`deform_conv2d` as a module, with `stride_h`, `stride_w`, `pad_h`, `pad_w`, `dilation_h`, `dilation_w`, `groups`, `offset_groups` and `use_mask` fixed."""

    def __init__(
        self,
        stride_h: int,
        stride_w: int,
        pad_h: int,
        pad_w: int,
        dilation_h: int,
        dilation_w: int,
        groups: int,
        offset_groups: int,
        use_mask: bool,
    ) -> None:
        super().__init__()
        self.stride_h = stride_h
        self.stride_w = stride_w
        self.pad_h = pad_h
        self.pad_w = pad_w
        self.dilation_h = dilation_h
        self.dilation_w = dilation_w
        self.groups = groups
        self.offset_groups = offset_groups
        self.use_mask = use_mask

    def forward(
        self, input: Tensor, weight: Tensor, offset: Tensor, mask: Tensor, bias: Tensor
    ) -> Tensor:
        return deform_conv2d(
            input,
            weight,
            offset,
            mask,
            bias,
            self.stride_h,
            self.stride_w,
            self.pad_h,
            self.pad_w,
            self.dilation_h,
            self.dilation_w,
            self.groups,
            self.offset_groups,
            self.use_mask,
        )

    def extra_repr(self) -> str:
        return f"stride_h={self.stride_h}, stride_w={self.stride_w}, pad_h={self.pad_h}, pad_w={self.pad_w}, dilation_h={self.dilation_h}, dilation_w={self.dilation_w}, groups={self.groups}, offset_groups={self.offset_groups}, use_mask={self.use_mask}"
