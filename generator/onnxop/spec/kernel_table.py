"""[kernel] → one of the ways to compute the operator, checked against its schema."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path as FilePath

from ..errors import Path, Problems, listed, shown
from ..kernel import composed, grammar
from ..kernel.composed import Composed
from ..kernel.expression import FUNCTIONS
from ..kernel.kinds import Elementwise, Kernel, Source
from ..schema import facts
from ..schema.parser import place_of
from ..schema.signature import UNKNOWN_TYPE, Argument, OpSchema
from .document import KernelTable
from .tables import Tables

_KINDS = ("elementwise", "source", "python")
_MAX_BYTES = 1_000_000
_ELEMENTWISE = frozenset({"Tensor", "float", "int", "SymInt", "bool", "Scalar"})


def read(tables: Tables, schema: OpSchema | None) -> Kernel | None:
    """The kernel of a spec, or None where there is none or its problems are noted."""
    table, problems = tables.document.kernel, tables.problems
    if table is None:
        return None
    given = [kind for kind in _KINDS if getattr(table, kind) is not None]
    _check_keys(table, given, problems)
    if schema is not None and given:
        _check_types(given[0], schema, tables.document.op.schema_, problems)
    if table.elementwise is not None:
        return _elementwise(table.elementwise, schema, tables)
    functions = _functions(tables, table, schema)
    if table.source is not None:
        source = _source(table.source, table.backward, schema, tables)
        return source and replace(source, reference=functions.get("python"))
    return Composed(functions["python"], functions.get("fake")) if "python" in functions else None


def _check_keys(table: KernelTable, given: list[str], problems: Problems) -> None:
    """Notes a table of no kind or of several, and keys of another kind than that given."""
    if not given and not problems.concern("kernel"):
        remedy = 'write elementwise = "2 * a + b", source = "kernel.h" or python = "2 * a + b"'
        problems.add(("kernel",), f"gives no kernel; {remedy}", on_key=True)
    others = [] if given == ["source", "python"] else given[1:]
    told = {kind: f"a kernel is given by {given[0]} already; remove one" for kind in others}
    for key, kind in (("backward", "source"), ("fake", "python")):
        if getattr(table, key) and given and kind != given[0]:
            told[key] = f"{key} belongs to a {kind} kernel; remove it"
    for key, fact in told.items():
        problems.add(("kernel", key), fact, on_key=True)


def _check_types(kind: str, schema: OpSchema, text: str, problems: Problems) -> None:
    """Note the arguments that a kernel of this kind cannot take, where they stand in the schema."""
    for argument in schema.arguments:
        if argument.type != UNKNOWN_TYPE and (why := _refusal(kind, argument, schema)):
            fact = f"argument {argument.name} is of type {argument.type}, which {why}"
            problems.add(("op", "schema"), fact, **place_of(argument.name, text))


def _refusal(kind: str, argument: Argument, schema: OpSchema) -> str:
    """Why a kernel of this kind cannot take the argument; empty where it can."""
    if argument.kind == "ScalarType" or argument.is_held:
        return (
            "no kernel can take; remove [kernel], where PyTorch has the operator, or the argument"
        )
    if argument.has_optional_items or (argument.is_list and argument.kind == "bool"):
        return "the TorchScript exporter does not trace; write Tensor[], or int[], in its place"
    if kind == "elementwise" and argument.name in FUNCTIONS:
        return "is named as a function of <cmath>; rename it"
    if kind == "elementwise" and argument.type not in _ELEMENTWISE:
        return "an elementwise kernel cannot take; give the kernel by source or python"
    is_tensors = argument.is_tensor and argument.is_list
    if kind == "source" and is_tensors and argument != schema.tensors[-1]:
        return "can only be the last of a node's inputs; move it there, or give python"
    return ""


def _elementwise(text: str, schema: OpSchema | None, tables: Tables) -> Kernel | None:
    path: Path = ("kernel", "elementwise")
    if schema is not None and schema.has_several:
        fact = (
            f"an elementwise kernel gives one result, but the schema returns {len(schema.results)} "
        )
        remedy = f"({listed(schema.results)}); give the kernel by source or python"
        tables.problems.add(path, fact + remedy, on_key=True)
    known = [argument.name for argument in schema.arguments] if schema else None
    with tables.noting(path):
        parsed = grammar.parse(text, known)
        return Elementwise(parsed) if schema else None
    return None


def _source(
    file: str, backward: list[str], schema: OpSchema | None, tables: Tables
) -> Source | None:
    path: Path = ("kernel", "source")
    if not re.fullmatch(r"[A-Za-z0-9_]{1,100}\.(h|hpp)", file):
        remedy = "write kernel.h, say, which lies in ops/ or beside the spec"
        tables.problems.add(path, f"{shown(file)} is no name of a C++ header; {remedy}")
        return None
    text, place = None, beside(file, tables.folder)
    if place is not None:
        try:
            text = _read(place)
        except (OSError, ValueError) as error:
            fact = (error.strerror if isinstance(error, OSError) else None) or str(error)
            tables.problems.add(path, f"{place} cannot be read: {fact}; mend or remove it")
    is_given = bool(facts.ask(was_given(file), lambda: text is not None, is_lasting=True))
    _check_backward(backward, schema, tables.problems)
    kernel = Source(file, text, tuple(backward), is_given)
    if missing := _missing(kernel):
        tables.problems.add(
            path,
            f"{place} has no function {listed(missing)}, of which a kernel "
            "consists; write what is missing or, for a first version to fill in, move the file away",
        )
    return kernel


def _missing(kernel: Source) -> list[str]:
    """The kernel's functions that the header does not name, nor a header that lies beside it."""
    text = kernel.text
    if text is None or re.search(r'^\s*#\s*include\s*"', text, re.MULTILINE):
        return []
    wanted = ("infer", "compute", *(["backward"] if kernel.backward else []))
    return [name for name in wanted if not re.search(rf"\b{name}\b", kernel.code)]


