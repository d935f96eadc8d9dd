"""The text of a spec's mapping → its problems, whatever its inputs are; this module imports
onnx.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from ..mapping import language, opsets
from ..mapping.definitions import HIGHEST, versions
from ..mapping.problems import CodeSpan, MappingError, MappingProblem, span_of
from ..messages import shown
from .document import Document
from .positions import Path
from .problems import Problems

PATH: Path = ("onnx", "mapping")


def check(
    document: Document,
    problems: Problems,
    parameters: Sequence[str] | None,
    results: Sequence[str] = (),
) -> None:
    """Add the problems in the text of the mapping and its calls, at all its opset versions.

    ``parameters`` and ``results`` are the names of the operator's; None and empty if unknown.
    """
    text, opset = document.onnx.mapping, document.onnx.opset
    if text is None:
        return
    try:
        parameter_names = None if parameters is None else tuple(parameters)
        tree, warnings, _ = language.read(text, parameter_names, "<mapping>")
    except MappingError as error:
        add(problems, text, error.problems[0])
        return
    number = HIGHEST if opset is None else opset
    lowest = opsets.LOWEST
    if not lowest <= number <= HIGHEST:
        fact = f"the exporters write opsets {lowest} to {HIGHEST}, not {shown(opset, 20)}"
        remedy = f"write opset = {min(max(number, lowest), HIGHEST)}"
        problems.add(("onnx", "opset"), f"{fact}; {remedy}")
        number = HIGHEST
    faults = [*warnings]
    try:
        opsets.opsets(tree, number)
    except MappingError as error:
        places = {fault.span for fault in error.problems}
        faults = [fault for fault in faults if fault.span not in places]
        faults += error.problems
    for fault in (*faults, *_wrong_counts(tree, results)):
        add(problems, text, fault)


def check_op_type(document: Document, problems: Problems, public_name: str) -> None:
    """Add a problem if the operator as one node has the name of an ONNX op."""
    op_type = document.onnx.op_type
    name = op_type or public_name
    if name in versions():
        problems.add(
            ("onnx", "op_type") if op_type else ("op", "schema"),
            f"{name} is an ONNX op, and runtimes ignore the domain of a node of that type; "
            f'write op_type = "{name}Op" under [onnx], for example',
            offset=None if op_type else document.op.schema.find("::") + 2,
            length=len(name),
        )


def add(problems: Problems, text: str, fault: MappingProblem) -> None:
    """Add a problem of the mapping at its place in the text."""
    span = fault.span or CodeSpan(1, 0, 1, 1)
    start = _offset(text, span.lineno, span.col_offset)
    if span.end_lineno > span.lineno:
        end = text.find("\n", start)
    else:
        end = _offset(text, span.lineno, span.end_col_offset)
    problems.add(PATH, str(fault), offset=start, length=max(end - start, 1))


def _offset(text: str, line: int, column: int) -> int:
    """Return the number of characters before a place; its column is in UTF-8 bytes."""
    lines = text.split("\n")
    number = min(max(line - 1, 0), len(lines) - 1)
    characters = len(lines[number].encode()[:column].decode(errors="ignore"))
    return sum(len(before) + 1 for before in lines[:number]) + characters


def _wrong_counts(tree: ast.FunctionDef, results: Sequence[str]) -> Iterator[MappingProblem]:
    """Yield the lines that return a wrong number of results."""
    for node in opsets.ends(tree):
        value = node.value or node
        count = len(value.elts) if isinstance(value, ast.Tuple) else 1
        is_node = isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute)
        if results and count != len(results) and not is_node:
            fact = f"the mapping returns {count} result{'s' if count != 1 else ''}"
            remedy = ", ".join(results) if len(results) > 1 else "op.Add(a, b), for example"
            fact = f"{fact}, but the schema has {len(results)}"
            yield MappingProblem(fact, f"write return {remedy}", span_of(value))
