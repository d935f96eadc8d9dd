"""The pages for contributors name files and functions that the code has."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.documents import ROOT, read

FOLDER = "docs/contributing"
MAP = f"{FOLDER}/how-it-works.md"
DEEPER = f"{FOLDER}/inside-an-export.md"
CHANGES = f"{FOLDER}/further-changes.md"
_NAMES = r"((?:`\w+`(?:, )?)+)"
_IN_FILE = re.compile(rf"`([\w./]+)`: {_NAMES}")
_OF_FILE = re.compile(rf"{_NAMES} of `([\w./]+)`")


@dataclass(frozen=True)
class Step:
    """A function, or another name, in a file."""

    file: Path
    function: str
    caller: Step | None = None
    """The step that the line is under."""

    def __str__(self) -> str:
        name = f"{self.file.relative_to(ROOT)}: {self.function}"
        return name if self.caller is None else f"{name}, called by {self.caller.function}"


def journeys() -> dict[str, list[Step]]:
    """Return the steps of each journey, by the line that starts it."""
    steps: dict[str, list[Step]] = {}
    for line in (read(MAP) + read(DEEPER)).splitlines():
        if title := re.fullmatch(r"\*\*.*, in `([\w/]+)`", line):
            folder = ROOT / title[1]
            steps[line] = journey = []
            callers: list[Step] = []  # the steps that the line before is under, and its own
        elif numbered := re.match(r"( *)\d+\. ", line):
            callers = callers[: len(numbered[1]) // 4]
            caller = callers[-1] if callers else None
            new = [replace(step, caller=caller) for step in named(line, folder)]
            journey += new
            callers.append(new[0])
    return steps


def named(line: str, folder: Path = ROOT) -> Iterator[Step]:
    """Yield what a line names in files: "`file`: `name`, `name`", and "`name` of `file`"."""
    for path, names in _IN_FILE.findall(line):
        yield from (Step(folder / path, name) for name in re.findall(r"\w+", names))
    for names, path in _OF_FILE.findall(line):
        yield from (Step(folder / path, name) for name in re.findall(r"\w+", names))


def has(step: Step) -> bool:
    """Return whether the file has the name; in Python, whether it defines it."""
    if not step.file.exists():
        return False
    text = step.file.read_text(encoding="utf-8")
    if step.file.suffix != ".py":
        return re.search(rf"\b{step.function}\b", text) is not None
    names = set[str]()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return step.function in names


@pytest.mark.parametrize("journey", journeys().values(), ids=journeys())
def test_a_journey_has_at_most_ten_steps_that_exist(journey: list[Step]) -> None:
    assert 5 <= len(journey) <= 10
    assert [str(step) for step in journey if not has(step)] == []


def test_four_journeys_fit_on_a_page() -> None:
    assert len(journeys()) == 6
    assert len(read(MAP).splitlines()) <= 60


def test_changes_name_what_exists() -> None:
    steps = list(named(re.sub(r"\n +", " ", read(CHANGES))))
    assert len(steps) > 40
    assert [str(step) for step in steps if not has(step)] == []


@pytest.mark.parametrize("page", sorted((ROOT / FOLDER).glob("*.md")), ids=lambda page: page.name)
def test_files_exist(page: Path) -> None:
    """Check files that are named without a name in them, too."""
    folders = "generator|runtime|templates|tests|reference_ops"
    for path in re.findall(rf"`((?:{folders})/[^`]+)`", page.read_text(encoding="utf-8")):
        assert (ROOT / path).exists(), path
