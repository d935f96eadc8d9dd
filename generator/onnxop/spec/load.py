"""Spec file → Spec: reads the file, checks it, and raises all its problems at once."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path as FilePath

from onnxop_runtime.specs import names, reading, rules
from onnxop_runtime.specs.reading import Reading

from ..errors import Problems, SpecError
from ..kernel.kinds import Elementwise, Kernel, Source
from ..schema import signature as schemas
from ..schema.signature import OpSchema
from . import agreement, derivatives, kernel_table, metadata, onnx_table, samples
from .model import Spec
from .tables import NOTHING, Examiner, Recorded, Tables
from .tensors import SampleValue


def load(read: Reading, path: FilePath, *, examiner: Examiner | None = None) -> Spec:
    """Return the spec that was read. Raise `SpecError` with everything that is wrong with it."""
    return _alone(read, path, examiner)


def parse(
    text: str, path: FilePath = FilePath("op.toml"), *, examiner: Examiner | None = None
) -> Spec:
    """Return the spec in a text. Raise `SpecError` with everything that is wrong with it.

    ``path`` is the name in messages. The header of a kernel may be in its folder.
    """
    return _alone(reading.read_text(text, str(path)), path, examiner)


def _alone(read: Reading, path: FilePath, examiner: Examiner | None) -> Spec:
    if read.problems:  # of TOML, keys and types
        raise SpecError(map(str, read.placed()))
    spec = check(read, path, examiner=examiner)
    if examiner is not None:
        examiner.finish()
    if spec is not None:
        check_kernel_name(spec, read.problems)
    if read.problems or spec is None:
        raise SpecError(map(str, read.placed()))
    return spec


def check_kernel_name(spec: Spec, problems: Problems, *, is_named: bool = False) -> None:
    """Add a problem if a kernel written by hand names another operator.

    ``is_named``: the package's name is final; otherwise it is known only if the spec gives it.
    """
    if isinstance(spec.kernel, Source):
        is_known = is_named or not spec.schema.exists or "name" in spec.package.keys
        op = spec.op if is_known else f"::{spec.schema.called}"
        if why := spec.kernel.problem_with_name(op):
            problems.add(("kernel", "source"), why)


def check(
    read: Reading,
    path: FilePath,
    *,
    names_package: bool = True,
    examiner: Examiner | None = None,
    recorded: Recorded = NOTHING,
) -> Spec | None:
    """Return the spec that was read, or add its problems and return None.

    ``names_package``: name the package after the operator unless the spec names it.
    ``examiner``: checks the mapping, and reports all problems at the end of its ``finish``. Without
    one, the recorded answers are used.
    """
    document, problems = read.document, read.problems
    if document is None:
        return None
    tables = Tables(document, problems, path.parent, recorded)
    schema = _schema(tables)
    outline = schema or schemas.outline(document.op.schema)
    mapping = onnx_table.read(tables)
    rules.check_node(document, problems, schema)
    if examiner is not None:
        examiner.check_text(tables, outline)
        examiner.check_node(tables, schema)
    kernel = kernel_table.read(tables, outline)
    if schema is not None:
        rules.check_kernel_is_there(document, problems, schema)
    formulas = derivatives.read(tables, outline)
    is_sound = schema is not None and not problems.concern("op", "schema")
    sample_values = samples.read_samples(tables, outline, is_sound=is_sound)
    if schema is not None and isinstance(kernel, Elementwise) and not problems:
        agreement.check_elementwise(kernel, schema, formulas, sample_values, problems)
    if schema is not None and not problems:
        backward = kernel.backward if isinstance(kernel, Source) else ()
        agreement.check_gradients(backward, formulas, sample_values, problems)
    if schema is not None and not problems:
        mapping = replace(mapping, kinds=_kinds(tables, schema, kernel, sample_values, examiner))
        onnx_table.check_can_be_node(tables, schema, mapping)
    refusals = samples.read_errors(tables, outline)
    package = metadata.read(tables, schema, names_package=names_package)
    metadata.check_text(("op", "doc"), document.op.doc, problems)
    if problems or schema is None or package is None:
        return None
    return Spec(
        text=read.text,
        schema=schema,
        schema_text=document.op.schema,
        doc=document.op.doc.strip() or f"The operator {schema.title}.",
        mapping=mapping,
        kernel=kernel,
        derivatives=formulas,
        samples=sample_values,
        refusals=refusals,
        package=package,
        requires=tables.requires,
        default_domain=document.onnx.domain,
        op_type=document.onnx.op_type or schema.called,
        autocast=(document.kernel.autocast or "") if document.kernel else "",
        version=document.onnx.version,
    )


def _kinds(
    tables: Tables,
    schema: OpSchema,
    kernel: Kernel | None,
    samples: tuple[dict[str, SampleValue], ...],
    examiner: Examiner | None,
) -> tuple[str, ...]:
    """Return the element types of the mapping's results, from the examiner; none without one."""
    if examiner is None:
        return ()
    return examiner.result_kinds(tables, schema, kernel, samples)


def _schema(tables: Tables) -> OpSchema | None:
    op = tables.document.op
    if not op.schema and tables.problems:
        return None  # it is missing
    name = op.name or ""
    if name and (why := names.problem_with_operator(name)):
        tables.problems.add(("op", "name"), f"the name {name!r} {why}; choose another")
        return None
    recorded = tables.recorded.registered
    schema = schemas.parse(op.schema, tables.problems, tables.requires, name, recorded)
    return schema and schema.taking({*re.findall(r"\w+", tables.document.onnx.mapping or "")})
