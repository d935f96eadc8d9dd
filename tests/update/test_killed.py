"""Killed at any moment, a package is the old one or the new one, or is restored by one command."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from onnxop import update
from onnxop.errors import OnnxopError
from tests.update.conftest import edit, snapshot

MOMENTS = 50


@pytest.fixture
def prepared(package: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package whose spec has changed; what copier renders is rendered once."""
    edit(package / "op.toml", "2 * a + b", "2 * a - b")
    edit(package / "op.toml", "op.Add(op", "op.Sub(op")
    edit(package / "op.toml", 'b = "grad"', 'b = "-grad"')
    edit(package / "op.toml", "[package]\n", '[package]\nname = "moved"\n')  # folders come and go
    planned = update.update(package, is_dry=True)
    monkeypatch.setattr(update, "_plan", lambda folder: planned)
    yield package


def killed_after(events: int, package: Path) -> int:
    """Updates the package in a process that kills itself after so many accesses to its files;
    returns how many there were, where it got to the end.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        count = 0

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal count
            of_files = event == "open" or event.startswith(("os.", "shutil."))
            if of_files and arguments and str(package) in str(arguments[0]):
                count += 1
                if count == events:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(watch)
        status = 1
        try:
            update.update(package)
            os.write(writer, str(count).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        answer = told.read()
    _, status = os.waitpid(child, 0)
    if answer:
        return int(answer)
    assert os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
    return 0


def test_killed_at_any_moment(prepared: Path, tmp_path: Path) -> None:
    old = snapshot(prepared)
    kept = shutil.copytree(prepared, tmp_path / "kept", symlinks=True)
    moments = killed_after(0, prepared)
    new = snapshot(prepared)
    assert moments > MOMENTS
    assert new != old
    draw = random.Random(20261121)
    outcomes: dict[str, int] = {"old": 0, "new": 0, "restored": 0}
    for moment in sorted(draw.sample(range(1, moments), MOMENTS)):
        shutil.rmtree(prepared)
        shutil.copytree(kept, prepared, symlinks=True)
        assert killed_after(moment, prepared) == 0
        found = snapshot(prepared)
        _, journals = update._place(prepared)
        if not (journals / "entries.json").exists():
            assert found in (old, new), moment
            outcomes["old" if found == old else "new"] += 1
            continue
        with pytest.raises(OnnxopError, match="run onnxop update --restore"):
            update.update(prepared)
        if draw.random() < 0.3:  # killed again, while it is put back
            child = os.fork()
            if child == 0:
                sys.addaudithook(_Killer(draw.randrange(1, 40), prepared))
                update.restore(prepared)
                os._exit(0)
            os.waitpid(child, 0)
        update.restore(prepared)
        assert snapshot(prepared) == old, moment
        folders = {path for path in prepared.rglob("*") if path.is_dir()}
        assert not [
            path for path in folders if not any(path.iterdir()) and ".git" not in path.parts
        ]
        update.update(prepared)
        assert snapshot(prepared) == new, moment
        outcomes["restored"] += 1
    assert min(outcomes.values()) > 0, outcomes


class _Killer:
    """An audit hook that kills its process after so many accesses to a folder's files."""

    def __init__(self, events: int, folder: Path) -> None:
        self._left, self._folder = events, str(folder)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(("open", "os.", "shutil.")) and self._folder in str(arguments[:1]):
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def test_a_write_that_fails_restores_everything(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = snapshot(prepared)
    replace = os.replace
    count = 0

    def fail(source: Path, target: Path) -> None:
        nonlocal count
        count += 1
        if count == 12:
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    monkeypatch.setattr("onnxop.journal.os.replace", fail)
    with pytest.raises(OnnxopError, match="cannot be written: No space left on device"):
        update.update(prepared)
    assert snapshot(prepared) == old
    update.update(prepared)
    assert snapshot(prepared) != old
