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
    """The specs by ``namespace::name``."""
    found = {}
    for file in sorted(folder().glob("*.toml")):
        schema = tomllib.loads(file.read_text(encoding="utf-8"))["op"]["schema"]
        found[schema.partition("(")[0].partition(".")[0].strip()] = file
    return found


def text(op: str) -> str:
    """The spec of an operator that the gallery has, without what one of them says of its package."""
    written = specs()[op].read_text(encoding="utf-8")
    return re.sub(r"^\[package\]\n(?:(?!\[).*\n)*", "", written, flags=re.MULTILINE)
