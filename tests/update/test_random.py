"""Updates of packages with random edits and random specs: no edited line is lost."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from onnxop.package import template, update
from tests.update.conftest import OWN_SPEC, Checkout, edit, git

ROUNDS, MORE_ROUNDS = 6, 200

# Changes of the spec: each gives a new, valid version.
SPECS: dict[str, list[tuple[str, str]]] = {
    "the same": [],
    "an int more": [
        ("(Tensor a, Tensor b)", "(Tensor a, Tensor b, int c=0)"),
        ("2 * a + b", "2 * a + b + c"),
        ("op.Add(op.Mul(a, 2.0), b)", "op.Add(op.Add(op.Mul(a, 2.0), b), c)"),
    ],
    "another name": [
        ("Tensor b)", "Tensor other)"),
        ("2 * a + b", "2 * a + other"),
        ("2.0), b)", "2.0), other)"),
        ('b = "grad"', 'other = "grad"'),
        *[(f'\nb = "{kind}', f'\nother = "{kind}') for kind in ("float32", "float64", "float16")],
        ('\nb = "float32[3]"', '\nother = "float32[3]"'),
    ],
    "another kernel": [("2 * a + b", "a + a + b")],
    "composed": [
        ('elementwise = "2 * a + b"', 'python = "2 * a + b"'),
        ("cannot be broadcast together", "must match the size"),
    ],
    "by hand": [('elementwise = "2 * a + b"', 'source = "sums.h"')],
    "one node": [("[onnx]\n", '[onnx]\ndomain = "mine"\n')],
    "another package": [("[package]\n", '[package]\nname = "sums"\nversion = "7.0"\n')],
    "other words": [("2a + b, element by element.", "Twice a and b.")],
    "fewer samples": [('[[samples]]\na = "float16[3, 7]"\nb = "float16[7]"\n', "")],
    "newer": [("opset = 13", "opset = 18")],
}


@pytest.fixture
def later(second: Checkout, rendered_once: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give this process the later template; render each package once."""
    monkeypatch.setattr(template, "_PACKAGE", second.folder / "generator" / "onnxop")


class Hand:
    """Edits files at random, and remembers the lines that must stay."""

    def __init__(self, package: Path, draw: random.Random) -> None:
        self._package, self._draw = package, draw
        self.lines: dict[str, str] = {}
        self.deleted: list[str] = []

    def edit(self) -> None:
        actions: list[Callable[[Path], None]] = [
            self._insert,
            self._insert,
            self._replace,
            self._remove_lines,
            self._append,
            self._delete,
            self._rename,
            self._add,
        ]
        names = git(self._package, "ls-files").splitlines()
        generated = {OWN_SPEC, ".copier-answers.yml", ".onnxop/template.bundle"}
        for _ in range(self._draw.randint(1, 6)):
            files = [self._package / name for name in names if name not in generated]
            files = [file for file in files if file.is_file()]
            self._draw.choice(actions)(self._draw.choice(files))

    def _line(self, file: Path) -> str:
        line = f"// my line {len(self.lines)} of {self._draw.random()}"
        self.lines[line] = str(file.relative_to(self._package))
        return line

    def _change(self, file: Path, change: Callable[[list[str]], None]) -> None:
        lines = file.read_text(encoding="utf-8").split("\n")
        change(lines)
        file.write_text("\n".join(lines), encoding="utf-8")

    def _place(self, lines: list[str]) -> int:
        """Draw a position in the lines, except in an edit that must stay."""
        free = [i for i, line in enumerate(lines) if "my line" not in line]
        return self._draw.choice(free or [len(lines)])

    def _insert(self, file: Path) -> None:
        self._change(file, lambda lines: lines.insert(self._place(lines), self._line(file)))

    def _append(self, file: Path) -> None:
        self._change(file, lambda lines: lines.append(self._line(file)))

    def _replace(self, file: Path) -> None:
        def replace(lines: list[str]) -> None:
            place = self._place(lines)
            lines[place : place + 1] = [self._line(file)]

        self._change(file, replace)

    def _remove_lines(self, file: Path) -> None:
        def remove(lines: list[str]) -> None:
            place = self._place(lines)
            if not any("my line" in line for line in lines[place : place + 5]):
                del lines[place : place + 5]

        self._change(file, remove)

    def _delete(self, file: Path) -> None:
        name = str(file.relative_to(self._package))
        if name not in self.lines.values():
            file.unlink()
            self.deleted.append(name)

    def _rename(self, file: Path) -> None:
        target = file.with_name(f"my_{file.name}")
        old, new = (str(f.relative_to(self._package)) for f in (file, target))
        file.rename(target)
        self.lines = {line: new if name == old else name for line, name in self.lines.items()}

    def _add(self, file: Path) -> None:
        added = file.parent / f"added_{len(self.lines)}.txt"
        added.write_text(f"{self._line(added)}\n{self._line(added)}\n", encoding="utf-8")


