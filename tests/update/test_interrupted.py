"""Updates, and `new --force`, that are killed: the next run undoes what they wrote, and says so."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from onnxop import cli
from onnxop.errors import OnnxopError
from onnxop.package import files, journal, update
from onnxop.package.files import File
from tests.tiers import nightly
from tests.update.conftest import OWN_SPEC, SPEC, commit, edit, git, snapshot

_WRITES = ("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.chmod", "os.symlink", "open")
"""Events before which a process is killed."""


def is_killed(work: Callable[[], object], folder: Path, count: int, *events: str) -> bool:
    """Do the work in a fork, killed at the start of its ``count``-th change of the folder. Return
    whether it was killed.
    """
    child = os.fork()
    if child == 0:
        left = count

        def kill(event: str, arguments: tuple[Any, ...]) -> None:
            nonlocal left
            if event not in events or not str(arguments[0]).startswith(str(folder)):
                return
            if event == "open" and not arguments[2] & (os.O_WRONLY | os.O_RDWR):
                return
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill)
        work()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.waitstatus_to_exitcode(status) == 0
    return os.WIFSIGNALED(status)


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Callable[[], str]:
    """Return a function that returns the messages since its last call."""
    caplog.set_level(logging.INFO, "onnxop")

    def messages() -> str:
        text = "\n".join(caplog.messages)
        caplog.clear()
        return text

    return messages


def files_of(folder: Path) -> dict[str, bytes]:
    """Return the folder's files; a link counts by its target, and a folder by its name."""
    return {
        str(path.relative_to(folder)): os.fsencode(path.readlink())
        if path.is_symlink()
        else (path.read_bytes() + oct(path.stat().st_mode).encode() if path.is_file() else b"")
        for path in folder.rglob("*")
    }


