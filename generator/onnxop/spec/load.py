"""A spec that was read → its parts: each is checked by itself, then against the others."""

from __future__ import annotations

import re
from pathlib import Path as FilePath

from onnxop_runtime.specs import document_rules, mapping_text, names, samples
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.reading import Reading
from onnxop_runtime.specs.signature import outline

from ..kernel.kernel_kinds import Elementwise, Source
from ..schema import signature
from . import agreement, derivatives, kernel_table, metadata, onnx_table
from .draft import Draft
from .model import Spec
from .tables import NOTHING, RecordedData, Tables


def parse_spec(
    reading: Reading,
    path: FilePath,
    *,
    names_package: bool = True,
    recorded: RecordedData = NOTHING,
) -> Draft:
    """Check each table of a spec, and the tables against each other; return what is valid, and add
    the problems of the rest. Its TOML, keys and types have been checked by `reading`.

    ``names_package``: name the package after the operator unless the spec names it. ``recorded`` is
    what its package records of earlier specs.
    """
    document, problems = reading.document, reading.problems
    assert document is not None, "a spec that is not TOML has a problem, and is not parsed"
    tables = Tables(document, problems, path.parent, recorded)
    schema = _schema(tables)
    outlined = schema or outline(document.op.schema)
    _check_onnx(tables, schema, outlined)
    kernel = kernel_table.parse_kernel(tables, outlined)
    if schema is not None:
        document_rules.check_arguments(document, problems, schema)
        document_rules.check_kernel_is_there(document, problems, schema)
    formulas = derivatives.parse_formulas(tables, outlined)
    is_sound = schema is not None and not problems.concern("op", "schema")
    draft = Draft(
        path=path,
        reading=reading,
        document=document,
        outline=outlined,
        schema=schema,
        mapping=onnx_table.mapping_of(document),
        kernel=kernel,
        formulas=formulas,
        samples=samples.parse_samples(document, problems, outlined, is_sound=is_sound),
        refusals=samples.parse_errors(document, problems, outlined),
        package=metadata.parse_metadata(tables, schema, names_package=names_package),
    )
    _check_agreement(draft)
    return draft


def _schema(tables: Tables) -> OpSchema | None:
    """Return the schema of the operator, or add its problems and return None."""
    op = tables.document.op
    if not op.schema and tables.problems:
        return None  # it is missing
    name = op.name or ""
    if name and (why := names.problem_with_operator(name)):
        tables.problems.add(("op", "name"), f"the name {name!r} {why}; choose another")
        return None
    recorded = tables.recorded.registered
    schema = signature.parse(op.schema, tables.problems, tables.requires, name, recorded)
    return schema and schema.with_exposed({*re.findall(r"\w+", tables.document.onnx.mapping or "")})


def _check_onnx(tables: Tables, schema: OpSchema | None, outlined: OpSchema | None) -> None:
    """Add the problems of ``[onnx]`` that do not depend on samples."""
    document, problems = tables.document, tables.problems
    document_rules.check_node(document, problems, schema)
    parameters = [argument.name for argument in outlined.caller_arguments] if outlined else None
    mapping_text.check(document, problems, parameters, outlined.results if outlined else ())
    mapping_text.check_op_type(document, problems, schema.public_name if schema else "")


def _check_agreement(draft: Draft) -> None:
    """Add the problems of the kernel and the formulas with the samples."""
    kernel, schema, problems = draft.kernel, draft.schema, draft.problems
    if schema is None or not draft.is_valid("kernel", "samples"):
        return
    if isinstance(kernel, Elementwise):
        agreement.check_elementwise(kernel, schema, draft.formulas, draft.samples, problems)
    if not problems.concern("samples"):
        agreement.check_gradients(kernel, schema, draft.formulas, draft.samples, problems)


def check_kernel_name(spec: Spec, problems: Problems, *, is_named: bool = False) -> None:
    """Add a problem if a kernel written by hand names another operator.

    ``is_named``: the package's name is final; otherwise it is known only if the spec gives it.
    """
    if isinstance(spec.kernel, Source):
        is_known = is_named or not spec.schema.exists or "name" in spec.package.given_keys
        operator = spec.declared_op if is_known else f"::{spec.schema.declared_name}"
        if why := spec.kernel.problem_with_name(operator):
            problems.add(("kernel", "source"), why)
