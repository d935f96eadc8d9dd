"""asinh::asinh in PyTorch: the dispatcher's operator, its gradients and its Python faces."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from asinh import _autograd, _library
from asinh._symbolic import symbolic

_library.load()

OP = "asinh::asinh"

_operator = torch.ops.asinh.asinh.default
_TENSORS = ["self"]
_DTYPES = (
    torch.float32,
    torch.float64,
    torch.float16,
    torch.bfloat16,
)


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


def _fake(self: Tensor) -> Tensor:
    """What the kernel returns, without its values: shape, dtype and device."""
    _check(self)
    return self.new_empty(self.shape)


torch.library.register_fake(OP, _fake)


class AsinhFunction(torch.autograd.Function):
    """`asinh` as an autograd function: its gradients, and its symbolic for TorchScript export.

    `asinh` itself goes through the dispatcher, which is quicker and has the same gradients.
    """

    @classmethod
    def apply(cls, *args: Any) -> Any:
        if _autograd.is_transformed():  # the operator knows of tangents and of torch.func
            return cls.forward(*args)
        return super().apply(*args)

    @staticmethod
    def forward(input: Tensor) -> Tensor:
        result: Tensor = _operator(input)
        return result

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        (self,) = inputs
        ctx.save_for_backward(self)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (self,) = ctx.saved_tensors
        grad_self = None
        if ctx.needs_input_grad[0]:
            grad_self = grad * (self * self + 1).rsqrt()
        return (grad_self,)

    @staticmethod
    def symbolic(g: Any, input: torch.Value) -> Any:
        return symbolic(g, input)


_autograd.register(_operator, AsinhFunction)


def asinh(self: Tensor) -> Tensor:
    """The inverse hyperbolic sine, element by element.

    Args:
        self: a tensor of any shape.

    Returns:
        A contiguous tensor of the same shape and of the same dtype.

    Raises:
        RuntimeError: the dtype is not float32, float64, float16 or bfloat16.
    """
    result: Tensor = _operator(self)
    return result


class Asinh(torch.nn.Module):
    """`asinh` as a module."""

    def forward(self, input: Tensor) -> Tensor:
        return asinh(input)