CHANGES: dict[str, File | None] = {
    "changed.txt": File(b"new"),
    "new/deep/added.txt": File(b"added", "100755"),
    "old/deep/removed.txt": None,
    "run.sh": File(b"#!/bin/sh\n"),
    "link": File(b"changed.txt", "120000"),
    "was a link": File(b"a file"),
    "na\udcefme": File(b"not UTF-8"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with files that `CHANGES` changes, and a file of its owner."""
    place = tmp_path / "folder"
    (place / "old/deep").mkdir(parents=True)
    (place / "new").mkdir()
    (place / "new/mine.txt").write_text("mine")
    (place / "changed.txt").write_text("old")
    (place / "old/deep/removed.txt").write_text("removed")
    (place / "run.sh").write_text("old")
    (place / "run.sh").chmod(0o755)
    (place / "link").write_text("a file")
    (place / "was a link").symlink_to("nowhere")
    return place


def replace(folder: Path) -> None:
    with journal.replaced(folder, "a test", CHANGES):
        pass


def test_each_kill_is_undone(folder: Path, tmp_path: Path) -> None:
    before = files_of(folder)
    kept = shutil.copytree(folder, tmp_path / "kept", symlinks=True)
    count = 1
    while is_killed(lambda: replace(folder), folder, count, *_WRITES):
        is_begun = journal.is_interrupted(folder)
        undone = journal.undo(folder)
        is_over = undone is None and files_of(folder) != before
        assert (undone is not None) == is_begun
        if not is_over:
            assert files_of(folder) == before, count
        shutil.rmtree(folder)
        shutil.copytree(kept, folder, symlinks=True)
        count += 1
    assert count > 30
    assert files.read(folder, CHANGES) == {n: f for n, f in CHANGES.items() if f is not None}
    assert not (folder / "old").exists() and not (folder / journal.FOLDER).exists()


def test_an_undo_that_is_killed_is_undone(folder: Path, tmp_path: Path) -> None:
    before = files_of(folder)
    assert is_killed(lambda: replace(folder), folder, len(CHANGES), "os.rename")
    half = shutil.copytree(folder, tmp_path / "half", symlinks=True)
    assert files_of(folder) != before
    count = 1
    while is_killed(lambda: journal.undo(folder), folder, count, *_WRITES):
        journal.undo(folder)
        assert files_of(folder) == before, count
        shutil.rmtree(folder)
        shutil.copytree(half, folder, symlinks=True)
        count += 1
    assert count > 10 and files_of(folder) == before


def test_files_that_changed_since_stay(folder: Path) -> None:
    assert is_killed(lambda: replace(folder), folder, len(CHANGES), "os.rename")
    (folder / "changed.txt").write_text("mine")
    (folder / "new/deep/added.txt").unlink()
    (folder / "new/deep/added.txt").mkdir()
    undone = journal.undo(folder)
    assert undone is not None
    assert undone.changed == ("changed.txt", "new/deep/added.txt")
    assert (folder / "changed.txt").read_text() == "mine"
    assert (folder / "old/deep/removed.txt").read_text() == "removed"
    assert not (folder / journal.FOLDER).exists()


STRANGE = (
    "[]",
    "[" * 10**5,
    "null",
    '{"run": "an update"}',
    '{"run": "x", "files": [{"name": "../x"}]}',
    *(
        f'{{"run": "x", "files": [{{"name": "{name}", "old": null, "new": "{{digest}}"}}]}}'
        for name in ("../precious", "/etc/precious", ".git/config", "src/.GIT/hooks/x", "", ".")
    ),
)


@pytest.mark.parametrize("manifest", STRANGE, ids=range(len(STRANGE)))
def test_a_stranger_s_journal(manifest: str, folder: Path) -> None:
    """Check that it makes no run write or remove a file outside of the package, or git's."""
    precious = folder.parent / "precious"
    precious.write_text("mine")
    digest = journal._digest(folder.parent, "precious")
    (folder / journal.FOLDER).mkdir()
    text = manifest.replace("{digest}", str(digest))
    (folder / journal.FOLDER / "manifest.json").write_text(text)
    before = files_of(folder.parent)
    with pytest.raises(OnnxopError, match=r"manifest\.json: onnxop did not write it .*; remove "):
        journal.undo(folder)
    assert files_of(folder.parent) == before


@pytest.mark.parametrize("target", ["elsewhere", "nowhere"])
def test_a_link_as_journal(target: str, folder: Path) -> None:
    elsewhere = folder.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "manifest.json").write_text('{"run": "x", "files": []}')
    (folder / journal.FOLDER).symlink_to(folder.parent / target)
    with pytest.raises(OnnxopError, match="is in the way of a folder of onnxop's; remove it"):
        journal.undo(folder)
    assert (elsewhere / "manifest.json").exists()


@pytest.mark.parametrize("step", [8, nightly(1)])
@pytest.mark.usefixtures("rendered_once")
def test_a_killed_update_is_undone_by_the_next(
    step: int, prepared: Path, told: Callable[[], str]
) -> None:
    """Kill it at each replacement, or at each eighth; the next run has the result of one that was
    not killed.
    """
    (prepared / "ops/notes.txt").write_text("mine", encoding="utf-8")
    commit(prepared)
    edit(prepared / OWN_SPEC, "2 * a - b", "2 * a - b - b")
    kept = shutil.copytree(prepared, prepared.parent / "kept", symlinks=True)
    whole = shutil.copytree(prepared, prepared.parent / "whole", symlinks=True)
    update.update(whole)
    wanted = snapshot(whole)
    assert told() == ""
    count = 2  # the first one completes the manifest
    while is_killed(lambda: update.update(prepared), prepared, count, "os.rename"):
        assert git(prepared, "ls-files", "--others", "--exclude-standard", ".onnxop*") == ""
        with pytest.raises(OnnxopError, match="was interrupted while it wrote here; run onnxop"):
            update.update(prepared, is_dry=True)
        with pytest.raises(OnnxopError, match="was interrupted while it wrote here; run onnxop"):
            update.difference(prepared)
        assert not update.update(prepared).conflicts
        assert f"{prepared}: an update was interrupted" in told()
        assert snapshot(prepared) == wanted
        shutil.rmtree(prepared)
        shutil.copytree(kept, prepared, symlinks=True)
        count += step
    assert count > 10


@pytest.mark.nightly
@pytest.mark.parametrize("event", ["manifest.json", "index"])
def test_an_update_with_conflicts_that_is_killed_at_its_end(
    event: str, package: Path, told: Callable[[], str]
) -> None:
    """Kill it before and after it has recorded its conflicts in git's index."""
    edit(package / "csrc/my_add.h", "return T(2) * a + b", "return a + (a + b)")
    commit(package)
    edit(package / OWN_SPEC, "2 * a + b", "b + 2 * a")
    before = git(package, "status", "--porcelain")
    child = os.fork()
    if child == 0:

        def kill(name: str, arguments: tuple[Any, ...]) -> None:
            is_end = name == "os.remove" and journal.is_interrupted(package)
            is_mark = name == "subprocess.Popen" and "update-index" in arguments[1]
            if is_end if event == "manifest.json" else is_mark:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill)
        update.update(package)
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    is_marked = git(package, "diff", "--name-only", "--diff-filter=U") != ""
    assert is_marked == (event == "manifest.json")
    edit(package / OWN_SPEC, "b + 2 * a", "nonsense(a)")
    with pytest.raises(OnnxopError, match=r"my_add\.toml:"):
        update.update(package)
    assert "an update was interrupted; " in told()
    assert git(package, "status", "--porcelain") == before
    edit(package / OWN_SPEC, "nonsense(a)", "b + 2 * a")
    assert list(update.update(package).conflicts) == ["csrc/my_add.h"]


