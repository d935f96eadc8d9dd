"""Frames that torch.compile leaves as they are: those of this runtime, and all that they call.

Dynamo compiles each frame that begins while it is active. After a graph break these are also the frames
that PyTorch's dispatcher and autograd engine call from C++, below transforms and in backward passes of
which dynamo knows nothing. What dynamo traces as a part of its caller's frame is not affected.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FunctionType
from typing import Any

from ..torch_internals import leave_uncompiled

_Cached = type(functools.cache(len))
_RUNTIME = __name__.partition(".")[0]


def skip(function: Callable[..., Any]) -> None:
    """Run a function, those that it defines, and all that they call, without dynamo."""
    if isinstance(function, FunctionType):
        for code in _codes(function.__code__):
            leave_uncompiled(code)


def skip_members(namespace: Any) -> None:
    """Skip the functions of a module or a class."""
    module = namespace.__module__ if isinstance(namespace, type) else namespace.__name__
    for function in _functions(vars(namespace), module):
        skip(function)


def skip_runtime() -> None:
    """Skip the functions of all modules of this runtime that are imported."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"{_RUNTIME}."):
            skip_members(module)


def _functions(namespace: Mapping[str, Any], module: str) -> Iterator[FunctionType]:
    """The functions that a module defines, and those of its classes."""
    for value in namespace.values():
        match value:
            case type():
                if value.__module__ == module:
                    yield from _functions(vars(value), module)
                continue
            case staticmethod() | classmethod():
                value = value.__func__
            case property():
                value = value.fget
            case functools.cached_property():
                value = value.func
        if isinstance(value, FunctionType | _Cached):
            function = inspect.unwrap(value)
            if isinstance(function, FunctionType) and function.__module__ == module:
                yield function


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
