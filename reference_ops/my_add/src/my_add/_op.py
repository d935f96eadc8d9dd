"""my_lib::my_add in PyTorch: the dispatcher's operator, its gradients and its Python faces."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from my_add import _autograd, _library
from my_add._symbolic import symbolic

_library.load()

OP = "my_lib::my_add"

_operator = torch.ops.my_lib.my_add.default
_TENSORS = ["a", "b"]
_DTYPES = (
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
    torch.uint8,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
)

_broadcast_shapes: Any = torch.broadcast_shapes  # untyped in torch


def _check(*tensors: Tensor) -> None:
    """Refuses what the C++ kernel would refuse, so that a bad call fails while it is traced."""
    first_name, first = _TENSORS[0], tensors[0]
    for name, tensor in zip(_TENSORS, tensors, strict=True):
        if tensor.dtype not in _DTYPES:
            supported = ", ".join(str(dtype) for dtype in _DTYPES)
            raise RuntimeError(f"{OP} supports {supported}, but {name} is {tensor.dtype}")
        if tensor.dtype != first.dtype:
            raise RuntimeError(
                f"{OP}: {first_name} and {name} must have the same dtype, "
                f"but {first_name} is {first.dtype} and {name} is {tensor.dtype}"
            )
        if tensor.device != first.device:
            raise RuntimeError(
                f"{OP}: {first_name} and {name} must be on the same device, "
                f"but {first_name} is on {first.device} and {name} is on {tensor.device}"
            )


def _fake(a: Tensor, b: Tensor) -> Tensor:
    """What the kernel returns, without its values: shape, dtype and device."""
    _check(a, b)
    shape = _broadcast_shapes(a.shape, b.shape)
    return a.new_empty(shape)


torch.library.register_fake(OP, _fake)


class MyAddFunction(torch.autograd.Function):
    """`my_add` as an autograd function: its gradients, and its symbolic for TorchScript export.

    `my_add` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @classmethod
    def apply(cls, *args: Any) -> Any:
        if _autograd.is_transformed():  # the operator knows of tangents and of torch.func
            return cls.forward(*args)
        return super().apply(*args)

    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        result: Tensor = _operator(a, b)
        return result

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        a, b = inputs
        ctx.shapes = a.shape, b.shape

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        a_shape, b_shape = ctx.shapes
        grad_a = None
        if ctx.needs_input_grad[0]:
            grad_a = (2 * grad).sum_to_size(a_shape)
        grad_b = None
        if ctx.needs_input_grad[1]:
            grad_b = grad.sum_to_size(b_shape)
        return grad_a, grad_b

    @staticmethod
    def symbolic(g: Any, a: torch.Value, b: torch.Value) -> Any:
        return symbolic(g, a, b)


_autograd.register(_operator, MyAddFunction)


def my_add(a: Tensor, b: Tensor) -> Tensor:
    """2a + b, element by element.

    Args:
        a: a tensor of any shape; the shapes broadcast together.
        b: a tensor of any shape; the shapes broadcast together.

    Returns:
        A contiguous tensor of the broadcast shape and of the same dtype.

    Raises:
        RuntimeError: the dtype is not float32, float64, float16, bfloat16, uint8, int8, int16,
            int32 or int64, or the tensors differ in dtype or device, or do not broadcast.
    """
    result: Tensor = _operator(a, b)
    return result


class MyAdd(torch.nn.Module):
    """`my_add` as a module."""

    def forward(self, a: Tensor, b: Tensor) -> Tensor:
        return my_add(a, b)
