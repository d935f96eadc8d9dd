"""Python's functions of numbers → the same, which return tensors of tensors that are dynamic."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from functools import reduce
from types import ModuleType
from typing import Any

import torch

_IsDynamic = Callable[[torch.Tensor], bool]

_MATH_FUNCTIONS = {
    "sqrt": torch.sqrt,
    "exp": torch.exp,
    "log2": torch.log2,
    "log10": torch.log10,
    "log1p": torch.log1p,
    "sin": torch.sin,
    "cos": torch.cos,
    "tanh": torch.tanh,
    "fabs": torch.abs,
}
"""The functions of ``math`` of one number."""


def instead(is_dynamic: _IsDynamic) -> dict[str, object]:
    """Return the objects by the names that a module calls: types for ``int`` and ``float``, which
    ``isinstance`` takes, functions for ``min`` and ``max``, and a module for ``math``.
    """
    return {
        "int": _number_type(int, torch.int64, is_dynamic),
        "float": _number_type(float, torch.float64, is_dynamic),
        "min": _bound(builtins.min, torch.minimum, is_dynamic),
        "max": _bound(builtins.max, torch.maximum, is_dynamic),
        "math": _math(is_dynamic),
    }


def _number_type(number: type, dtype: torch.dtype, is_dynamic: _IsDynamic) -> type:
    """Return a type of numbers, whose call returns a tensor of a dynamic one."""

    class Meta(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            if len(args) == 1 and not kwargs and _is_dynamic_tensor(args[0], is_dynamic):
                return _as_number(args[0], dtype)
            return number(*args, **kwargs)

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, number)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, number)

    return Meta(number.__name__, (number,), {})


def _bound(
    original: Callable[..., Any], chosen: Callable[..., Any], is_dynamic: _IsDynamic
) -> Callable[..., Any]:
    """Return ``min`` or ``max``, which choose with an operator among numbers of which some are
    dynamic.
    """

    def bound(*args: Any, **kwargs: Any) -> Any:
        values = args[0] if len(args) == 1 and isinstance(args[0], list | tuple) else args
        are_numbers = all(map(_is_number, values)) and len(values) > 1 and not kwargs
        if not are_numbers or not any(_is_dynamic_tensor(value, is_dynamic) for value in values):
            return original(*args, **kwargs)
        return reduce(chosen, map(_as_tensor, values))

    return bound


def _math(is_dynamic: _IsDynamic) -> ModuleType:
    """Return the module ``math`` with functions that return tensors of dynamic ones."""

    def log(value: Any, *base: Any) -> Any:
        if not _is_dynamic_tensor(value, is_dynamic) or any(
            isinstance(n, torch.Tensor) for n in base
        ):
            return math.log(value, *base)
        natural = torch.log(_as_number(value, torch.float64))
        return natural / math.log(*base) if base else natural

    module = ModuleType("math")
    vars(module).update(vars(math))
    functions = {name: _math_function(name, of, is_dynamic) for name, of in _MATH_FUNCTIONS.items()}
    vars(module).update(functions, log=log)
    return module


def _math_function(
    name: str, tensor_function: Callable[[torch.Tensor], torch.Tensor], is_dynamic: _IsDynamic
) -> Callable[[Any], Any]:
    """Return a function of ``math``, which calls ``tensor_function`` with a dynamic number."""
    original = getattr(math, name)

    def compute(value: Any) -> Any:
        if _is_dynamic_tensor(value, is_dynamic):
            return tensor_function(_as_number(value, torch.float64))
        return original(value)

    return compute


def _is_dynamic_tensor(value: object, is_dynamic: _IsDynamic) -> bool:
    return isinstance(value, torch.Tensor) and is_dynamic(value)


def _is_number(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number or (isinstance(value, torch.Tensor) and value.dim() == 0)


def _as_number(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return a tensor without dimensions, which shares no memory."""
    return tensor.reshape(()).to(dtype, copy=True)


def _as_tensor(value: Any) -> torch.Tensor:
    """Return a number as a tensor without dimensions."""
    if isinstance(value, torch.Tensor):
        return value
    dtype = torch.int64 if isinstance(value, int) else torch.float64
    return torch.full((), value, dtype=dtype)