def was_given(file: str) -> str:
    """The question whether the header came with the spec: if not, the template makes it."""
    return f"{file} lay beside the spec"


def beside(file: str, folder: FilePath) -> FilePath | None:
    """Where the header lies: beside the spec or, as in a package, in ops/ there."""
    places = (folder / "ops" / file, folder / file)
    return next((place for place in places if os.path.lexists(place)), None)


def _read(place: FilePath) -> str:
    """Raises ValueError, or OSError, with what is wrong with the file."""
    if place.exists() and not place.is_file():  # reading a pipe would not end
        raise ValueError("it is no plain file")
    with place.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES or b"\0" in data:
        raise ValueError(f"it has more than {_MAX_BYTES} bytes, or a null character")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None


def _check_backward(given: list[str], schema: OpSchema | None, problems: Problems) -> None:
    """Note the names that are none of tensors whose gradients the kernel can compute."""
    free = [argument for argument in schema.arguments if not argument.is_held] if schema else []
    tensors = [a.name for a in free if a.type == UNKNOWN_TYPE or (a.is_tensor and not a.is_list)]
    for position, name in enumerate(given):
        fact = ""
        if schema is not None and name not in tensors:
            fact = f"{shown(name)} is none of the tensors whose gradients a kernel can compute; "
            fact += f"write some of {listed(tensors)}"
        elif name in given[:position]:
            fact = f"{name} is given twice; remove one"
        if fact:
            problems.add(("kernel", "backward", position), fact)


def _functions(
    tables: Tables, table: KernelTable, schema: OpSchema | None
) -> dict[str, composed.Function]:
    """Those of ``python`` and ``fake`` that are given and sound."""
    functions: dict[str, composed.Function] = {}
    for key, text in (("python", table.python), ("fake", table.fake)):
        with tables.noting(("kernel", key)):
            if text is not None:
                is_fake = key == "fake"
                functions[key] = composed.parse(text, schema, tables.requires, is_fake=is_fake)
    return functions