@pytest.mark.nightly
def test_a_killed_update_that_was_committed(prepared: Path, told: Callable[[], str]) -> None:
    """Check that it makes no conflicts, which a clean update has not."""
    assert is_killed(lambda: update.update(prepared), prepared, 8, "os.rename")
    commit(prepared)
    with pytest.raises(OnnxopError, match="changes that are not committed: .*; commit them"):
        update.update(prepared)
    assert "an update was interrupted; " in told()
    commit(prepared)
    assert not update.update(prepared).conflicts
    assert 'name = "moved"' in (prepared / "pyproject.toml").read_text("utf-8")
    assert (prepared / "src/moved/_my_add.py").exists() and not (prepared / "src/my_add").exists()
    commit(prepared)
    assert not update.update(prepared).files


@pytest.mark.nightly
def test_an_edit_after_a_kill_stays(prepared: Path, told: Callable[[], str]) -> None:
    """Check a file that the update had written, and that the user has edited since."""
    planned = update.update(prepared, is_dry=True)
    changed = [name for name, file in planned.files.items() if file and name in planned.before]
    place = list(planned.files).index(changed[0]) + 3
    assert is_killed(lambda: update.update(prepared), prepared, place, "os.rename")
    with (prepared / changed[0]).open("a") as file:
        file.write("# Mine.\n")
    with pytest.raises(OnnxopError, match=f"not committed: {changed[0]}; commit them"):
        update.update(prepared)
    assert f"{changed[0]}: has changed since an update was interrupted; it stays" in told()
    assert (prepared / changed[0]).read_text().endswith("# Mine.\n")


@pytest.mark.parametrize("step", [3, nightly(1)])
@pytest.mark.usefixtures("rendered_once")
def test_new_over_a_package_that_is_killed(
    step: int, tmp_path: Path, told: Callable[[], str]
) -> None:
    """Kill ``new --force`` at each replacement, or at each third; the next one makes no second
    backup of the same bytes.
    """
    package = tmp_path / "my_add"
    command = ["new", str(SPEC), str(package), "--force"]
    assert cli.main(command[:-1]) == 0
    for name in ("README.md", "setup.py", "tests/test_my_add.py"):
        (package / name).write_text("mine", encoding="utf-8")
    (package / "csrc/my_add.h").unlink()
    kept = shutil.copytree(package, tmp_path / "kept")
    assert cli.main(command) == 0
    wanted = snapshot(package)
    assert "README.md.orig" in wanted
    told()
    count = 2
    while True:
        shutil.rmtree(package)
        shutil.copytree(kept, package)
        if not is_killed(lambda: cli.main(command), package, count, "os.rename"):
            break
        assert cli.main(command) == 0
        assert "onnxop new was interrupted" in told()
        assert snapshot(package) == wanted
        count += step
    assert count > 7


@pytest.mark.usefixtures("rendered_once")
def test_a_new_package_that_is_killed(tmp_path: Path) -> None:
    """Check that the folder is free for the next run, without --force."""
    package = tmp_path / "my_add"
    command = ["new", str(SPEC), str(package)]
    for count in (1, 2, 9):
        assert is_killed(lambda: cli.main(command), package, count, "os.rename")
        assert cli.main(command) == 0
        assert not list(package.glob(".onnxop-*"))
        shutil.rmtree(package)


def test_a_backup_of_the_same_bytes_is_made_once(tmp_path: Path) -> None:
    package = tmp_path / "my_add"
    for _ in range(3):
        assert cli.main(["new", str(SPEC), str(package), "--force"]) == 0
        (package / "README.md").write_text("mine", encoding="utf-8")
    assert [path.name for path in package.glob("*.orig*")] == ["README.md.orig"]


@pytest.mark.nightly
def test_leftovers_of_a_killed_run(prepared: Path, tmp_path: Path) -> None:
    """Check that the next run clears TMPDIR, also of copier's folders, but not of a run that goes
    on.
    """
    scratch = tmp_path / "tmp"
    scratch.mkdir()
    (scratch / "mine").mkdir()
    environment = {**os.environ, "TMPDIR": str(scratch)}
    code = (
        "import os, signal, sys, time\n"
        "from pathlib import Path\n"
        "from onnxop.package import update\n"
        "def stop(event, arguments):\n"
        "    if event == 'subprocess.Popen' and 'checkout' in arguments[1]:\n"
        "        print('rendering', flush=True)\n"
        "        time.sleep(60)\n"
        "sys.addaudithook(stop)\n"
        f"update.update(Path({str(prepared)!r}))\n"
    )
    again = [sys.executable, "-m", "onnxop", "update", "--dry-run", str(prepared)]
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == "rendering\n"
        (left,) = scratch.glob(".onnxop-*")
        assert list(left.glob("copier*"))
        subprocess.run(again, env=environment, check=True, capture_output=True)
        assert left.is_dir()
        run.send_signal(signal.SIGKILL)
    assert left.is_dir()
    subprocess.run(again, env=environment, check=True, capture_output=True)
    assert os.listdir(scratch) == ["mine"]
    assert tempfile.gettempdir() != str(scratch)
