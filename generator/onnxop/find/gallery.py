"""The gallery: the specs that onnxop brings, one an operator."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def folder() -> Path:
    """Where the specs lie: in a checkout the gallery's own, in an installed wheel a copy."""
    checkout = _PACKAGE.parent.parent / "reference_ops" / "gallery" / "ops"
    return checkout if checkout.is_dir() else _PACKAGE / "gallery"


@cache
def specs() -> dict[str, Path]:
    """The specs by ``namespace::name``; those that have a name of their own by ``namespace::name.overload``,
    where they are of an overload.
    """
    found = {}
    for file in sorted(folder().glob("*.toml")):
        op = tomllib.loads(file.read_text(encoding="utf-8"))["op"]
        full = op["schema"].partition("(")[0].strip()
        found[full if "name" in op else full.partition(".")[0]] = file
    return found


def find(op: str, overload: str = "") -> str | None:
    """What `specs` has the spec of an operator's overload by."""
    known = specs()
    return next((key for key in (f"{op}.{overload}", op) if key in known), None)


def text(op: str) -> str:
    """The spec of an operator that the gallery has, without what one of them says of its package."""
    written = specs()[op].read_text(encoding="utf-8")
    return re.sub(r"^\[package\]\n(?:(?!\[).*\n)*", "", written, flags=re.MULTILINE)
