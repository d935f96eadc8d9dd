"""The names that PyTorch's modules have, read from its files: torch itself is not imported."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from . import facts

MODULES = frozenset({"special", "linalg", "fft", "nn"})
"""The modules of functions that a formula may name."""

CONSTANTS = frozenset(
    "pi e inf nan float16 bfloat16 float32 float64 float double half int8 int16 int32 int64 int "
    "long uint8 bool strided contiguous_format preserve_format channels_last".split()
)

PROPERTIES = frozenset(
    "T H mT mH shape dtype device layout ndim real imag itemsize is_cuda requires_grad".split()
)
"""The attributes of a tensor that are no methods."""


class Names(Collection[str]):
    """A set of names: whether one is in it is a question that the package keeps the answer to."""

    def __init__(self, what: str, find: Callable[[], frozenset[str]]) -> None:
        self._what, self._find = what, find

    def __contains__(self, name: object) -> bool:
        question = f"{name} is {self._what}"
        return bool(facts.ask(question, lambda: name in self._find()))

    def __iter__(self) -> Iterator[str]:
        return iter(self._find())

    def __len__(self) -> int:
        return len(self._find())


@cache
def _functions() -> frozenset[str]:
    text = _text("_C", "_VariableFunctions.pyi") + _text("functional.py")
    return _found(r"^(?:    )?def ([a-z]\w*)\(", text)


@cache
def _methods() -> frozenset[str]:
    stub = _text("_C", "__init__.pyi")
    start = stub.find("class TensorBase")
    end = stub.find("\nclass ", start + 1)
    return _found(r"^    def ([a-z]\w*)\(", stub[start:end] + _text("_tensor.py"))


@cache
def _functional() -> frozenset[str]:
    return _found(r"^(?:def )?([a-z]\w*)(?:\(| = )", _text("nn", "functional.py"))


@cache
def _members() -> frozenset[str]:
    """All that the module's own file speaks of, and its functions."""
    words = _found(r"(\w+)", _text("__init__.py"))
    return _functions() | CONSTANTS | MODULES | words


def _found(pattern: str, text: str) -> frozenset[str]:
    return frozenset(re.findall(pattern, text, re.MULTILINE))


FUNCTIONS = Names("a function of torch", _functions)
METHODS = Names("a method of Tensor", _methods)
FUNCTIONAL = Names("a function of torch.nn.functional", _functional)
MEMBERS = Names("a member of torch", _members)


def _text(*path: str) -> str:
    spec = find_spec("torch")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")
    file = Path(spec.submodule_search_locations[0]).joinpath(*path)
    return file.read_text(encoding="utf-8") if file.is_file() else ""
