"""The gallery: the specs in onnxop-runtime, one per operator."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import onnxop_runtime
from onnxop_runtime.specs import names

_PARTS = ("aten", "torchvision")
_PACKAGE_TABLE = re.compile(r"^\[package\]\n(?:(?!\[).*\n)*", re.MULTILINE)


def folders() -> list[Path]:
    """Return the folders of the specs in the installed runtime."""
    return [Path(onnxop_runtime.__file__).parent / "gallery" / part for part in _PARTS]


@cache
def specs() -> dict[str, Path]:
    """Return the specs by ``namespace::name``, with ``.overload`` if the spec sets ``name``."""
    by_key = {}
    for file in sorted(file for folder in folders() for file in folder.glob("*.toml")):
        op = tomllib.loads(file.read_text(encoding="utf-8"))["op"]
        name = op["schema"].partition("(")[0].strip()
        by_key[name if "name" in op else name.partition(".")[0]] = file
    return by_key


def _tables(key: str) -> dict[str, Any]:
    return tomllib.loads(specs()[key].read_text(encoding="utf-8"))


def find(op: str, overload: str = "") -> str | None:
    """Return the key in `specs` of an operator's spec: the overload's own, if there is one."""
    return next((key for key in (f"{op}.{overload}", op) if key in specs()), None)


def with_needed(op: str) -> list[str]:
    """Return the operator, and the others whose specs the gallery's spec of it needs."""
    ops: list[str] = []
    pending = [op]
    while pending:
        current = pending.pop(0)
        if current not in ops:
            ops.append(current)
            pending += _needed(current)
    return ops


def _needed(op: str) -> list[str]:
    """Return the operators with gallery specs that a gallery spec is decomposed into."""
    needed = _tables(op)["onnx"].get("decomposed") if op in specs() else None
    if not isinstance(needed, list):
        return []
    keys = (find(*name.partition(".")[::2]) for name in needed)
    return [key for key in keys if key is not None]


def key_of(op: str, overload: str = "") -> str | None:
    """Return the key in `specs` for an overload, or without one, for any of the operator's. Another
    overload's spec serves only if it is decomposed.
    """
    key = find(op, overload)
    if not overload:
        return key or next((other for other in specs() if other.startswith(f"{op}.")), None)
    if key is None:
        return None
    tables = _tables(key)
    overload_of_spec = tables["op"]["schema"].partition("(")[0].strip().partition(".")[2]
    return key if overload_of_spec == overload or "decomposed" in tables["onnx"] else None


def file_of(op: str, overload: str = "") -> Path | None:
    """Return the file of the spec for an overload."""
    return specs().get(key_of(op, overload) or "")


def text(op: str) -> str:
    """Return the text of a gallery spec, for a package of that operator alone."""
    spec = specs()[op].read_text(encoding="utf-8")
    package = package_table(tomllib.loads(spec)["op"].get("name") or op.partition("::")[2])
    return f"{spec.rstrip()}\n\n{package}\n" if package else spec


def in_package(spec: str, name: str, *, names_it: bool = False) -> str:
    """Return the spec's text for a package of that name; ``names_it``: add a missing [package]."""
    table = f'[package]\nname = "{name}"\n'
    if names_it and not _PACKAGE_TABLE.search(spec):
        return f"{spec.rstrip()}\n\n{table}"
    return _PACKAGE_TABLE.sub(f"{table}\n", spec).rstrip() + "\n"


def package_table(name: str) -> str:
    """Return the table [package] for an operator whose name no package can have; else nothing."""
    return f'[package]\nname = "{name}_op"' if names.problem_with_package(name) else ""
