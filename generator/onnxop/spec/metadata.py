"""[package] → the package's metadata, with the defaults."""

from __future__ import annotations

from onnxop_runtime.specs import metadata
from onnxop_runtime.specs.op_schema import OpSchema

from .model import Metadata
from .tables import Tables


def parse_metadata(
    tables: Tables, schema: OpSchema | None, *, names_package: bool
) -> Metadata | None:
    """Return the table's metadata, with defaults, or add its problems and return None.

    ``names_package``: name the package after the operator unless the table names it.
    """
    document, problems = tables.document, tables.problems
    table = document.package
    metadata.check(document, problems)
    if schema is None:
        return None
    name = schema.declared_name if table.name is None else table.name
    if table.name is None and names_package:
        metadata.check_name(name, ("op", "schema"), document, problems)
    return Metadata(
        name=name,
        version=table.version or "0.1.0",
        description=table.description or default_description(f"The operator {schema.title}"),
        license=table.license or "",
        authors=tuple(table.authors),
        given_keys=frozenset(key for table_name, key in document.keys if table_name == "package"),
        runtimes=tuple(table.runtimes),
    )


def default_description(subject: str) -> str:
    """Return a description without operator names, so that one more changes no line."""
    return f"{subject} for PyTorch, ONNX and ONNX Runtime."
