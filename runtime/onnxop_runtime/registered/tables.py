"""A spec's text → its tables, with validated keys and types."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..mapping.problems import Problem, did_you_mean

LARGEST = 1_000_000
"""The largest number of characters in a spec."""
_STRING, _INTEGER, _STRINGS = "a string", "an integer", "an array of strings"
_KEYS = {
    "op": {"schema": _STRING, "doc": _STRING, "requires": _STRINGS, "name": _STRING},
    "onnx": {
        "opset": _INTEGER,
        "domain": _STRING,
        "op_type": _STRING,
        "version": _INTEGER,
        "mapping": _STRING,
        "dynamo": "a boolean",
        "decomposed": f"a boolean or {_STRINGS}",
    },
    "kernel": {"python": _STRING, "fake": _STRING, "autocast": _STRING},
}
"""The type of each key's value."""
_OF_PACKAGES = ("samples", "errors", "package", "autograd")
"""Tables for packages and their tests, which do not concern the rule."""
_COMPILED = ("elementwise", "source", "backward")
_TYPES = {str: _STRING, bool: "a boolean", int: _INTEGER, list: "an array", dict: "a table"}


@dataclass(frozen=True)
class SpecProblem:
    """A problem of a spec."""

    place: str
    """The file, or a label such as ``<text>``."""
    line: int
    """The line, from 1; 0 if it is unknown."""
    key: str
    """The table and the key, ``onnx.mapping``; "" for the whole spec."""
    fact: str
    remedy: str

    def __str__(self) -> str:
        where = f"{self.place}:{self.line}" if self.line else self.place
        parts = [where, *([self.key] if self.key else []), self.fact]
        return ": ".join(parts) + (f"; {self.remedy}" if self.remedy else "")


class SpecError(ValueError):
    """The error for specs that cannot be registered, with all their problems and remedies."""

    def __init__(self, problems: Iterable[SpecProblem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))

    @classmethod
    def of(cls, place: str, fact: str, remedy: str) -> SpecError:
        """Return an error with one problem of a whole file."""
        return cls([SpecProblem(place, 0, "", fact, remedy)])


@dataclass(frozen=True)
class Tables:
    """A spec's tables, its text and its place."""

    place: str
    text: str
    tree: Mapping[str, Any]

    def get(self, table: str, key: str, default: Any = None) -> Any:
        """Return the value of a key, or ``default`` if it is missing."""
        return self.tree.get(table, {}).get(key, default)

    def problem(self, key: str, fact: str, remedy: str) -> SpecProblem:
        """Return a problem of a key, ``onnx.mapping``, at its line."""
        return SpecProblem(self.place, self._line(key), key, fact, remedy)

    def error(self, key: str, fact: str, remedy: str) -> SpecError:
        """Return an error with one problem."""
        return SpecError([self.problem(key, fact, remedy)])

    def of_mapping(self, problem: Problem) -> SpecProblem:
        """Return a problem of the mapping, at its line in the spec's text."""
        mapping = self.get("onnx", "mapping")
        start, line = self.text.find(mapping), self._line("onnx.mapping")
        if problem.span is not None and start >= 0:  # the spec has the text without escapes
            line = self.text.count("\n", 0, start) + problem.span.lineno
        return SpecProblem(self.place, line, "onnx.mapping", problem.fact, problem.remedy)

    def _line(self, key: str) -> int:
        """Return the line of a key, or of its table; 0 if neither is found."""
        table, _, last = key.partition(".")
        nearest, current = 0, ""
        for number, line in enumerate(self.text.splitlines(), 1):
            if header := re.match(r"\s*\[+\s*([\w-]+)\s*\]+", line):
                current = header[1]
                nearest = nearest or number * (current == table)
            elif name := re.match(r"\s*([\w-]+)\s*=", line):
                if current == table and name[1] == last:
                    return number
                nearest = nearest or number * (not current and name[1] == table)
        return nearest


def read(text: str, place: str, *, takes_kernel: bool) -> Tables:
    """Return the tables of a spec. With ``takes_kernel``, it may have a kernel of PyTorch's operators.
    Raise SpecError with all problems of the keys and their types.
    """
    if len(text) > LARGEST:
        raise SpecError.of(place, f"has more than {LARGEST} characters", "give an op spec in TOML")
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SpecError.of(place, f"not valid TOML: {error}", "correct the text there") from None
    tables = Tables(place, text, tree)
    if problems := [*_problems(tables, takes_kernel=takes_kernel)]:
        raise SpecError(problems)
    return tables


def _problems(tables: Tables, *, takes_kernel: bool) -> Iterator[SpecProblem]:
    tree = tables.tree
    known = [*_KEYS, *_OF_PACKAGES]
    for name, value in tree.items():
        if name not in known:
            yield tables.problem(name, f"unknown table {name}", _nearest(name, known))
        elif name in _KEYS and not isinstance(value, dict):
            fact = f"expected a table, found {_type_of(value)}"
            yield tables.problem(name, fact, f"write [{name}]")
        elif name in ("op", "onnx"):
            yield from _of_table(tables, name)
    for name, example in (("op", '[op] with schema = "aten::asinh"'), ("onnx", "[onnx]")):
        if name not in tree:
            yield tables.problem(name, "missing", f"add {example}")
    if isinstance(tree.get("op"), dict) and "schema" not in tree["op"]:
        yield tables.problem("op.schema", "missing", 'add schema = "aten::asinh"')
    kernel = tree.get("kernel")
    if isinstance(kernel, dict):
        if not takes_kernel or "python" not in kernel or any(key in kernel for key in _COMPILED):
            spec = "SPEC" if tables.place.startswith("<") else tables.place
            fact = "a spec with a kernel needs a package"
            yield tables.problem("kernel", fact, f"run onnxop new {spec}")
        else:
            yield from _of_table(tables, "kernel")


def _of_table(tables: Tables, name: str) -> Iterator[SpecProblem]:
    known = _KEYS[name]
    for key, value in tables.tree[name].items():
        if key not in known:
            yield tables.problem(f"{name}.{key}", f"unknown key {key}", _nearest(key, known))
        elif _type_of(value) not in known[key].split(" or "):
            fact = f"expected {known[key]}, found {_type_of(value)}"
            yield tables.problem(f"{name}.{key}", fact, "correct the value")


def _type_of(value: Any) -> str:
    """Return the type of a value in words."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return _STRINGS
    return _TYPES.get(type(value), f"a {type(value).__name__}")


def _nearest(name: str, known: Collection[str]) -> str:
    return did_you_mean(name, known) or f"known here: {', '.join(known)}"