@dataclass(frozen=True)
class Updated:
    """A package after random edits, a change of its spec, and the update.

    Attributes:
        hand: what was edited.
        change: the change of the spec, as in SPECS.
        result: what the update tells.
        files: the bytes of each file, by its name in the package.
    """

    hand: Hand
    change: str
    result: update.Update
    files: Mapping[str, bytes]

    @property
    def named(self) -> set[str]:
        """The files that the update names as changed, or as in conflict."""
        return {*self.result.files, *self.result.conflicts}

    def files_with(self, text: bytes) -> list[str]:
        """Return the files that have a text."""
        return [name for name, content in self.files.items() if text in content]

    def tells_where_it_is(self, line: str, name: str) -> bool:
        """Return whether an edited line is in its file, or in one that the update names."""
        places = self.files_with(line.encode())
        notes = self.result.notes
        return name in places or any(
            place in self.named or any(place in note for note in notes) for place in places
        )


def updated(package: Path, draw: random.Random) -> Updated:
    """Edit a package at random, change its spec, and update it."""
    hand = Hand(package, draw)
    hand.edit()
    git(package, "add", "-A")
    git(package, "commit", "-q", "--allow-empty", "-m", "edits")
    change = draw.choice(list(SPECS))
    for before, after in SPECS[change]:
        edit(package / OWN_SPEC, before, after)
    result = update.update(package)
    files = {
        str(file.relative_to(package)): file.read_bytes()
        for file in package.rglob("*")
        if file.is_file() and ".git" not in file.parts
    }
    return Updated(hand, change, result, files)


@pytest.mark.nightly
@pytest.mark.parametrize(
    "rounds",
    [ROUNDS, pytest.param(MORE_ROUNDS, marks=pytest.mark.everything)],
)
def test_no_edited_line_goes(fresh: Path, tmp_path: Path, later: None, rounds: int) -> None:
    """Each line of the user is in its file, or the update says where; deleted files stay away, or the
    update names them; and each conflict is told.
    """
    draw = random.Random(20261121)
    package = tmp_path / "my_add"
    conflicts = 0
    for number in range(rounds):
        shutil.rmtree(package, ignore_errors=True)
        shutil.copytree(fresh, package, symlinks=True)
        after = updated(package, draw)
        case = number, after.change
        for line, name in after.hand.lines.items():
            assert after.files_with(line.encode()), (*case, name, line)
            assert after.tells_where_it_is(line, name), (*case, name, after.result)
        for name in after.hand.deleted:
            assert name not in after.files or name in after.named, (*case, name)
        marked = {*after.files_with(b"<<<<<<< yours")}
        assert marked <= {*after.result.conflicts}, case
        assert after.result.is_new_version
        assert (package / ".onnxop" / "template.bundle").is_file()
        conflicts += len(after.result.conflicts)
    assert rounds < MORE_ROUNDS or conflicts > 10
