"""A spec's text → its tables, with keys and types as they must be, and the lines that keys stand in."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ..mapping.problems import Problem
from .problems import SpecError, SpecProblem, nearest

_KEYS: dict[str, dict[str, tuple[tuple[type, ...], str]]] = {
    "op": {
        "schema": ((str,), 'schema = "aten::asinh"'),
        "doc": ((str,), 'doc = "The inverse hyperbolic sine."'),
        "requires": ((list,), 'requires = ["torchvision"]'),
        "name": ((str,), 'name = "median_dim"'),
    },
    "onnx": {
        "opset": ((int,), "opset = 13"),
        "domain": ((str,), 'domain = "my_lib"'),
        "op_type": ((str,), 'op_type = "MyAdd"'),
        "version": ((int,), "version = 2"),
        "mapping": ((str,), 'mapping = "op.Asinh(self)"'),
        "dynamo": ((bool,), "dynamo = false"),
        "decomposed": ((bool, list), "decomposed = true"),
    },
    "kernel": {
        "python": ((str,), 'python = "torch.asinh(self)"'),
        "fake": ((str,), 'fake = "torch.empty_like(self)"'),
        "autocast": ((str,), 'autocast = "float32"'),  # which says nothing of the rule
    },
}
_OF_PACKAGES = {"samples": list, "errors": list, "package": dict, "autograd": dict}
"""Tables that a package is made of and tested by, which say nothing of the rule."""
_COMPILED = ("elementwise", "source", "backward")
_WORDS = {
    str: "a string",
    bool: "a boolean",
    int: "an integer",
    float: "a float",
    list: "an array",
    dict: "a table",
}


@dataclass(frozen=True)
class Tables:
    """A spec's tables, and where they come from."""

    place: str
    text: str
    tree: Mapping[str, Any]

    def get(self, table: str, key: str, default: Any = None) -> Any:
        """Return the value of a key, or ``default`` where it is left out."""
        return self.tree.get(table, {}).get(key, default)

    def problem(self, key: str, fact: str, remedy: str) -> SpecProblem:
        """Return what is wrong with a key, ``onnx.mapping``, at the line that it stands in."""
        line = self._lines.get(key) or self._lines.get(key.partition(".")[0], 0)
        return SpecProblem(self.place, line, key, fact, remedy)

    def error(self, key: str, fact: str, remedy: str) -> SpecError:
        """Return an error of one problem."""
        return SpecError([self.problem(key, fact, remedy)])

    def of_mapping(self, problem: Problem) -> SpecProblem:
        """Return what is wrong with the mapping, at its place in the spec's text."""
        mapping, span = self.get("onnx", "mapping"), problem.span
        found = self.problem("onnx.mapping", problem.fact, problem.remedy)
        own = mapping.split("\n")
        if span is None or not 1 <= span.line <= len(own):
            return found
        source, line, before = own[span.line - 1], found.line, 0
        key = sum(len(each) + 1 for each in self.text.split("\n")[: found.line - 1])
        start = self.text.find(mapping, self.text.find("=", key))
        if start >= 0:  # as it is written: nothing in it is escaped
            line = self.text.count("\n", 0, start) + span.line
            before = start - self.text.rfind("\n", 0, start) - 1 if span.line == 1 else 0
            source = self.text.split("\n")[line - 1]
        words = own[span.line - 1].encode()
        end = span.end_column if span.end_line == span.line else span.column + 1
        before += len(words[: span.column].decode(errors="ignore"))
        width = max(len(words[span.column : end].decode(errors="ignore")), 1)
        indent = len(source) - len(source.lstrip())
        caret = " " * max(before - indent, 0) + "^" * width
        return replace(found, line=line, source=f"    {source.strip()}\n    {caret}")

    @cached_property
    def _lines(self) -> dict[str, int]:
        """The first line of each table and key."""
        found: dict[str, int] = {}
        table, quotes = "", ""
        for number, line in enumerate(self.text.splitlines(), 1):
            if quotes:  # within a text of several lines
                quotes = "" if line.count(quotes) % 2 else quotes
                continue
            if header := re.match(r"\s*\[+\s*([\w.-]+)\s*\]+", line):
                table = header[1]
                found.setdefault(table, number)
            elif key := re.match(r"\s*([\w.-]+)\s*=", line):
                name = f"{table}.{key[1]}" if table else key[1]
                found.setdefault(name, number)
                found.setdefault(name.partition(".")[0], number)
            marks = (mark for mark in ("'''", '"""') if line.count(mark) % 2)
            quotes = next(marks, "")
        return found


