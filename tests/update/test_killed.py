"""Killed at any moment, a package is the old one or the new one, or is restored by one command."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from onnxop.errors import OnnxopError
from onnxop.package import update
from onnxop.package.journal import Journal
from onnxop.package.merge import File
from onnxop.package.plan import plan
from tests.update.conftest import OWN_SPEC, commit, edit, git, snapshot

MOMENTS, MORE_MOMENTS = 6, 50


@pytest.fixture
def prepared(package: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package whose spec has changed; what copier renders is rendered once."""
    edit(package / OWN_SPEC, "2 * a + b", "2 * a - b")
    edit(package / OWN_SPEC, "op.Add(op", "op.Sub(op")
    edit(package / OWN_SPEC, 'b = "grad"', 'b = "-grad"')
    edit(package / OWN_SPEC, "[package]\n", '[package]\nname = "moved"\n')  # folders come and go
    planned = update.update(package, is_dry=True)
    monkeypatch.setattr(update, "plan", lambda folder, is_trusted: planned)
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


@pytest.mark.parametrize(
    "count", [MOMENTS, pytest.param(MORE_MOMENTS, marks=pytest.mark.everything)]
)
def test_killed_at_any_moment(prepared: Path, tmp_path: Path, count: int) -> None:
    old = snapshot(prepared)
    kept = shutil.copytree(prepared, tmp_path / "kept", symlinks=True)
    moments = killed_after(0, prepared)
    new = snapshot(prepared)
    assert moments > MORE_MOMENTS
    assert new != old
    draw = random.Random(20261121)
    outcomes: dict[str, int] = {"old": 0, "new": 0, "restored": 0}
    for moment in sorted([*draw.sample(range(1, moments), count - 1), moments]):  # the last, too
        shutil.rmtree(prepared)
        shutil.copytree(kept, prepared, symlinks=True)
        assert killed_after(moment, prepared) == 0
        found = snapshot(prepared)
        _, journals = update._place(prepared)
        if not Journal(journals, prepared).is_open:
            assert found in (old, new), moment
            outcomes["old" if found == old else "new"] += 1
            continue
        with pytest.raises(OnnxopError, match="run onnxop update --restore"):
            update.update(prepared)
        if draw.random() < 0.3:  # killed again, while it is put back
            forked(_Killer(draw.randrange(1, 40), prepared), update.restore, prepared)
        update.restore(prepared)
        assert snapshot(prepared) == old, moment
        folders = {path for path in prepared.rglob("*") if path.is_dir()}
        assert not [
            path for path in folders if not any(path.iterdir()) and ".git" not in path.parts
        ]
        update.update(prepared)
        assert snapshot(prepared) == new, moment
        outcomes["restored"] += 1
    assert outcomes["restored"] > 0
    assert count < MORE_MOMENTS or min(outcomes.values()) > 0, outcomes


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

    monkeypatch.setattr("onnxop.package.journal.os.replace", fail)
    with pytest.raises(OnnxopError, match="cannot be written: No space left on device"):
        update.update(prepared)
    assert snapshot(prepared) == old
    update.update(prepared)
    assert snapshot(prepared) != old


def kill_midway(package: Path) -> None:
    """Kills an update once about half of its files are written."""
    assert os.WIFSIGNALED(forked(_Replacing(8, package), update.update, package))


def forked(hook: Callable[..., None], function: Callable[[Path], object], package: Path) -> int:
    """Calls the function in a process of its own, with an audit hook; returns its wait status."""
    child = os.fork()
    if child == 0:
        try:
            sys.addaudithook(hook)
            function(package)
        except BaseException:  # noqa: BLE001 - a copy of this process must not go on as pytest
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    return os.waitpid(child, 0)[1]


class _Replacing:
    """An audit hook that kills its process as it puts a file of the package in its place."""

    def __init__(self, files: int, package: Path) -> None:
        self._left, self._package = files, str(package)

    def __call__(self, event: str, arguments: tuple[object, ...]) -> None:
        if event == "os.rename" and str(arguments[1]).startswith(self._package):
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


def test_what_is_written_after_the_kill_is_kept(prepared: Path) -> None:
    old = snapshot(prepared)
    kill_midway(prepared)
    changed = [name for name, text in snapshot(prepared).items() if old.get(name, text) != text]
    edited = next(name for name in changed if name.endswith(".md"))
    (prepared / edited).write_text("mine", encoding="utf-8")
    done = update.restore(prepared)
    assert done.kept == (f"{edited}.orig",)
    assert snapshot(prepared) == {**old, f"{edited}.orig": b"mine"}


def test_a_package_that_git_put_back_needs_no_restoring(prepared: Path) -> None:
    kill_midway(prepared)
    git(prepared, "stash", "-q", "-u")
    (prepared / "csrc/my_add.h").write_text("// mine\n", encoding="utf-8")
    before = snapshot(prepared)
    assert update.restore(prepared).names == ()
    assert snapshot(prepared) == before


@pytest.mark.parametrize("spoil", ["entries", "old"])
def test_a_journal_that_is_not_whole(prepared: Path, spoil: str) -> None:
    kill_midway(prepared)
    _, journals = update._place(prepared)
    if spoil == "old":
        shutil.rmtree(journals / "old")
    else:
        (journals / "entries.json").write_text("{", encoding="utf-8")
    before = snapshot(prepared)
    with pytest.raises(OnnxopError, match="git checkout -- ., and remove"):
        update.restore(prepared)
    assert snapshot(prepared) == before


def test_a_locked_index_restores_everything(package: Path) -> None:
    """Conflicts that git cannot be told of are not left to be committed by mistake."""
    edit(package / "csrc/my_add.h", "return T(2) * a + b", "return a + (a + b)")
    commit(package)
    edit(package / OWN_SPEC, "2 * a + b", "b + 2 * a")
    old = snapshot(package)
    (package / ".git" / "index.lock").touch()
    with pytest.raises(OnnxopError, match=r"index\.lock"):
        update.update(package)
    assert snapshot(package) == old
    (package / ".git" / "index.lock").unlink()
    assert update.update(package).conflicts == ["csrc/my_add.h"]


def test_a_file_saved_while_the_update_runs(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = plan(prepared, is_trusted=False)
    name = next(name for name in planned.files if name in planned.before)
    planned.before = {**planned.before, name: File(b"what it was")}
    monkeypatch.setattr(update, "plan", lambda folder, is_trusted: planned)
    old = snapshot(prepared)
    with pytest.raises(OnnxopError, match="was changed while the update ran; run it again"):
        update.update(prepared)
    assert snapshot(prepared) == old
