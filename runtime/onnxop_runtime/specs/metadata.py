"""The texts of ``[package]``, and ``[op] doc``: what is valid, and why another one is not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..messages import shown
from . import names
from .document import Document
from .positions import Path
from .problems import Problems

_MAX_TEXT, _MAX_LINE = 10_000, 500  # characters of free text
_AUTHOR = re.compile(r"(?=\s*[^<>@\s])[^<>@]+(<[^<>\s@]+@[^<>\s@]+>)?\s*")


def check(document: Document, problems: Problems) -> None:
    """Add a problem for each text of ``[package]`` that is not valid, and for ``[op] doc``."""
    table = document.package
    _check_free_text(("op", "doc"), document.op.doc, problems)
    _check_version(table.version or "0.1.0", problems)
    _check_license(table.license or "", problems)
    _check_authors(table.authors, problems)
    _check_line(("package", "description"), table.description or "", problems)
    if table.name is not None:
        check_name(table.name, ("package", "name"), document, problems)
    if "onnxruntime" not in table.runtimes:
        fact = 'leaves out "onnxruntime", which every package is built for; add it'
        problems.add(("package", "runtimes"), fact)


def check_name(name: str, path: Path, document: Document, problems: Problems) -> None:
    """Add a problem for the name of a package that is not valid, or is taken."""
    if why := names.problem_with_package(name, document.op.requires):
        fact = f"the package name {name!r} {why}; choose another under [package] name"
        problems.add(path, fact)


def _check_version(version: str, problems: Problems) -> None:
    """Add a problem for a version that is not one of PEP 440."""
    path: Path = ("package", "version")
    _check_line(path, version, problems)
    try:
        from packaging.version import InvalidVersion, Version
    except ImportError:  # only builds of packages need it
        return
    try:
        Version(version[:_MAX_LINE])
    except InvalidVersion:
        fact = f'{shown(version)} is not a version (PEP 440); write "0.1.0", for example'
        problems.add(path, fact)


def _check_license(expression: str, problems: Problems) -> None:
    """Add a problem for a licence that is no SPDX expression."""
    path: Path = ("package", "license")
    _check_line(path, expression, problems)
    if not expression:
        return
    try:
        from packaging.licenses import InvalidLicenseExpression, canonicalize_license_expression
    except ImportError:  # as above; or packaging is older than 24.2
        return
    try:
        canonicalize_license_expression(expression[:_MAX_LINE])
    except InvalidLicenseExpression:
        fact = f'{shown(expression)} is not an SPDX licence expression; write "MIT", for example'
        problems.add(path, fact)


def _check_authors(authors: Sequence[str], problems: Problems) -> None:
    for position, author in enumerate(authors):
        path: Path = ("package", "authors", position)
        _check_line(path, author, problems)
        if not _AUTHOR.fullmatch(author[:_MAX_LINE]):
            fact = f'{shown(author)} is not an author; write "Name" or "Name <mail@example.org>"'
            problems.add(path, fact)


def _check_free_text(path: Path, text: str, problems: Problems) -> None:
    """Add a problem for control characters, and for text that is too long."""
    _check_length(path, text, _MAX_TEXT, problems)
    _check_characters(path, text, problems, allowed="\n\t\r", remedy="remove it")


def _check_line(path: Path, text: str, problems: Problems) -> None:
    """Add a problem for control characters, newlines among them, and for a line that is too
    long.
    """
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
