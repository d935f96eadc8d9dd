"""[kernel] → one of the ways to compute the operator, checked against its schema."""

from __future__ import annotations

import re
from pathlib import Path as FilePath
from typing import Any

from onnxop import composed, expression
from onnxop.composed import Composed
from onnxop.errors import Path, Problems, did_you_mean, listed, shown
from onnxop.expression import ExpressionError
from onnxop.pyexpr import ExpressionProblems
from onnxop.schema import UNKNOWN_TYPE, Argument, OpSchema
from onnxop.spec import Elementwise, Kernel, Source

_KINDS = ("elementwise", "source", "python")
_GENERATED = frozenset(
    "elementwise functions infer operator python_infer python_tensor tensor torch_binding "
    "torch_tensor".split()
)
_MAX_BYTES = 1_000_000
_NUMBERS = frozenset({"float", "int", "SymInt", "bool", "Scalar"})


def read(
    tree: dict[str, Any], schema: OpSchema | None, folder: FilePath, problems: Problems
) -> Kernel | None:
    """The kernel of a spec's TOML tree, or None where there is none or its problems are noted.

    ``folder`` is where the spec lies, and may be the header of a ``source``.
    """
    table = tree.get("kernel")
    if not isinstance(table, dict):
        return None  # absent, or noted with the tables
    given = [kind for kind in _KINDS if isinstance(table.get(kind), str)]
    if not given and not any(kind in table for kind in _KINDS):
        problems.add(
            ("kernel",),
            'gives no kernel; write elementwise = "2 * a + b", source = "kernel.h" or '
            'python = "2 * a + b"',
            on_key=True,
        )
    for kind in given[1:]:
        problems.add(
            ("kernel", kind), f"a kernel is given by {given[0]} already; remove one", on_key=True
        )
    for key, kind in (("backward", "source"), ("fake", "python")):
        if key in table and given and kind not in given:
            problems.add(
                ("kernel", key), f"{key} belongs to a {kind} kernel; remove it", on_key=True
            )
    op = tree.get("op")
    op = op if isinstance(op, dict) else {}
    if schema is not None and given:
        _check_types(given[0], schema, str(op.get("schema")), problems)
    match given[:1]:
        case ["elementwise"]:
            return _elementwise(table["elementwise"], schema, problems)
        case ["source"]:
            return _source(table, schema, folder, problems)
        case ["python"]:
            requires = op.get("requires")
            modules = [name for name in requires if isinstance(name, str)] if requires else []
            return _composed(table, schema, tuple(modules), problems)
        case _:
            return None


def _check_types(kind: str, schema: OpSchema, text: str, problems: Problems) -> None:
    """Notes the arguments that a kernel of this kind cannot take, where they stand in the schema."""
    for argument in schema.arguments:
        if kind == "elementwise" and argument.name in expression.FUNCTIONS:
            fact = f"the argument name {argument.name} is a function of <cmath>; rename it"
        elif argument.type == UNKNOWN_TYPE or _takes(kind, argument):
            continue
        else:
            fact = f"argument {argument.name} is of type {argument.type}, which "
            fact += {
                "elementwise": 'an elementwise kernel cannot take; write source = "kernel.h", say',
                "source": "a C++ kernel cannot take; write it as an int or a float, say",
                "python": "a kernel cannot take; drop [kernel], and PyTorch's own is called",
            }[kind]
        place = re.search(rf"\b{argument.name}\b(?=\s*[,)=])", text)
        problems.add(
            ("op", "schema"),
            fact,
            offset=place.start() if place else None,
            length=len(argument.name),
        )


def _takes(kind: str, argument: Argument) -> bool:
    if argument.is_held:
        return False
    if kind == "elementwise":
        return argument.type == "Tensor" or argument.type in _NUMBERS
    return kind == "python" or not (argument.is_list and argument.kind in ("bool", "str"))


def _elementwise(text: str, schema: OpSchema | None, problems: Problems) -> Kernel | None:
    path: Path = ("kernel", "elementwise")
    parsed: expression.Expression | None
    try:
        parsed = expression.parse(text)
    except ExpressionError as error:
        for problem in (error, *error.others):
            problems.add(path, problem.message, offset=problem.offset, length=problem.length)
        parsed = error.tree
    if schema is None or parsed is None:
        return None
    known = [argument.name for argument in schema.arguments]
    for name, offset in expression.names(parsed).items():
        if name not in known:
            hint = did_you_mean(name, known) or f"; its arguments: {listed(known)}"
            problems.add(
                path, f"the schema has no argument {name}{hint}", offset=offset, length=len(name)
            )
    return Elementwise(parsed)


def _source(
    table: dict[str, Any], schema: OpSchema | None, folder: FilePath, problems: Problems
) -> Kernel | None:
    file = table["source"]
    path: Path = ("kernel", "source")
    name = re.fullmatch(r"([A-Za-z0-9_]{1,100})\.(h|hpp)", file)
    if name is None:
        problems.add(
            path,
            f"{shown(file)} is no name of a C++ header; write kernel.h, which will lie in csrc/",
        )
        return None
    if name[1] in _GENERATED:
        problems.add(path, f"{file} is a header that is generated; choose another, say kernel.h")
        return None
    text = _text_beside(file, folder, path, problems)
    return Source(file, text, _backward(table, schema, problems))


def _text_beside(file: str, folder: FilePath, path: Path, problems: Problems) -> str | None:
    """The header where it lies beside the spec or, as in a package, in csrc/ there."""
    for place in (folder / "csrc" / file, folder / file):
        try:
            if not place.is_file():
                continue
            data = place.read_bytes()
            if len(data) > _MAX_BYTES:
                problems.add(path, f"{place} has more than {_MAX_BYTES} bytes; write a shorter one")
                return None
            return data.decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            fact = error.strerror if isinstance(error, OSError) else "is not UTF-8"
            problems.add(path, f"{place} cannot be read: {fact}; mend or remove it")
            return None
    return None


def _backward(
    table: dict[str, Any], schema: OpSchema | None, problems: Problems
) -> tuple[str, ...]:
    given = table.get("backward", [])
    given = given if isinstance(given, list) else []  # noted with the tables
    tensors = [argument.name for argument in schema.tensors] if schema else None
    for position, name in enumerate(given):
        path: Path = ("kernel", "backward", position)
        if not isinstance(name, str):
            continue
        if tensors is not None and name not in tensors:
            hint = did_you_mean(name, tensors) or f"; its tensors: {listed(tensors)}"
            problems.add(path, f"the schema has no tensor {name}{hint}")
        elif name in given[:position]:
            problems.add(path, f"{name} is given twice; remove one")
    return tuple(name for name in given if isinstance(name, str))


def _composed(
    table: dict[str, Any],
    schema: OpSchema | None,
    requires: tuple[str, ...],
    problems: Problems,
) -> Kernel | None:
    functions: dict[str, composed.Function] = {}
    for key in ("python", "fake"):
        text = table.get(key)
        if not isinstance(text, str):
            continue
        try:
            functions[key] = composed.parse(text, schema, requires, is_fake=key == "fake")
        except ExpressionProblems as error:
            for problem in error.problems:
                problems.add(
                    ("kernel", key), problem.message, offset=problem.offset, length=problem.length
                )
    if "python" not in functions:
        return None
    return Composed(functions["python"], functions.get("fake"))
