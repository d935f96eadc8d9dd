"""Functions of PyTorch that `torch.jit.trace` gives sizes as constants → the same, computed by operators that it records."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

import torch

from ...mapping.numbers import is_list, leaves
from ...torch_internals import TracerWarning, is_tracing

_Function = Callable[..., Any]


@contextmanager
def recorded() -> Iterator[None]:
    """Have `torch.jit.trace` record the sizes that a model gives to `torch.tensor`, `torch.as_tensor` and
    `torch.linspace`, in place of the values that they have in the trace.
    """
    with ExitStack() as stack:
        for name, instead in _INSTEAD.items():
            original = getattr(torch, name)
            stack.callback(setattr, torch, name, original)
            setattr(torch, name, _in_traces(original, instead))
        yield


def _in_traces(original: _Function, instead: Callable[..., Any]) -> _Function:
    """Return a function that calls ``instead`` under a trace of its thread, else the original."""

    @wraps(original)
    def function(*args: object, **kwargs: object) -> object:
        if not is_tracing():
            return original(*args, **kwargs)
        return instead(original, *args, **kwargs)

    return function


def _tensor(original: _Function, data: object, *args: object, **kwargs: object) -> object:
    """Return a tensor of nested lists that have sizes: these stacked."""
    items = leaves(data)
    if not is_list(data) or not any(map(_is_size, items)) or kwargs.get("requires_grad"):
        return original(data, *args, **kwargs)
    if any(isinstance(item, torch.Tensor) and not _is_size(item) for item in items):
        return original(data, *args, **kwargs)
    with _without_warnings():
        constant = original(data, *args, **kwargs)
        numbers = constant.flatten().unbind()
    pairs = zip(items, numbers, strict=True)
    parts = [item.to(number) if _is_size(item) else number for item, number in pairs]
    return torch.stack(parts).reshape(constant.shape)


def _linspace(
    original: _Function, start: object, end: object, steps: object, **kwargs: Any
) -> object:
    """Return evenly spaced numbers. If a bound is computed of sizes, both get the result's dtype: the exporter's rule
    returns that of the bounds.
    """
    dtype = kwargs.get("dtype") or torch.get_default_dtype()
    if not _is_size(start) and not _is_size(end):
        return original(start, end, steps, **kwargs)
    with _without_warnings():
        first, last = (torch.as_tensor(bound).to(dtype) for bound in (start, end))
    return original(first, last, steps, **kwargs)


@contextmanager
def _without_warnings() -> Iterator[None]:
    """Leave out the trace's warnings of constants, which are meant here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TracerWarning)
        yield


_INSTEAD: dict[str, _Function] = {"tensor": _tensor, "as_tensor": _tensor, "linspace": _linspace}


def _is_size(value: Any) -> bool:
    """Return whether a value may be a size in a trace, or a number computed of sizes."""
    return isinstance(value, torch.Tensor) and value.dim() == 0
