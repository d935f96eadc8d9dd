"""Rooms import each other along the arrows that CONTRIBUTING draws, and no others."""

from __future__ import annotations

import ast
import re
from collections.abc import Container, Iterator, Mapping
from functools import cache
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


@cache
def parsed(module: Path) -> ast.Module:
    return ast.parse(module.read_text(encoding="utf-8"))


def imports(code: Path, module: Path) -> Iterator[str]:
    """Yield the rooms that a module imports from, including its own, also in functions and for
    types.
    """
    place = module.relative_to(code).with_suffix("").parts
    for node in ast.walk(parsed(module)):
        if not isinstance(node, ast.ImportFrom) or not node.level:
            continue
        base = [*place[: len(place) - node.level], *(node.module or "").split(".")]
        name = next(filter(None, base), "")
        yield from [name] if name else [alias.name for alias in node.names]


@pytest.mark.parametrize("code", CODE, ids=lambda code: code.name)
def test_imports_go_along_the_arrows(code: Path) -> None:
    allowed = drawn(code)
    rooms = {module.relative_to(code).parts[0].removesuffix(".py") for module in code.rglob("*.py")}
    assert rooms - OUTSIDE - NO_ROOMS <= {*allowed}
    for module in code.rglob("*.py"):
        room = module.relative_to(code).with_suffix("").parts[0]
        if room in OUTSIDE:
            continue
        for other in imports(code, module):
            is_fine = other == room or other in allowed[room] or other.isupper() or "__" in other
            assert is_fine, f"{module.relative_to(code)} imports from {other}"


EXPORTING = {
    "call": {"rules", "domain_nodes"},
    "rules": {"domain_nodes"},
    "domain_nodes": set[str](),
    "replacement": set[str](),
}
"""The rooms of exporting, each with the rooms that it may import."""


@pytest.mark.parametrize(("room", "allowed"), EXPORTING.items(), ids=EXPORTING)
def test_rooms_of_exporting(room: str, allowed: set[str]) -> None:
    exporting = CODE[1] / "exporting"
    for module in (exporting / room).rglob("*.py"):
        others = {*imports(exporting, module)} & EXPORTING.keys()
        assert others <= {room, *allowed}, module


def test_files_beside_the_rooms_of_exporting() -> None:
    """Check that two rooms at least use each of them, and that they use no room."""
    exporting = CODE[1] / "exporting"
    beside = {path.stem: path for path in exporting.glob("*.py")}
    for name in beside.keys() - {"__init__", "registration"}:
        path = beside[name]
        assert not {*imports(exporting, path)} & EXPORTING.keys(), name
        using = {room for room in EXPORTING if any(imports_name(exporting / room, name))}
        assert len(using) > 1, name


SCAN = ["source", "model", "calls", "report", "attempts", "one_side", "causes", "remedies", "pages"]
"""The rooms of scan, in the order of the table in CONTRIBUTING; each may import those before it."""


@pytest.mark.parametrize("room", SCAN)
def test_rooms_of_scan(room: str) -> None:
    scan = CODE[0] / "scan"
    later = {*SCAN[SCAN.index(room) + 1 :], "scan"}
    for module in (scan / room).rglob("*.py"):
        assert not {*imports(scan, module)} & later, module


def test_the_rooms_of_scan_are_those_of_the_table() -> None:
    text = (ROOT / ".github" / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = text.partition("### The rooms of scan")[2].partition("\n#")[0]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == SCAN
    folders = {module.parent.name for module in (CODE[0] / "scan").glob("*/*.py")}
    assert folders - NO_ROOMS == {*SCAN}


DRAWS = {
    "choices": set[str](),
    "calls": {"choices"},
    "plans": {"choices", "calls"},
    "judging": {"choices", "calls"},
}
"""The rooms of draws, each with the rooms that it may import."""


def test_rooms_of_draws() -> None:
    draws = CODE[1] / "testing" / "draws"
    assert {path.parent.name for path in draws.glob("*/*.py")} - NO_ROOMS == {*DRAWS}
    for room, allowed in DRAWS.items():
        for module in (draws / room).rglob("*.py"):
            others = {*imports(draws, module)} & DRAWS.keys()
            assert others <= {room, *allowed}, module


def imports_name(room: Path, name: str) -> Iterator[bool]:
    """Yield for each module of a room whether it imports from a file beside it."""
    yield from (name in imports(room.parent, module) for module in room.rglob("*.py"))


def modules(code: Path) -> dict[str, Path]:
    """Return the modules of a package by dotted name."""
    names: dict[str, Path] = {}
    for path in sorted(code.rglob("*.py")):
        name = ".".join(path.relative_to(code.parent).with_suffix("").parts)
        names[name.removesuffix(".__init__")] = path
    return names


def imported(name: str, path: Path, known: Container[str]) -> set[str]:
    """Return the known modules that a module imports: on top, in functions and for types."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    targets: set[str] = set()
    for node in ast.walk(parsed(path)):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*start, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                targets.add(inner if inner in known else base)
    return {target for target in targets if target in known} - {name}


def circles(code: Path) -> set[str]:
    """Return the circles of imports in a package, each as the names of its modules."""
    known = modules(code)
    # The package itself only has the versions, and names that it imports at first use.
    nexts = {name: imported(name, path, known) - {code.name} for name, path in known.items()}
    reachable = {name: reached_from(name, nexts) for name in known}
    found: set[str] = set()
    for name, others in reachable.items():
        if name in others:
            circle = sorted(other for other in others if name in reachable[other])
            found.add(" ".join(module.removeprefix(f"{code.name}.") for module in circle))
    return found


def reached_from(name: str, nexts: Mapping[str, set[str]]) -> set[str]:
    """Return the modules that a module imports, directly or through others."""
    seen: set[str] = set()
    waiting = [*nexts[name]]
    while waiting:
        following = waiting.pop()
        if following not in seen:
            seen.add(following)
            waiting += nexts[following]
    return seen


@pytest.mark.parametrize(
    "code",
    [*CODE, pytest.param(ROOT / "tests", marks=pytest.mark.slow)],
    ids=lambda code: code.name,
)
def test_no_modules_import_each_other(code: Path) -> None:
    assert not circles(code)


def test_circles_are_found_in_functions_and_for_types(tmp_path: Path) -> None:
    code = tmp_path / "code"
    code.mkdir()
    (code / "__init__.py").touch()
    (code / "top.py").write_text("from . import lazy\n")
    (code / "lazy.py").write_text("def call():\n    from .typed import x\n")
    (code / "typed.py").write_text("if TYPE_CHECKING:\n    import code.top\n")
    (code / "other.py").write_text("from .top import x\n")
    assert circles(code) == {"lazy top typed"}


def test_the_runtime_knows_nothing_of_the_generator() -> None:
    for module in CODE[1].rglob("*.py"):
        imports = re.findall(
            r"^\s*(?:from|import) onnxop\b", module.read_text("utf-8"), re.MULTILINE
        )
        assert not imports, module


def test_unit_tests_lie_in_folders_of_rooms() -> None:
    """A folder is a room's; ``runtime`` has those of the runtime's single files."""
    rooms = {path.stem for code in CODE for path in code.iterdir()} | {"runtime"}
    folders = {module.parent.name for module in (ROOT / "tests" / "unit").glob("*/*.py")}
    assert folders - NO_ROOMS <= rooms
