"""[kernel] → the kernel, of one of three kinds, checked against the operator's schema."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path as FilePath

from onnxop_runtime.messages import join_words
from onnxop_runtime.specs import kernel_text
from onnxop_runtime.specs.arguments import UNKNOWN_TYPE, Argument
from onnxop_runtime.specs.document import KernelTable
from onnxop_runtime.specs.document_rules import kernels_of
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.parser import place_of
from onnxop_runtime.specs.positions import Path
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.reading import MAX_BYTES

from ..kernel import composed, grammar
from ..kernel.composed import Composed
from ..kernel.expression import FUNCTIONS
from ..kernel.kernel_kinds import CudaFile, Elementwise, Kernel, Source
from .tables import Tables

_ELEMENTWISE = frozenset({"Tensor", "float", "int", "SymInt", "bool", "Scalar"})


def parse_kernel(tables: Tables, schema: OpSchema | None) -> Kernel | None:
    """Return the spec's kernel; return None if it has none, or after adding its problems."""
    table, problems = tables.document.kernel, tables.problems
    if table is None:
        return None
    kernel_text.check(tables.document, problems, schema)
    keys = kernels_of(table)
    if schema is not None and keys:
        _check_types(keys[0], schema, tables.document.op.schema, problems)
    if table.elementwise is not None:
        kernel = _elementwise(table.elementwise, schema, tables)
        return kernel and replace(kernel, has_cuda_kernel=table.cuda is not False)
    functions = _functions(tables, table, schema)
    if table.source is not None:
        source = _source(table.source, table.backward, tables)
        return source and replace(
            source,
            reference=functions.get("python"),
            has_cuda_kernel=bool(table.cuda),
            cuda=_cuda_file(table, tables),
            on_host=tuple(table.on_host),
        )
    return Composed(functions["python"], functions.get("fake")) if "python" in functions else None


def _check_types(kernel_key: str, schema: OpSchema, text: str, problems: Problems) -> None:
    """Add a problem for each argument that a kernel of this kind cannot take."""
    for argument in schema.arguments:
        if argument.type == UNKNOWN_TYPE:
            continue
        if fact := _problem_with_argument(kernel_key, argument, schema):
            message = f"argument {argument.name} {fact}"
            problems.add(("op", "schema"), message, **place_of(argument.name, text))


def _problem_with_argument(kernel_key: str, argument: Argument, schema: OpSchema) -> str:
    """Return why a kernel of this kind cannot take the argument: the sentence without its subject,
    or an empty string.
    """
    is_of_type = f"is of type {argument.type}, which"
    if argument.base_type == "ScalarType" or argument.is_always_none:
        remedy = "remove the argument, or if PyTorch has the operator, [kernel]"
        return f"{is_of_type} no kernel can take; {remedy}"
    if argument.has_optional_items or (argument.is_list and argument.base_type == "bool"):
        remedy = "write Tensor[], or int[], in its place"
        return f"{is_of_type} the TorchScript exporter does not trace; {remedy}"
    if kernel_key == "elementwise" and argument.name in FUNCTIONS:
        return "has the name of a function of <cmath>; rename it"
    if kernel_key == "elementwise" and argument.type not in _ELEMENTWISE:
        remedy = "give the kernel by source or python"
        return f"{is_of_type} an elementwise kernel cannot take; {remedy}"
    is_tensors = argument.is_tensor and argument.is_list
    if kernel_key == "source" and is_tensors and argument != schema.tensors[-1]:
        remedy = "move it there, or give python"
        return f"{is_of_type} can only be the last input of a node; {remedy}"
    return ""


def _elementwise(text: str, schema: OpSchema | None, tables: Tables) -> Elementwise | None:
    """Return the kernel of an expression; None after adding its problems."""
    path: Path = ("kernel", "elementwise")
    if schema is not None and schema.has_several:
        names = f"{len(schema.results)} ({join_words(schema.results)})"
        fact = f"an elementwise kernel returns one result, but the schema returns {names}"
        tables.problems.add(path, f"{fact}; give the kernel by source or python", on_key=True)
    argument_names = [argument.name for argument in schema.arguments] if schema else None
    with tables.noting(path):
        expression = grammar.parse(text, argument_names)
        return Elementwise(expression) if schema else None
    return None


def _source(file: str, backward: Sequence[str], tables: Tables) -> Source | None:
    """Return the kernel in a header; add a problem if that lacks a function."""
    path: Path = ("kernel", "source")
    if not kernel_text.is_header(file):
        return None
    header = beside(file, tables.folder)
    text = _text_of(header, path, tables.problems)
    is_given = text is not None and file not in tables.recorded.skeletons
    kernel = Source(file, text, tuple(backward), is_given)
    if missing := _missing(kernel):
        tables.problems.add(
            path,
            f"{header} has no function {join_words(missing)}, of which a kernel "
            "consists; write what is missing or, for a skeleton to fill in, move the file away",
        )
    return kernel


def _cuda_file(table: KernelTable, tables: Tables) -> CudaFile | None:
    """Return the file with the loops for GPUs; return None without one, or after adding a
    problem.
    """
    path: Path = ("kernel", "cuda")
    file = table.cuda
    if not isinstance(file, str) or not kernel_text.is_cuda_file(file):
        return None
    text = _text_of(beside(file, tables.folder), path, tables.problems)
    return CudaFile(file, text, text is not None and file not in tables.recorded.skeletons)


def _text_of(file: FilePath | None, path: Path, problems: Problems) -> str | None:
    """Return the text of a file; return None without one, or after adding a problem."""
    if file is None:
        return None
    try:
        return _read_header(file)
    except (OSError, ValueError) as error:
        fact = (error.strerror if isinstance(error, OSError) else None) or str(error)
        problems.add(path, f"{file} cannot be read: {fact}; fix or remove it")
        return None


def _missing(kernel: Source) -> list[str]:
    """Return the functions that the header must define and does not; none if it has includes."""
    text = kernel.text
    if text is None or re.search(r'^\s*#\s*include\s*"', text, re.MULTILINE):
        return []
    functions = ["infer", "compute"]
    if kernel.backward:
        functions.append("backward")
    return [name for name in functions if not re.search(rf"\b{name}\b", kernel.code)]


def beside(file: str, folder: FilePath) -> FilePath | None:
    """Return the header's path, in ``ops/`` or beside the spec; None if there is none."""
    paths = (folder / "ops" / file, folder / file)
    return next((path for path in paths if os.path.lexists(path)), None)


def _read_header(header: FilePath) -> str:
    """Return the file's text. Raise ValueError or OSError if it cannot be read."""
    if header.exists() and not header.is_file():  # reading a pipe would not end
        raise ValueError("it is not a plain file")
    with header.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    if len(data) > MAX_BYTES or b"\0" in data:
        raise ValueError(f"it has more than {MAX_BYTES} bytes, or a null character")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None


def _functions(
    tables: Tables, table: KernelTable, schema: OpSchema | None
) -> dict[str, composed.KernelFunction]:
    """Return the valid functions among ``python`` and ``fake``, by key."""
    functions: dict[str, composed.KernelFunction] = {}
    for key, text in (("python", table.python), ("fake", table.fake)):
        with tables.noting(("kernel", key)):
            if text is not None:
                is_fake = key == "fake"
                functions[key] = composed.parse_function(
                    text, schema, tables.requires, is_fake=is_fake
                )
    return functions
