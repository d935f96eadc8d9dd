"""The gallery: the specs that onnxop-runtime brings, one an operator."""

from __future__ import annotations

import importlib.util
import re
import tomllib
from functools import cache
from pathlib import Path

from .. import names
from ..errors import OnnxopError

_PARTS = ("aten", "torchvision")
_PACKAGE_TABLE = re.compile(r"^\[package\]\n(?:(?!\[).*\n)*", re.MULTILINE)


def folders() -> list[Path]:
    """Return the folders of the specs, in the runtime that is installed; nothing of it is imported.

    Raises:
        OnnxopError: it is not installed.
    """
    runtime = importlib.util.find_spec("onnxop_runtime")
    if runtime is None or not runtime.submodule_search_locations:
        raise OnnxopError("onnxop-runtime is not installed; run pip install onnxop-runtime")
    (home,) = runtime.submodule_search_locations
    return [Path(home, "gallery", part) for part in _PARTS]


@cache
def specs() -> dict[str, Path]:
    """Return the specs by ``namespace::name``; by ``namespace::name.overload`` those of an overload that
    have a name of their own.
    """
    found = {}
    for file in sorted(file for folder in folders() for file in folder.glob("*.toml")):
        op = tomllib.loads(file.read_text(encoding="utf-8"))["op"]
        full = op["schema"].partition("(")[0].strip()
        found[full if "name" in op else full.partition(".")[0]] = file
    return found


def find(op: str, overload: str = "") -> str | None:
    """Return what `specs` has a spec of an operator by, the overload's own first."""
    known = specs()
    return next((key for key in (f"{op}.{overload}", op) if key in known), None)


def with_needed(op: str) -> list[str]:
    """Return the operator, and those that the gallery's spec of it needs specs of beside it."""
    found = [op]
    for each in found:
        found += [key for key in _needed(each) if key not in found]
    return found


def _needed(op: str) -> list[str]:
    if op not in specs():
        return []
    decomposed = tomllib.loads(specs()[op].read_text(encoding="utf-8"))["onnx"].get("decomposed")
    names = decomposed if isinstance(decomposed, list) else []
    keys = (find(*name.partition(".")[::2]) for name in names)
    return [key for key in keys if key is not None]


def key_of(op: str, overload: str = "") -> str | None:
    """Return what `specs` has the spec for an overload by: a mapping is for its own alone. Without an
    overload, any of the operator's will do.
    """
    known = specs()
    key = find(op, overload)
    if key is None:
        others = () if overload else (k for k in known if k.startswith(f"{op}."))
        key = next(iter(others), None)
    if key is None or not overload:
        return key
    spec = tomllib.loads(known[key].read_text(encoding="utf-8"))
    own = spec["op"]["schema"].partition("(")[0].strip().partition(".")[2]
    return key if own == overload or "decomposed" in spec["onnx"] else None


def file_of(op: str, overload: str = "") -> Path | None:
    """Return the file of the spec for an overload."""
    return specs().get(key_of(op, overload) or "")


def text(op: str) -> str:
    """Return the text of a spec of the gallery's, as that of a package of its own."""
    written = specs()[op].read_text(encoding="utf-8")
    package = package_table(tomllib.loads(written)["op"].get("name") or op.partition("::")[2])
    return f"{written.rstrip()}\n\n{package}\n" if package else written


def in_package(spec: str, name: str, *, names_it: bool = False) -> str:
    """Return the spec's text for a package of many, which it names where it named one, or ``names_it``."""
    table = f'[package]\nname = "{name}"\n'
    if names_it and not _PACKAGE_TABLE.search(spec):
        return f"{spec.rstrip()}\n\n{table}"
    return _PACKAGE_TABLE.sub(f"{table}\n", spec).rstrip() + "\n"


def package_table(name: str) -> str:
    """Return the table [package] of an operator whose name can be no package's; else nothing."""
    return f'[package]\nname = "{name}_op"' if names.problem_with_package(name) else ""
