"""Numbers that a model's code makes of tensors, as ``int(x.max())`` and ``math.sqrt(x.shape[1])`` →
tensors, which `torch.jit.trace` records.
"""

from __future__ import annotations

import linecache
import math
import re
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from types import FrameType
from typing import Any

import torch

from ...torch_internals import depends_on_others, is_tracing
from . import functions_of_numbers
from .model_arguments import Model

_Names = dict[str, Any]  # the global names of a module

_OTHERS = frozenset((*sys.stdlib_module_names, "torch", "numpy"))  # no modules of models
_ROUNDED = {
    "__floor__": torch.floor,
    "__ceil__": torch.ceil,
    "__trunc__": torch.trunc,
    "__round__": torch.round,
}


class NumberNeeded(BaseException):
    """Ends a trace in which a module has called a function of numbers, such as ``int``, of a
    tensor; no ``except Exception`` of a model catches it.
    """


class TracedNumbers:
    """Has ``int``, ``float``, ``min``, ``max`` and the functions of ``math`` return tensors under a
    trace, in the modules that call them with tensors of which a trace makes constants.

    No method of a tensor can do that, as these functions return numbers of Python only. So the
    first call in a module ends the trace, and in the next one the module has another function.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._replaced: list[tuple[_Names, str]] = []

    @property
    def has_replaced(self) -> bool:
        """Whether a function is replaced, as a module has called it with such a tensor."""
        return bool(self._replaced)

    def trace(self, export: Callable[[], None], forget: Callable[[], None]) -> None:
        """Export until no further module calls such a function; ``forget`` what an ended trace has
        left.
        """
        while True:
            try:
                with self._recorded():
                    export()
            except NumberNeeded:
                forget()
            else:
                return

    @contextmanager
    def _recorded(self) -> Iterator[None]:
        """Have the known modules call other functions, and end the trace at a further one."""
        of_tensors = functions_of_numbers.instead(self._is_dynamic)
        with ExitStack() as stack:
            for names, name in self._replaced:
                own = [names[name]] if name in names else []
                stack.callback(_restore, names, name, own)
                names[name] = of_tensors[name]
            for name, method in self._methods().items():
                stack.callback(delattr, torch.Tensor, name)
                setattr(torch.Tensor, name, method)
            yield

    def _methods(self) -> dict[str, Callable[..., object]]:
        """Return the methods that Python's own functions of numbers call."""
        needed = {
            name: self._watched(name, function) for name, function in _functions_by_method().items()
        }
        rounded = {name: partial(self._rounded, function) for name, function in _ROUNDED.items()}
        return {**needed, **{name: _as_method(function) for name, function in rounded.items()}}

    def _watched(
        self, name: str, functions_called: Callable[[FrameType], list[str]]
    ) -> Callable[[torch.Tensor], object]:
        """Return the method, which ends the trace if a function of the module that calls it can
        return a tensor.
        """
        original: Any = vars(torch.Tensor).get(name) or getattr(torch.Tensor, name)

        def method(tensor: torch.Tensor) -> object:
            frame = sys._getframe(1)
            known = [name for names, name in self._replaced if names is frame.f_globals]
            further = [name for name in functions_called(frame) if name not in known]
            if further and self._is_dynamic(tensor) and _is_of_model(frame.f_globals):
                self._replaced += [(frame.f_globals, name) for name in further]
                raise NumberNeeded
            return _with_warnings_of(original, tensor) if is_tracing() else original(tensor)

        return method

    def _rounded(self, function: Callable[..., Any], tensor: torch.Tensor) -> object:
        """Return what Python's function of a number returns, of a tensor that it rounds."""
        if not self._is_dynamic(tensor):
            return int(function(tensor))
        whole = function(tensor) if tensor.is_floating_point() else tensor
        return whole.reshape(()).to(torch.int64, copy=True)

    def _is_dynamic(self, tensor: torch.Tensor) -> bool:
        """Return whether a trace computes a number of the model's inputs."""
        if not is_tracing() or tensor.is_complex() or not _has_one_element(tensor):
            return False
        state = [*self._model.parameters(), *self._model.buffers()]
        return depends_on_others(tensor, state)


def _restore(names: _Names, name: str, originals: list[object]) -> None:
    """Give a module its own object of a name, or none."""
    if originals:
        names[name] = originals[0]
    else:
        names.pop(name, None)


def _as_method(function: Callable[[torch.Tensor], object]) -> Callable[..., object]:
    return lambda tensor, *_digits: function(tensor)


def _has_one_element(tensor: torch.Tensor) -> bool:
    """Return whether a tensor is a number; a trace has its number of elements as a tensor, too."""
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


def _is_of_model(names: _Names) -> bool:
    module = str(names.get("__name__", "")).partition(".")[0]
    return module not in _OTHERS


# ---- The functions that call a method of a tensor ----


def _functions_by_method() -> dict[str, Callable[[FrameType], list[str]]]:
    return {"__int__": _integers, "__float__": _floats, "__bool__": _bounds}


def _integers(frame: FrameType) -> list[str]:
    """Return ``int``, if the module calls it, or asks ``isinstance``, but nothing else."""
    return ["int"] if _is_called_only(frame.f_globals, "int") else []


def _floats(frame: FrameType) -> list[str]:
    """Return ``float``, and the module ``math``, where the line calls them."""
    names, line = frame.f_globals, _line(frame)
    called = []
    if re.search(r"\bfloat\(", line) and _is_called_only(names, "float"):
        called.append("float")
    if re.search(r"\bmath\.", line) and names.get("math") is math:
        called.append("math")
    return called


def _bounds(frame: FrameType) -> list[str]:
    """Return ``min`` and ``max``, those that the line calls and the module does not have itself."""
    line = _line(frame)
    called = [name for name in ("min", "max") if re.search(rf"(?<![\w.]){name}\(", line)]
    return [name for name in called if name not in frame.f_globals]


def _line(frame: FrameType) -> str:
    return linecache.getline(frame.f_code.co_filename, frame.f_lineno)


def _is_called_only(names: _Names, name: str) -> bool:
    """Return whether a module has no object of its own of the name of a type, and takes the type as
    no object: one that compares types would see another.
    """
    compares = rf"\btype\(.*\b{name}\b|\bis (not )?{name}\b"
    return name not in names and not re.search(compares, _source(names))


def _source(names: _Names) -> str:
    """Return the text of a module's file, or ``""``."""
    try:
        with open(str(names["__file__"]), encoding="utf-8") as file:
            return file.read()
    except (KeyError, OSError, UnicodeDecodeError):
        return ""
