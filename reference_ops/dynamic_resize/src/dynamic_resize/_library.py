"""Registers dynamic_resize::resize with PyTorch's dispatcher, once; the kernel composes PyTorch's operators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from dynamic_resize import _kernel

_NAMESPACE = "dynamic_resize"
_NAME = "resize"
_ARGUMENTS = ["input", "scales"]
_DIFFERENTIABLE = ["input"]
_compute: Any = _kernel.resize


def load() -> Any:
    """Registers the operator and returns the module of its kernel.

    Raises:
        ImportError: another library has registered the operator.
    """
    registered = hasattr(getattr(torch.ops, _NAMESPACE), _NAME)
    if registered and __file__ not in torch.ops.loaded_libraries:
        raise ImportError(
            f"{_NAMESPACE}::{_NAME} is already registered by another library; a process can "
            f"hold it once, so {__file__} does not register it"
        )
    if not registered:
        torch.library.define("dynamic_resize::resize", "(Tensor input, Tensor scales) -> Tensor")
        torch.library.impl("dynamic_resize::resize", "default", _implementation)
        torch.library.define(
            "dynamic_resize::resize_backward",
            "(Tensor grad, Tensor input, Tensor scales, bool[] wants) -> Tensor",
        )
        torch.library.impl("dynamic_resize::resize_backward", "default", _backward)
        torch.ops.loaded_libraries.add(__file__)
    return _kernel


def _implementation(*args: Any, **kwargs: Any) -> Tensor:
    """The kernel's result as an operator must return it: contiguous, and no view of an argument."""
    result = _compute(*args, **kwargs).contiguous()
    tensors = [value for value in (*args, *kwargs.values()) if isinstance(value, Tensor)]
    storage = result.untyped_storage().data_ptr()
    is_view = any(tensor.untyped_storage().data_ptr() == storage for tensor in tensors)
    own: Tensor = result.clone() if is_view else result
    return own


def _backward(grad: Tensor, *args: Any, create_graph: bool = False) -> Any:
    *values, wants = args
    arguments = dict(zip(_ARGUMENTS, values, strict=True))
    found = _vjp(grad, arguments, wants, create_graph=create_graph)
    return found[0] if len(found) == 1 else tuple(found)


def differentiable_backward(*args: Any) -> Any:
    """The gradients as `_backward` has them, to be differentiated themselves."""
    return _backward(*args, create_graph=True)


def _vjp(
    grad: Tensor,
    arguments: Mapping[str, Any],
    wants: Sequence[bool],
    *,
    create_graph: bool,
) -> list[Tensor]:
    """The gradients by PyTorch's own autograd through the kernel; empty where one is not wanted.

    Args:
        grad: the gradient with respect to the result, of its shape.
        arguments: those of the operator, by name.
        wants: whether each gradient is wanted, in the order of `_DIFFERENTIABLE`.
        create_graph: whether the gradients are to be differentiable themselves.
    """
    wanted = [name for name, is_wanted in zip(_DIFFERENTIABLE, wants, strict=True) if is_wanted]
    with torch.enable_grad():
        inputs = {name: _leaf(arguments[name], create_graph) for name in wanted}
        result = _compute(**{**arguments, **inputs})
        if result.requires_grad:
            found = torch.autograd.grad(
                result,
                list(inputs.values()),
                grad,
                create_graph=create_graph,
                materialize_grads=True,
            )
        else:  # it depends on none of them
            found = tuple(torch.zeros_like(tensor) for tensor in inputs.values())
    by_name = dict(zip(wanted, found, strict=True))
    return [
        by_name[name] if name in by_name else _nothing(arguments[name]) for name in _DIFFERENTIABLE
    ]


def _nothing(value: Tensor | None) -> Tensor:
    return torch.empty(0) if value is None else value.new_empty(0)


def _leaf(tensor: Tensor, create_graph: bool) -> Tensor:
    """A tensor to differentiate with respect to; hooks on the original are not called."""
    if not create_graph:
        return tensor.detach().requires_grad_()
    if tensor.requires_grad:
        return tensor.view_as(tensor)
    # Not detached: it may have a tangent, or belong to a transform of torch.func's.
    one = torch.ones((), dtype=tensor.dtype, device=tensor.device, requires_grad=True)
    return tensor * one
