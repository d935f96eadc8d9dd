"""[package] → the package's metadata; also checks the other free text."""

from __future__ import annotations

import re
from collections.abc import Sequence

from onnxop_runtime.messages import shown
from onnxop_runtime.specs import names
from onnxop_runtime.specs.positions import Path
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.signature import OpSchema

from .model import Metadata
from .tables import Tables

_MAX_TEXT, _MAX_LINE = 10_000, 500  # characters of free text
_AUTHOR = re.compile(r"(?=\s*[^<>@\s])[^<>@]+(<[^<>\s@]+@[^<>\s@]+>)?\s*")


def parse_metadata(
    tables: Tables, schema: OpSchema | None, *, names_package: bool
) -> Metadata | None:
    """Return the table's metadata, with defaults, or add its problems and return None.

    ``names_package``: name the package after the operator unless the table names it.
    """
    table, problems = tables.document.package, tables.problems
    version, licence = table.version or "0.1.0", table.license or ""
    _check(version, licence, table.authors, problems)
    check_text(("package", "description"), table.description or "", problems, one_line=True)
    name = schema.declared_name if table.name is None and schema is not None else table.name
    is_named = name is not None and (table.name is not None or names_package)
    if is_named and (why := names.problem_with_package(name or "", tables.requires)):
        path = ("op", "schema") if table.name is None else ("package", "name")
        fact = f"the package name {name!r} {why}; choose another under [package] name"
        problems.add(path, fact)
    if schema is None or name is None:
        return None
    description = table.description or default_description(f"The operator {schema.title}")
    keys = frozenset(key for name, key in tables.document.keys if name == "package")
    runtimes = tuple(table.runtimes)
    if "onnxruntime" not in runtimes:
        fact = 'leaves out "onnxruntime", which every package is built for; add it'
        problems.add(("package", "runtimes"), fact)
    return Metadata(name, version, description, licence, tuple(table.authors), keys, runtimes)


def default_description(subject: str) -> str:
    """Return a description without operator names, so that one more changes no line."""
    return f"{subject} for PyTorch, ONNX and ONNX Runtime."


def _check(version: str, licence: str, authors: Sequence[str], problems: Problems) -> None:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
    from packaging.version import InvalidVersion, Version

    for key, text in (("version", version), ("license", licence)):
        check_text(("package", key), text, problems, one_line=True)
    try:
        Version(version[:_MAX_LINE])
    except InvalidVersion:
        fact = f'{shown(version)} is not a version (PEP 440); write "0.1.0", for example'
        problems.add(("package", "version"), fact)
    if licence:
        try:
            canonicalize_license_expression(licence[:_MAX_LINE])
        except InvalidLicenseExpression:
            fact = f'{shown(licence)} is not an SPDX licence expression; write "MIT", for example'
            problems.add(("package", "license"), fact)
    for position, author in enumerate(authors):
        path: Path = ("package", "authors", position)
        check_text(path, author, problems, one_line=True)
        if not _AUTHOR.fullmatch(author[:_MAX_LINE]):
            fact = f'{shown(author)} is not an author; write "Name" or "Name <mail@example.org>"'
            problems.add(path, fact)


def check_text(path: Path, text: str, problems: Problems, *, one_line: bool = False) -> None:
    """Add a problem for control characters, and for text that is too long."""
    limit = _MAX_LINE if one_line else _MAX_TEXT
    if len(text) > limit:
        problems.add(path, f"has more than {limit} characters; write less")
    if bad := [c for c in text if not c.isprintable() and (one_line or c not in "\n\t\r")]:
        remedy = "write it on one line" if one_line else "remove it"
        problems.add(path, f"has the control character {bad[0]!r}; {remedy}")
