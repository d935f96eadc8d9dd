"""The functions of a model's own into which no exporter looks: of torch.autograd, and of compiled extensions."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.machinery import ExtensionFileLoader
from types import BuiltinFunctionType
from typing import Any

import torch
from torch.utils import _pytree as pytree

from onnxop_runtime.exporting import replaced

from ..trial import forks, places
from ..trial.call import Call
from ..trial.places import Place
from .calls import words
from .target import Target

_LIBRARIES = {*sys.stdlib_module_names, "torch", "torchvision", "numpy", "onnx", "onnxruntime"}
_LIBRARIES |= {
    "onnxscript",
    "onnxop_runtime",
    "google",
    "yaml",
    "PIL",
    "pydantic_core",
    "ml_dtypes",
}


@dataclass(eq=False)
class Called:
    """A function of the model's own, and its first call.

    ``name`` is the dotted name that `onnxop_runtime.replaced` takes, ``what`` says which kind it is of.
    """

    name: str
    what: str
    function: Any
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    results: Any
    places: list[Place] = field(default_factory=list)

    def __str__(self) -> str:
        """The call and its results in words."""
        given = [words(value) for value in self.args]
        given += [f"{name}={words(value)}" for name, value in self.kwargs.items()]
        return f"{self.name}({', '.join(given)}), which gives {words(self.results)}"


def called(target: Target) -> list[Called]:
    """Run the model once, and return the functions of its own that it calls with tensors."""
    if target.is_program:
        return []
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
    with replaced.in_place(own), forks.quiet():
        Call(target.model, target.args, target.kwargs).returned()
    return [*found.values()]


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
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename not in (__file__, replaced.__file__):
            frames.append((frame.f_code.co_filename, frame.f_lineno))
        frame = frame.f_back  # type: ignore[assignment]
    return places.of_frames(reversed(frames))
