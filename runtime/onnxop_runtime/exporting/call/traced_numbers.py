"""Numbers of Python that a model's code makes of tensors, as ``int(x.max())`` and
``math.sqrt(x.shape[1])`` → tensors, which `torch.jit.trace` records.

Python has functions that return a number (an ``int``, a ``float``, a side of a comparison) even of
a tensor; a trace keeps that number as a constant. This is wrong if the tensor is *dynamic*: it has
one element, and the trace computes it of the model's inputs. For the modules of the model that
call such a function with a dynamic tensor, `functions_of_numbers` has others in their place.
"""

from __future__ import annotations

import linecache
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Any

import torch

from ...torch_internals import depends_on_others, is_tracing
from . import functions_of_numbers
from .model_arguments import Model

_Globals = dict[str, Any]  # of a module, by name

_NO_MODELS = frozenset((*sys.stdlib_module_names, "torch", "numpy"))
"""Modules that never have a model's code."""
_ROUNDED = {
    "__floor__": torch.floor,
    "__ceil__": torch.ceil,
    "__trunc__": torch.trunc,
    "__round__": torch.round,
}


class NumberNeeded(BaseException):
    """Ends a trace in which a module has called a function of numbers, such as ``int``, with a
    dynamic tensor; no ``except Exception`` of a model catches it.
    """


@dataclass(frozen=True)
class _Replaced:
    """A function of numbers that a module shall not call, but one that returns tensors."""

    module: _Globals
    function: str


class TracedNumbers:
    """Has ``int``, ``float``, ``min``, ``max`` and the functions of ``math`` return tensors under a
    trace, in the modules that call them with dynamic tensors.

    No method of a tensor can do that, as these functions return numbers of Python only. So the
    first call in a module ends the trace, and in the next one the module has another function.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._replaced: list[_Replaced] = []

    @property
    def has_replaced(self) -> bool:
        """Whether a function is replaced, as a module has called it with a dynamic tensor."""
        return bool(self._replaced)

    def trace(self, export: Callable[[], None], forget: Callable[[], None]) -> None:
        """Export until no further module calls such a function; ``forget`` what an ended trace has
        left.
        """
        while True:
            try:
                with self._replacing():
                    export()
            except NumberNeeded:
                forget()
            else:
                return

    @contextmanager
    def _replacing(self) -> Iterator[None]:
        """Have the modules found so far call other functions; end the trace at a further one."""
        replacements = functions_of_numbers.instead(self._is_dynamic)
        with ExitStack() as stack:
            for replaced in self._replaced:
                name = replaced.function
                stack.enter_context(_with_global(replaced.module, name, replacements[name]))
            for name, method in self._methods().items():
                stack.callback(delattr, torch.Tensor, name)
                setattr(torch.Tensor, name, method)
            yield

    def _methods(self) -> dict[str, Callable[..., object]]:
        """Return the methods of a tensor that Python's own functions of numbers call."""
        watched = {name: self._watched(name, find) for name, find in _CALLERS.items()}
        rounding = {name: partial(self._rounded, function) for name, function in _ROUNDED.items()}
        return {**watched, **{name: _as_method(function) for name, function in rounding.items()}}

    def _watched(
        self, name: str, find_callers: Callable[[FrameType], list[str]]
    ) -> Callable[[torch.Tensor], object]:
        """Return a method of a tensor, which ends the trace if the function of numbers that has
        called it can return a tensor.
        """
        original: Any = vars(torch.Tensor).get(name) or getattr(torch.Tensor, name)

        def method(tensor: torch.Tensor) -> object:
            frame = sys._getframe(1)
            to_replace = self._to_replace(frame, find_callers)
            if to_replace and self._is_dynamic(tensor):
                self._replaced += to_replace
                raise NumberNeeded
            return _with_warnings_of(original, tensor) if is_tracing() else original(tensor)

        return method

    def _to_replace(
        self, frame: FrameType, find_callers: Callable[[FrameType], list[str]]
    ) -> list[_Replaced]:
        """Return the functions of numbers that a line of a model calls, unless replaced there."""
        module = frame.f_globals
        if not _is_of_model(module):
            return []
        replaced = [one.function for one in self._replaced if one.module is module]
        callers = [name for name in find_callers(frame) if name not in replaced]
        return [_Replaced(module, name) for name in callers]

    def _rounded(self, function: Callable[..., Any], tensor: torch.Tensor) -> object:
        """Return what Python's function of a number returns, of a tensor that it rounds."""
        if not self._is_dynamic(tensor):
            return int(function(tensor))
        whole = function(tensor) if tensor.is_floating_point() else tensor
        return whole.reshape(()).to(torch.int64, copy=True)

    def _is_dynamic(self, tensor: torch.Tensor) -> bool:
        """Return whether a tensor is a real number that a trace computes of the model's inputs."""
        is_number = is_tracing() and not tensor.is_complex() and _has_one_element(tensor)
        if not is_number:
            return False
        state = [*self._model.parameters(), *self._model.buffers()]
        return depends_on_others(tensor, state)


