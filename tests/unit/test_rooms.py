"""Rooms import each other along the arrows that CONTRIBUTING draws, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import ROOT, blocks

CODE = [ROOT / "generator" / "onnxop", ROOT / "runtime" / "onnxop_runtime"]
"""The folders of code, in the order of the pictures."""
OUTSIDE = {"__init__", "__main__"}
NO_ROOMS = {"__pycache__", "include", "py"}


def drawn(code: Path) -> dict[str, set[str]]:
    """Return each room with all rooms that its arrows reach."""
    picture = blocks(".github/CONTRIBUTING.md", "mermaid")[CODE.index(code)]
    nexts: dict[str, set[str]] = {}
    for line in picture.splitlines()[1:]:
        rooms = re.findall(r"(\w+)(?:\[|$| -->)", line.strip())
        for room, following in zip(rooms, [*rooms[1:], None], strict=True):
            nexts.setdefault(room, set()).update([following] if following else [])
    return {room: reached(room, nexts) for room in nexts}


def reached(room: str, nexts: dict[str, set[str]]) -> set[str]:
    rooms = set(nexts[room])
    for following in nexts[room]:
        rooms |= reached(following, nexts)
    return rooms


def imports(code: Path, module: Path) -> Iterator[str]:
    """Yield the rooms that a module imports from, including its own."""
    place = module.relative_to(code).with_suffix("").parts
    tree = ast.parse(module.read_text(encoding="utf-8"))
    for_types = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if node in for_types:
            continue
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = [*place[: len(place) - node.level], *(node.module or "").split(".")]
        name = next(filter(None, base), "")
        yield from [name] if name else [alias.name for alias in node.names]


@pytest.mark.parametrize("code", CODE, ids=lambda code: code.name)
def test_imports_go_along_the_arrows(code: Path) -> None:
    allowed = drawn(code)
    rooms = {path.stem for path in code.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert rooms - OUTSIDE - NO_ROOMS <= {*allowed}
    for module in code.rglob("*.py"):
        room = module.relative_to(code).with_suffix("").parts[0]
        if room in OUTSIDE:
            continue
        for other in imports(code, module):
            is_fine = other == room or other in allowed[room] or other.isupper() or "__" in other
            assert is_fine, f"{module.relative_to(code)} imports from {other}"


def test_the_runtime_knows_nothing_of_the_generator() -> None:
    for module in CODE[1].rglob("*.py"):
        imports = re.findall(
            r"^\s*(?:from|import) onnxop\b", module.read_text("utf-8"), re.MULTILINE
        )
        assert not imports, module
