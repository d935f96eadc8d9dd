"""The user functions that exporters cannot trace: of torch.autograd, and of compiled extensions."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import BuiltinFunctionType
from typing import Any

import torch

from onnxop_runtime.exporting.replacement import namespaces, replaced
from onnxop_runtime.messages import join_words
from onnxop_runtime.torch_internals import pytree

from ...errors import OnnxopError
from ...starter.own_functions import of_function
from ...starter.starter import Starter
from ...trial import places
from ...trial.call import format_arguments, format_value
from ...trial.places import Place
from ..model import target

_LIBRARIES = replaced.LIBRARIES | {"torchvision", "onnxop_runtime", "google", "yaml", "PIL"}
_LIBRARIES |= {"pydantic_core", "ml_dtypes"}


@dataclass(frozen=True, eq=False)
class OwnFunctionCall:
    """A function of the model's own, and its first call.

    ``name`` is the dotted name for `onnxop_runtime.replaced`, ``kind`` what the function is,
    ``remedy`` what to do, ``op`` the name of the op that replaces it, ``origin`` that of its
    starter.
    """

    name: str
    kind: str
    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: Any
    places: list[Place] = field(default_factory=list)
    remedy: str = ""
    op: str = ""
    origin: str = ""

    def __str__(self) -> str:
        """The call and its results as text."""
        arguments = format_arguments(self.args, self.kwargs)
        return f"{self.name}({arguments}) -> {format_value(self.results)}"


@contextmanager
def record_own_functions() -> Iterator[dict[str, OwnFunctionCall]]:
    """Yield a dict that collects, by name, the model's own functions called with tensors meanwhile."""
    functions: dict[str, OwnFunctionCall] = {}
    depth = 0

    def recording(name: str, kind: str, function: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal depth
            depth += 1
            try:
                results = function(*args, **kwargs)
            finally:
                depth -= 1
            leaves = pytree.tree_leaves((args, kwargs))
            # Record the outermost function only.
            if not depth and any(issubclass(type(leaf), torch.Tensor) for leaf in leaves):
                new = OwnFunctionCall(name, kind, function, args, kwargs, results)
                first_call = functions.setdefault(name, new)
                place = _place_here()
                if place and place not in first_call.places:
                    first_call.places.append(place)
            return results

        return call

    own = {function: recording(name, kind, function) for name, kind, function in _candidates()}
    with replaced.in_place(own):
        yield functions


def starter_of(name: str, model: str, requires: Sequence[str]) -> Starter:
    """Return a spec of ``package.module:Function``, as called first by ``model`` or, without one,
    by the model that ``build`` of the same module returns.

    Raises:
        OnnxopError: there is no such model, it does not call the function, or no spec can describe
            it.
    """
    module, _, function = name.rpartition(":")
    try:
        owner = target.load(model or f"{module}:build", requires)
    except target.TargetError as error:
        raise OnnxopError(
            f"{name}: name a model that calls it, with --model MODULE:FUNCTION: {error}"
        ) from error
    with record_own_functions() as functions:
        target.check_runs(owner)
    for call in functions.values():
        if _is_named(call, function):
            return of_function(call.name, call.function, call.args, call.kwargs, call.results)
    hint = f"; its own functions are {join_words(functions)}" if functions else ""
    raise OnnxopError(f"{name}: {owner.name} does not call this function with tensors{hint}")


def _is_named(call: OwnFunctionCall, name: str) -> bool:
    """Return whether a call is of a function of this name, or of the class of this name."""
    function = call.name.removesuffix(".apply")
    return function == name or function.endswith(f".{name}")


def _candidates() -> Iterator[tuple[str, str, Any]]:
    """Yield the name, the kind and the function of each candidate. Run no code of the modules that
    have them.
    """
    for cls in namespaces.subclasses(torch.autograd.Function):
        module, name = namespaces.class_name(cls)
        apply = namespaces.bound(cls, "apply")
        if module and apply is not None and not _is_library(module):
            yield f"{module}.{name}.apply", "a torch.autograd.Function", apply
    for owner, module in replaced.owners():
        for attribute, value in namespaces.attributes(module).items():
            if type(value) is not BuiltinFunctionType or attribute.startswith("__"):
                continue
            home = namespaces.module_of_builtin(value, owner)
            if home and not _is_library(home):
                name = f"{home if home in sys.modules else owner}.{attribute}"
                yield name, "a function of a compiled extension", value


def _is_library(module: str) -> bool:
    return module.partition(".")[0] in _LIBRARIES


def _place_here() -> Place | None:
    own = __file__, replaced.__file__
    frames = [(frame.f_code.co_filename, line) for frame, line in traceback.walk_stack(None)]
    return places.of_frames(frame for frame in reversed(frames) if frame[0] not in own)
