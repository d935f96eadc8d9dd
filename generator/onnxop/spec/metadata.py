"""[package] → the package's metadata, and other free text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ..errors import Path, Problems, shown
from ..schema.signature import OpSchema
from ..words import names
from .model import Package

_MAX_TEXT, _MAX_LINE = 10_000, 500  # characters of free text


def read(
    tree: dict[str, Any],
    schema: OpSchema | None,
    requires: Sequence[str],
    problems: Problems,
    *,
    names_package: bool,
) -> Package | None:
    """What the table says, and what it is by default; None once problems with it are noted.

    ``names_package``: the package is called after the operator unless the table says another name.
    """
    table = tree.get("package")
    table = table if isinstance(table, dict) else {}

    def text(key: str) -> str:
        value = table.get(key)
        return value if isinstance(value, str) else ""

    version, licence = text("version") or "0.1.0", text("license")
    raw_authors = table.get("authors")
    authors = raw_authors if isinstance(raw_authors, list) else []
    _check(version, licence, authors, problems)
    check_text(("package", "description"), text("description"), problems, one_line=True)
    given = isinstance(table.get("name"), str)
    if schema is None:
        if given:
            _check_name(text("name"), requires, problems)
        return None
    name = text("name") if given else schema.called
    op = tree.get("op")
    signature = str(op.get("schema")) if isinstance(op, dict) else ""
    if given or names_package:
        _check_name(name, requires, problems, "" if given else signature)
    description = text("description") or default_description(f"The operator {schema.title}")
    return Package(name, version, description, licence, tuple(authors), frozenset(table))


def default_description(what: str) -> str:
    """Say what a package has; of several operators not which, so that one more changes no line of it."""
    return f"{what} for PyTorch, ONNX and ONNX Runtime."


def _check_name(
    name: str, requires: Sequence[str], problems: Problems, signature: str = ""
) -> None:
    """Notes what is wrong with a package's name; ``signature`` is where it comes from, if it is not
    given itself.
    """
    if why := names.problem_with_package(name, requires):
        problems.add(
            ("op", "schema") if signature else ("package", "name"),
            f"the package name {name!r} {why}; "
            + ("choose another under [package] name" if signature else "choose another"),
            offset=signature.find("::") + 2 if signature else None,
            length=len(name),
        )


def _check(version: str, licence: str, authors: list[Any], problems: Problems) -> None:
    from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
    from packaging.version import InvalidVersion, Version

    for key, text in (("version", version), ("license", licence)):
        check_text(("package", key), text, problems, one_line=True)
    try:
        Version(version[:_MAX_LINE])
    except InvalidVersion:
        problems.add(
            ("package", "version"),
            f'{shown(version)} is no version (PEP 440); write "0.1.0", say',
        )
    if licence:
        try:
            canonicalize_license_expression(licence[:_MAX_LINE])
        except InvalidLicenseExpression:
            problems.add(
                ("package", "license"),
                f'{shown(licence)} is no SPDX licence expression; write "MIT", say',
            )
    for position, author in enumerate(authors):
        path: Path = ("package", "authors", position)
        if not isinstance(author, str):
            continue  # noted with the tables
        check_text(path, author, problems, one_line=True)
        if not re.fullmatch(
            r"(?=\s*[^<>@\s])[^<>@]+(<[^<>\s@]+@[^<>\s@]+>)?\s*", author[:_MAX_LINE]
        ):
            problems.add(
                path, f'{shown(author)} is no author; write "Name" or "Name <mail@example.org>"'
            )


def check_text(path: Path, text: str, problems: Problems, *, one_line: bool = False) -> None:
    """Notes what free text cannot hold, and where it is too long."""
    limit = _MAX_LINE if one_line else _MAX_TEXT
    if len(text) > limit:
        problems.add(path, f"has more than {limit} characters; write less")
    allowed = "" if one_line else "\n\t\r"
    bad = [c for c in text if not c.isprintable() and c not in allowed]
    if bad:
        what = "line breaks or control characters" if one_line else "control characters"
        problems.add(path, f"holds {what} ({bad[0]!r}); remove them")
