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
    version, license_expression = table.version or "0.1.0", table.license or ""
    _check(version, license_expression, table.authors, problems)
    _check_line(("package", "description"), table.description or "", problems)
    name = schema.declared_name if table.name is None and schema is not None else table.name
    is_named = name is not None and (table.name is not None or names_package)
    if is_named and (why := names.problem_with_package(name or "", tables.requires)):
        path = ("op", "schema") if table.name is None else ("package", "name")
        fact = f"the package name {name!r} {why}; choose another under [package] name"
        problems.add(path, fact)
    if schema is None or name is None:
        return None
    description = table.description or default_description(f"The operator {schema.title}")
    given_keys = frozenset(key for name, key in tables.document.keys if name == "package")
    runtimes = tuple(table.runtimes)
    if "onnxruntime" not in runtimes:
        fact = 'leaves out "onnxruntime", which every package is built for; add it'
        problems.add(("package", "runtimes"), fact)
    return Metadata(
        name, version, description, license_expression, tuple(table.authors), given_keys, runtimes
    )


def default_description(subject: str) -> str:
    """Return a description without operator names, so that one more changes no line."""
    return f"{subject} for PyTorch, ONNX and ONNX Runtime."


def _check(
    version: str, license_expression: str, authors: Sequence[str], problems: Problems
) -> None:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
    from packaging.version import InvalidVersion, Version

    for key, text in (("version", version), ("license", license_expression)):
        _check_line(("package", key), text, problems)
    try:
        Version(version[:_MAX_LINE])
    except InvalidVersion:
        fact = f'{shown(version)} is not a version (PEP 440); write "0.1.0", for example'
        problems.add(("package", "version"), fact)
    if license_expression:
        try:
            canonicalize_license_expression(license_expression[:_MAX_LINE])
        except InvalidLicenseExpression:
            fact = (
                f'{shown(license_expression)} is not an SPDX licence expression; write "MIT", for '
                "example"
            )
            problems.add(("package", "license"), fact)
    for position, author in enumerate(authors):
        path: Path = ("package", "authors", position)
        _check_line(path, author, problems)
        if not _AUTHOR.fullmatch(author[:_MAX_LINE]):
            fact = f'{shown(author)} is not an author; write "Name" or "Name <mail@example.org>"'
            problems.add(path, fact)


def check_free_text(path: Path, text: str, problems: Problems) -> None:
    """Add a problem for control characters, and for text that is too long."""
    _check_length(path, text, _MAX_TEXT, problems)
    _check_characters(path, text, problems, allowed="\n\t\r", remedy="remove it")


def _check_line(path: Path, text: str, problems: Problems) -> None:
    """Add a problem for control characters, newlines among them, and for a line that is too long."""
    _check_length(path, text, _MAX_LINE, problems)
    _check_characters(path, text, problems, allowed="", remedy="write it on one line")


def _check_length(path: Path, text: str, limit: int, problems: Problems) -> None:
    if len(text) > limit:
        problems.add(path, f"has more than {limit} characters; write less")


def _check_characters(
    path: Path, text: str, problems: Problems, *, allowed: str, remedy: str
) -> None:
    control = [c for c in text if not c.isprintable() and c not in allowed]
    if control:
        problems.add(path, f"has the control character {control[0]!r}; {remedy}")
