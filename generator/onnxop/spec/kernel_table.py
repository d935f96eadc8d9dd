"""[kernel] → one of the ways to compute the operator, checked against its schema."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path as FilePath

from ..errors import Path, Problems, did_you_mean, listed, shown
from ..kernel import composed, grammar
from ..kernel.composed import Composed
from ..kernel.expression import FUNCTIONS
from ..kernel.kinds import AUTOCAST, Elementwise, Kernel, Source
from ..schema.places import place_of
from ..schema.signature import UNKNOWN_TYPE, Argument, OpSchema
from ..words import facts
from ..words.pyexpr import ExpressionProblems
from .document import KernelTable
from .tables import Tables

_KINDS = ("elementwise", "source", "python")
_MAX_BYTES = 1_000_000
_NUMBERS = frozenset({"float", "int", "SymInt", "bool", "Scalar"})


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
        _check_one_result(schema, problems)
        return _elementwise(table.elementwise, schema, tables)
    functions = _functions(tables, table, schema)
    if table.source is not None:
        source = _source(table.source, table.backward, schema, tables)
        return source and replace(source, reference=functions.get("python"))
    return Composed(functions["python"], functions.get("fake")) if "python" in functions else None


def _check_keys(table: KernelTable, given: list[str], problems: Problems) -> None:
    """Notes a table of no kind or of several, and keys of another kind than that given."""
    if not given and not problems.concern("kernel"):
        problems.add(
            ("kernel",),
            'gives no kernel; write elementwise = "2 * a + b", source = "kernel.h" or '
            'python = "2 * a + b"',
            on_key=True,
        )
    for kind in [] if given == ["source", "python"] else given[1:]:
        problems.add(
            ("kernel", kind), f"a kernel is given by {given[0]} already; remove one", on_key=True
        )
    for key, value, kind in (
        ("backward", table.backward, "source"),
        ("fake", table.fake, "python"),
    ):
        if value and given and kind != given[0]:
            problems.add(
                ("kernel", key), f"{key} belongs to a {kind} kernel; remove it", on_key=True
            )
    if table.autocast is not None and table.autocast not in AUTOCAST:
        problems.add(("kernel", "autocast"), _no_policy(table.autocast))


def _no_policy(policy: str) -> str:
    hint = did_you_mean(policy, AUTOCAST) or f"; write one of {listed(AUTOCAST)}"
    return f"{shown(policy)} says nothing of how inputs are cast{hint}"


def _check_types(kind: str, schema: OpSchema, text: str, problems: Problems) -> None:
    """Notes the arguments that a kernel of this kind cannot take, where they stand in the schema."""
    for argument in schema.arguments:
        if argument.type == UNKNOWN_TYPE:
            continue
        if argument.is_held and argument.kind != "ScalarType":
            fact = f"argument {argument.name} is of type {argument.type}, which a kernel cannot "
            fact += "take; remove [kernel], and PyTorch's own is called"
        elif kind == "elementwise" and argument.name in FUNCTIONS:
            fact = f"the argument name {argument.name} is a function of <cmath>; rename it"
        elif remedy := _remedy(kind, argument) or _misplaced(kind, argument, schema):
            fact = f"argument {argument.name} is of type {argument.type}, which {remedy}"
        else:
            continue
        problems.add(("op", "schema"), fact, **place_of(argument.name, text))


def _remedy(kind: str, argument: Argument) -> str:
    """What to write for an argument that this kind of kernel cannot take; empty where it can."""
    if argument.has_optional_items:
        return (
            "the TorchScript exporter does not trace; write Tensor[] of the tensors that are given, and "
            "an int[] of their places"
        )
    if argument.kind == "ScalarType":
        return (
            "no kernel can take; take the dtype of another tensor (Tensor like), or name an operator "
            "that PyTorch has and remove [kernel]"
        )
    is_elementwise = kind == "elementwise"
    if argument.is_list and argument.kind == "bool":
        integers = argument.type.replace("bool", "int")
        by = "give the kernel by source or python, and " if is_elementwise else ""
        return f"the TorchScript exporter does not trace; {by}write {integers}"
    if is_elementwise and argument.type != "Tensor" and argument.type not in _NUMBERS:
        return (
            "an elementwise kernel cannot take; give the kernel by source or python, which take "
            "every type"
        )
    return ""


def _misplaced(kind: str, argument: Argument, schema: OpSchema) -> str:
    """The same of a list of tensors that stands before others."""
    if (
        kind != "source"
        or not argument.is_list
        or argument in (*schema.scalars, *schema.tensors[-1:])
    ):
        return ""
    fact = "can only be the last of a node's inputs, and the library for ONNX Runtime computes a node; "
    later = schema.tensors[schema.tensors.index(argument) + 1 :]
    if any(tensor.is_list for tensor in later):  # of which only one can be the last
        return f"{fact}give the kernel by python"
    return f"{fact}move it behind {listed(tensor.name for tensor in later)}, or give the kernel by python"


def _check_one_result(schema: OpSchema | None, problems: Problems) -> None:
    if schema is not None and schema.has_several:
        problems.add(
            ("kernel", "elementwise"),
            f"an elementwise kernel gives one result, but the schema returns {len(schema.results)} "
            f"({listed(schema.results)}); give the kernel by source or python",
            on_key=True,
        )


def _elementwise(text: str, schema: OpSchema | None, tables: Tables) -> Kernel | None:
    known = [argument.name for argument in schema.arguments] if schema else None
    try:
        parsed = grammar.parse(text, known)
    except ExpressionProblems as error:
        for problem in error.problems:
            tables.note(("kernel", "elementwise"), problem)
        return None
    return Elementwise(parsed) if schema else None


def _source(
    file: str, backward: list[str], schema: OpSchema | None, tables: Tables
) -> Source | None:
    path: Path = ("kernel", "source")
    if not re.fullmatch(r"[A-Za-z0-9_]{1,100}\.(h|hpp)", file):
        tables.problems.add(
            path,
            f"{shown(file)} is no name of a C++ header; write kernel.h, say, which lies in ops/ or "
            "beside the spec",
        )
        return None
    text = _text_beside(file, tables.folder, path, tables.problems)
    is_given = bool(facts.ask(was_given(file), lambda: text is not None, is_lasting=True))
    _check_backward(backward, schema, tables.problems)
    kernel = Source(file, text, tuple(backward), is_given)
    if missing := _missing(kernel):
        tables.problems.add(
            path,
            f"{beside(file, tables.folder)} has no function {listed(missing)}, of which a kernel "
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


def _text_beside(file: str, folder: FilePath, path: Path, problems: Problems) -> str | None:
    place = beside(file, folder)
    if place is None:
        return None
    try:
        return _read(place)
    except (OSError, ValueError) as error:
        fact = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        problems.add(path, f"{place} cannot be read: {fact}; mend or remove it")
        return None


def beside(file: str, folder: FilePath) -> FilePath | None:
    """Where the header lies: beside the spec or, as in a package, in ops/ there."""
    places = (folder / "ops" / file, folder / file)
    return next((place for place in places if os.path.lexists(place)), None)


def _read(place: FilePath) -> str:
    """Raises ValueError, or OSError, with what is wrong with the file."""
    if place.is_symlink() and not place.exists():
        raise ValueError(f"it is a link to {place.readlink()}, where nothing is")
    if place.exists() and not place.is_file():  # reading a pipe would not end
        raise ValueError("it is a directory" if place.is_dir() else "it is no plain file")
    with place.open("rb") as file:
        data = file.read(_MAX_BYTES + 1)
    if len(data) > _MAX_BYTES:
        raise ValueError(f"it has more than {_MAX_BYTES} bytes")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    if "\0" in text:
        raise ValueError("it holds a null character")
    return text


def _check_backward(given: list[str], schema: OpSchema | None, problems: Problems) -> None:
    for position, name in enumerate(given):
        path: Path = ("kernel", "backward", position)
        if fact := _no_tensor(name, schema):
            problems.add(path, fact)
        elif name in given[:position]:
            problems.add(path, f"{name} is given twice; remove one")


def _no_tensor(name: str, schema: OpSchema | None) -> str | None:
    """Why the kernel can compute no gradient of that name, or None where it can."""
    if schema is None:
        return None
    free = [argument for argument in schema.arguments if not argument.is_held]
    tensors = [a.name for a in free if a.is_tensor or a.type == UNKNOWN_TYPE]
    if any(a.name == name and a.is_tensor and a.is_list for a in free):
        return (
            f"{name} is a list of tensors, of which a kernel computes no gradients; remove it, and write "
            'python = "..." beside source: PyTorch\'s autograd takes them through that'
        )
    if name in tensors:
        return None
    if any(argument.name == name for argument in free):
        return f"{name} is no tensor, and only tensors have gradients; remove it"
    hint = did_you_mean(name, tensors) or f"; its tensors: {listed(tensors)}"
    word = name if re.fullmatch(r"\w{1,60}", name) else shown(name)
    return f"the schema has no argument {word}{hint}"


def _functions(
    tables: Tables, table: KernelTable, schema: OpSchema | None
) -> dict[str, composed.Function]:
    """Those of ``python`` and ``fake`` that are given and sound."""
    functions: dict[str, composed.Function] = {}
    for key, text in (("python", table.python), ("fake", table.fake)):
        if text is not None:
            try:
                functions[key] = composed.parse(
                    text, schema, tables.requires, is_fake=key == "fake"
                )
            except ExpressionProblems as error:
                for problem in error.problems:
                    tables.note(("kernel", key), problem)
    return functions
