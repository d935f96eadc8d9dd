"""The functions of a model's own into which no exporter looks: of torch.autograd, and of compiled extensions."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import BuiltinFunctionType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from onnxop_runtime.exporting import replaced

from ..errors import OnnxopError, listed
from ..starter.own_functions import of_function
from ..starter.starter import Starter
from ..trial import places
from ..trial.call import words, words_of
from ..trial.places import Place
from . import target

_LIBRARIES = replaced.LIBRARIES | {"torchvision", "onnxop_runtime", "google", "yaml", "PIL"}
_LIBRARIES |= {"pydantic_core", "ml_dtypes"}


@dataclass(eq=False)
class Called:
    """A function of the model's own, and its first call.

    ``name`` is the dotted name that `onnxop_runtime.replaced` takes, ``what`` says which kind it is of,
    ``way`` the way out, ``op`` the name of the op in its place, ``origin`` that of its starter.
    """

    name: str
    what: str
    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: Any
    places: list[Place] = field(default_factory=list)
    way: str = ""
    op: str = ""
    origin: str = ""

    def __str__(self) -> str:
        """The call and its results in words."""
        given = words_of(self.args, self.kwargs)
        return f"{self.name}({given}), which gives {words(self.results)}"


@contextmanager
def watched() -> Iterator[dict[str, Called]]:
    """Yield the functions of the model's own that are called with tensors meanwhile, by their names."""
    found: dict[str, Called] = {}
    depth = 0

    def recording(name: str, what: str, function: Any) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            nonlocal depth
            depth += 1
            try:
                results = function(*args, **kwargs)
            finally:
                depth -= 1
            leaves = pytree.tree_leaves((args, kwargs))
            # What another one calls is that one's affair.
            if not depth and any(isinstance(x, torch.Tensor) for x in leaves):
                one = found.setdefault(name, Called(name, what, function, args, kwargs, results))
                place = _place_here()
                one.places += [place] if place and place not in one.places else []
            return results

        return call

    own = {each: recording(name, what, each) for name, what, each in _candidates()}
    with replaced.in_place(own):
        yield found


def starter_of(name: str, model: str, requires: Sequence[str]) -> Starter:
    """Return a spec of ``package.module:Function``, as a model calls it first: ``model``, or what ``build`` of
    the same module returns.

    Raises:
        OnnxopError: there is no such model, it does not call the function, or it can have no spec.
    """
    module, _, word = name.rpartition(":")
    try:
        given = target.load(model or f"{module}:build", requires)
    except target.TargetError as error:
        raise OnnxopError(
            f"{name}: give a model that calls it, --model MODULE:FUNCTION: {error}"
        ) from error
    with watched() as found:
        target.check_runs(given)
    for each in found.values():
        if f".{each.name}".removesuffix(".apply").endswith(f".{word}"):
            return of_function(each.name, each.function, each.args, each.kwargs, each.results)
    known = f"; it calls {listed(found)}" * bool(found)
    raise OnnxopError(f"{name}: {given.name} calls no such function of its own with tensors{known}")


def _candidates() -> Iterator[tuple[str, str, Any]]:
    """Yield the functions that there are, their names, and what they are."""
    pending = [*torch.autograd.Function.__subclasses__()]
    while pending:
        each = pending.pop()
        pending += each.__subclasses__()
        if each.__module__.partition(".")[0] not in _LIBRARIES:
            name = f"{each.__module__}.{each.__qualname__}.apply"
            yield name, "a torch.autograd.Function", each.apply
    for owner, module in replaced.owners():
        for word, value in [*vars(module).items()]:
            home = isinstance(value, BuiltinFunctionType) and value.__module__
            if home and home.partition(".")[0] not in _LIBRARIES and not word.startswith("__"):
                name = f"{home if home in sys.modules else owner}.{word}"
                yield name, "a function of a compiled extension", value


def _place_here() -> Place | None:
    own = __file__, replaced.__file__
    frames = [(each.f_code.co_filename, line) for each, line in traceback.walk_stack(None)]
    return places.of_frames(frame for frame in reversed(frames) if frame[0] not in own)
