"""The functions of a model's own into which no exporter looks: of torch.autograd, and of compiled extensions."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.machinery import ExtensionFileLoader
from types import BuiltinFunctionType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from onnxop_runtime.exporting import replaced

from ..trial import places
from ..trial.places import Place
from .calls import words, words_of

_LIBRARIES = replaced.LIBRARIES | {"torchvision", "onnxop_runtime", "google", "yaml", "PIL"}
_LIBRARIES |= {"pydantic_core", "ml_dtypes"}


@dataclass(eq=False)
class Called:
    """A function of the model's own, and its first call.

    ``name`` is the dotted name that `onnxop_runtime.replaced` takes, ``what`` says which kind it is of,
    ``way`` the way out.
    """

    name: str
    what: str
    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: Any
    places: list[Place] = field(default_factory=list)
    way: str = ""

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
            has_tensors = any(
                isinstance(x, torch.Tensor) for x in pytree.tree_leaves((args, kwargs))
            )
            if not depth and has_tensors:  # what another one calls is that one's affair
                one = found.setdefault(name, Called(name, what, function, args, kwargs, results))
                place = _place_here()
                one.places += [place] if place and place not in one.places else []
            return results

        return call

    own = {each: recording(name, what, each) for name, what, each in _candidates()}
    with replaced.in_place(own):
        yield found


def _candidates() -> Iterator[tuple[str, str, Any]]:
    """Yield the functions that there are, their names, and what they are."""
    pending = [*torch.autograd.Function.__subclasses__()]
    while pending:
        each = pending.pop()
        pending += each.__subclasses__()
        if each.__module__.partition(".")[0] not in _LIBRARIES:
            name = f"{each.__module__}.{each.__qualname__}.apply"
            yield name, "a torch.autograd.Function", each.apply
    for module in [*sys.modules.values()]:
        loader = getattr(getattr(module, "__spec__", None), "loader", None)
        if not isinstance(loader, ExtensionFileLoader):
            continue
        if module.__name__.partition(".")[0] not in _LIBRARIES:
            for word, value in [*vars(module).items()]:
                if isinstance(value, BuiltinFunctionType) and not word.startswith("__"):
                    name = f"{module.__name__}.{word}"
                    yield name, "a function of a compiled extension", value


def _place_here() -> Place | None:
    own = __file__, replaced.__file__
    frames = [(each.f_code.co_filename, line) for each, line in traceback.walk_stack(None)]
    return places.of_frames(frame for frame in reversed(frames) if frame[0] not in own)