@contextmanager
def _with_global(module: _Globals, name: str, replacement: object) -> Iterator[None]:
    """Give a module another object of a name; after the block, its own one again, or none."""
    has_own = name in module
    own = module.get(name)
    module[name] = replacement
    try:
        yield
    finally:
        if has_own:
            module[name] = own
        else:
            module.pop(name, None)


def _as_method(function: Callable[[torch.Tensor], object]) -> Callable[..., object]:
    return lambda tensor, *_digits: function(tensor)


def _has_one_element(tensor: torch.Tensor) -> bool:
    """Return whether a tensor has one element; a trace has their count as a tensor, too."""
    with warnings.catch_warnings(action="ignore"):
        return bool(tensor.numel() == 1)


def _with_warnings_of(original: Callable[..., object], tensor: torch.Tensor) -> object:
    """Return what a method returns, with its warnings at the line of the model that called it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        number = original(tensor)
    for warning in caught:
        warnings.warn(str(warning.message), warning.category, stacklevel=3)
    return number


def _is_of_model(module: _Globals) -> bool:
    package = str(module.get("__name__", "")).partition(".")[0]
    return package not in _NO_MODELS


# ---- The functions of numbers that a line calls ----


def _int_at(frame: FrameType) -> list[str]:
    """Return ``int``, if the module calls it, or asks ``isinstance``, but nothing else."""
    return ["int"] if _is_called_only(frame.f_globals, "int") else []


def _float_and_math_at(frame: FrameType) -> list[str]:
    """Return ``float``, and the module ``math``, where the line calls them."""
    module, line = frame.f_globals, _line(frame)
    names = []
    if re.search(r"\bfloat\(", line) and _is_called_only(module, "float"):
        names.append("float")
    if re.search(r"\bmath\.", line) and module.get("math") is math:
        names.append("math")
    return names


def _min_and_max_at(frame: FrameType) -> list[str]:
    """Return ``min`` and ``max``, those that the line calls and the module does not have itself."""
    line = _line(frame)
    names = [name for name in ("min", "max") if re.search(rf"(?<![\w.]){name}\(", line)]
    return [name for name in names if name not in frame.f_globals]


def _line(frame: FrameType) -> str:
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno)


def _is_called_only(module: _Globals, name: str) -> bool:
    """Return whether a module has no object of its own of the name of a type, and takes the type as
    no object: one that compares types would see another.
    """
    compares = rf"\btype\(.*\b{name}\b|\bis (not )?{name}\b"
    return name not in module and not re.search(compares, _source(module))


def _source(module: _Globals) -> str:
    """Return the text of a module's file, or ``""``."""
    try:
        with open(str(module["__file__"]), encoding="utf-8") as file:
            return file.read()
    except (KeyError, OSError, UnicodeDecodeError):
        return ""


_CALLERS = {"__int__": _int_at, "__float__": _float_and_math_at, "__bool__": _min_and_max_at}
"""By the method of a tensor: the functions of numbers that may have called it at a line."""
