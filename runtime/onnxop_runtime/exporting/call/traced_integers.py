"""Numbers that a model's code makes of tensors, as ``int(x.max())`` → tensors, which
`torch.jit.trace` takes as sizes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

import torch

from ...torch_internals import depends_on_others, is_tracing
from .model_arguments import Model

_OTHERS = frozenset((*sys.stdlib_module_names, "torch", "numpy"))  # no modules of models
_CHECKS_TYPES = re.compile(r"\btype\(.*\bint\b|\bis (not )?int\b")  # int as an object, not a call


class IntegerNeeded(BaseException):
    """Ends a trace in which a module has called ``int`` of a tensor; no ``except Exception`` of a
    model catches it.
    """


class TracedIntegers:
    """Has ``int`` return tensors under a trace, in the modules that call it with tensors of which
    a trace makes constants.

    No method of a tensor can do that, as ``int`` returns numbers of Python only. So the first call
    in a module ends the trace, and in the next one the module has another ``int``.
    """

    def __init__(self, model: Model) -> None:
        self._model = model
        self._modules: list[dict[str, Any]] = []

    @property
    def are_kept(self) -> bool:
        """Whether a module has called ``int`` with such a tensor."""
        return bool(self._modules)

    def trace(self, export: Callable[[], None], forget: Callable[[], None]) -> None:
        """Export until no further module calls ``int``; ``forget`` what an ended trace has left."""
        while True:
            try:
                with self._recorded():
                    export()
            except IntegerNeeded:
                forget()
            else:
                return

    @contextmanager
    def _recorded(self) -> Iterator[None]:
        """Have the known modules call another ``int``, and end the trace at a further one."""
        with ExitStack() as stack:
            for names in self._modules:
                stack.callback(names.pop, "int", None)
                names["int"] = _integer_type(self._returned)
            for name, function in self._methods().items():
                stack.callback(delattr, torch.Tensor, name)
                setattr(torch.Tensor, name, function)
            yield

    def _methods(self) -> dict[str, Callable[[torch.Tensor], object]]:
        """Return the methods that Python's own functions of numbers call."""
        integer: Any = vars(torch.Tensor).get("__int__", torch.Tensor.__int__)

        def to_integer(tensor: torch.Tensor) -> object:
            names = sys._getframe(1).f_globals
            if self._is_dynamic(tensor) and self._may_be_other(names):
                self._modules.append(names)
                raise IntegerNeeded
            return integer(tensor)

        rounded = {
            "__floor__": torch.floor,
            "__ceil__": torch.ceil,
            "__trunc__": torch.trunc,
            "__round__": torch.round,
        }
        by_name = {name: partial(self._rounded, function) for name, function in rounded.items()}
        methods = {name: _as_method(function) for name, function in by_name.items()}
        return {"__int__": to_integer, **methods}

    def _may_be_other(self, names: dict[str, Any]) -> bool:
        """Return whether a module of a model can have another ``int``: it has none of its own, and
        calls it, or asks ``isinstance``, but nothing else.
        """
        module = str(names.get("__name__", "")).partition(".")[0]
        if "int" in names or module in _OTHERS:
            return False
        return not _CHECKS_TYPES.search(_source(names))

    def _returned(self, value: object) -> object:
        """Return an integer tensor in place of ``int(value)``, or NotImplemented."""
        if not isinstance(value, torch.Tensor) or not self._is_dynamic(value):
            return NotImplemented
        return value.reshape(()).to(torch.int64, copy=True)

    def _rounded(self, function: Callable[..., Any], tensor: torch.Tensor) -> object:
        """Return what Python's function of a number returns, of a tensor that it rounds."""
        if not self._is_dynamic(tensor):
            return int(function(tensor))
        whole = function(tensor) if tensor.is_floating_point() else tensor
        return whole.reshape(()).to(torch.int64, copy=True)

    def _is_dynamic(self, tensor: torch.Tensor) -> bool:
        """Return whether a trace computes a number of the model's inputs."""
        if not is_tracing() or tensor.numel() != 1 or tensor.is_complex():
            return False
        state = [*self._model.parameters(), *self._model.buffers()]
        return depends_on_others(tensor, state)


def _as_method(function: Callable[[torch.Tensor], object]) -> Callable[..., object]:
    return lambda tensor, *_digits: function(tensor)


def _source(names: dict[str, Any]) -> str:
    """Return the text of a module's file, or ``""``."""
    try:
        with open(str(names["__file__"]), encoding="utf-8") as file:
            return file.read()
    except (KeyError, OSError, UnicodeDecodeError):
        return ""


def _integer_type(returned: Callable[[object], object]) -> type:
    """Return the type of integers, whose call returns what ``returned`` does, if that is
    implemented.
    """

    class Meta(type):
        def __call__(cls, *args: Any, **kwargs: Any) -> Any:
            result = NotImplemented if kwargs or len(args) != 1 else returned(args[0])
            return int(*args, **kwargs) if result is NotImplemented else result

        def __instancecheck__(cls, value: object) -> bool:
            return isinstance(value, int)

        def __subclasscheck__(cls, other: type) -> bool:
            return issubclass(other, int)

    return Meta("int", (int,), {})
