"""The generator's rooms import each other along the arrows that CONTRIBUTING draws, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.documents import ROOT, blocks

CODE = ROOT / "generator" / "onnxop"
OUTSIDE = {"__init__", "__main__"}


def drawn() -> dict[str, set[str]]:
    """Each room, and all that arrows lead to from there."""
    (picture,) = blocks(".github/CONTRIBUTING.md", "mermaid")
    nexts: dict[str, set[str]] = {}
    for line in picture.splitlines()[1:]:
        rooms = re.findall(r"(\w+)(?:\[|$| -->)", line.strip())
        for room, following in zip(rooms, [*rooms[1:], None], strict=True):
            nexts.setdefault(room, set()).update([following] if following else [])
    return {room: reached(room, nexts) for room in nexts}


def reached(room: str, nexts: dict[str, set[str]]) -> set[str]:
    found = set(nexts[room])
    for following in nexts[room]:
        found |= reached(following, nexts)
    return found


def imports(module: Path) -> Iterator[str]:
    """The rooms that a module imports from, its own among them."""
    place = module.relative_to(CODE).with_suffix("").parts
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = [*place[: len(place) - node.level], *(node.module or "").split(".")]
        name = next(filter(None, base), "")
        yield from [name] if name else [alias.name for alias in node.names]


def test_imports_go_along_the_arrows() -> None:
    allowed = drawn()
    rooms = {path.stem for path in CODE.iterdir() if path.is_dir() or path.suffix == ".py"}
    assert rooms - OUTSIDE - {"__pycache__"} <= {*allowed}
    for module in CODE.rglob("*.py"):
        room = module.relative_to(CODE).with_suffix("").parts[0]
        if room in OUTSIDE:
            continue
        for other in imports(module):
            is_fine = other == room or other in allowed[room] or other == "__version__"
            assert is_fine, f"{module.relative_to(CODE)} imports from {other}"