def read(text: str, place: str, *, takes_kernel: bool) -> Tables:
    """Return the tables of a spec.

    Args:
        text: the spec.
        place: the file that it is from, or what stands for one.
        takes_kernel: whether it may have a kernel that is composed of PyTorch's operators.

    Raises:
        SpecError: all that is wrong with its keys and their types.
    """
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        said = str(error)
        line = int(found[1]) if (found := re.search(r"at line (\d+)", said)) else 0
        fact = re.sub(r" \(at .*\)", "", said)
        fact = f"not valid TOML: {fact[:1].lower()}{fact[1:]}"
        raise SpecError([SpecProblem(place, line, "", fact, "mend it there")]) from None
    tables = Tables(place, text, tree)
    if problems := [*_problems(tables, takes_kernel=takes_kernel)]:
        raise SpecError(problems)
    return tables


def _problems(tables: Tables, *, takes_kernel: bool) -> Iterator[SpecProblem]:
    tree = tables.tree
    known = [*_KEYS, *_OF_PACKAGES]
    for name, value in tree.items():
        kind = _OF_PACKAGES.get(name, dict)
        if name not in known:
            yield tables.problem(name, f"unknown table {name}", nearest(name, known))
        elif not isinstance(value, kind):
            header = f"[[{name}]]" if kind is list else f"[{name}]"
            fact = f"expected {_WORDS[kind]}, found {_word(value)}"
            yield tables.problem(name, fact, f"write {header}")
        elif name in _KEYS:
            yield from _of_table(tables, name, takes_kernel=takes_kernel)
    for name, example in (("op", '[op] with schema = "aten::asinh"'), ("onnx", "[onnx]")):
        if name not in tree:
            yield tables.problem(name, "missing", f"add {example}")
    if isinstance(tree.get("op"), dict) and "schema" not in tree["op"]:
        yield tables.problem("op.schema", "missing", 'add schema = "aten::asinh"')
    if "kernel" in tree and not takes_kernel:
        yield _needs_package(tables)
    elif "autograd" in tree and "kernel" not in tree:
        remedy = "remove it: the operator has PyTorch's gradients"
        yield tables.problem("autograd", "a spec without a kernel has no gradients", remedy)


def _needs_package(tables: Tables) -> SpecProblem:
    spec = tables.place if not tables.place.startswith("<") else "SPEC"
    return tables.problem(
        "kernel", "a spec with a kernel needs a package", f"run onnxop new {spec}"
    )


def _of_table(tables: Tables, name: str, *, takes_kernel: bool) -> Iterator[SpecProblem]:
    known = _KEYS[name]
    if name == "kernel" and (not takes_kernel or "python" not in tables.tree[name]):
        if takes_kernel:
            yield _needs_package(tables)
        return
    for key, value in tables.tree[name].items():
        if name == "kernel" and key in _COMPILED:
            yield _needs_package(tables)
        elif key not in known:
            yield tables.problem(f"{name}.{key}", f"unknown key {key}", nearest(key, known))
        else:
            kinds, example = known[key]
            items = value if isinstance(value, list) else []
            wrong = next((item for item in items if not isinstance(item, str)), None)
            if type(value) not in kinds:
                wanted = " or ".join(_WORDS[kind] for kind in kinds)
                fact = f"expected {wanted}, found {_word(value)}"
                yield tables.problem(f"{name}.{key}", fact, f"write {example}")
            elif wrong is not None:
                fact = f"expected an array of strings, found {_word(wrong)} in it"
                yield tables.problem(f"{name}.{key}", fact, f"write {example}")


def _word(value: Any) -> str:
    return _WORDS.get(type(value), f"a {type(value).__name__}")
