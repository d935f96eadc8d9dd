"""Writing an update: whole or not at all."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from onnxop.errors import OnnxopError
from onnxop.package import files, journal, recorded, update
from tests.tiers import nightly
from tests.update.conftest import OWN_SPEC, commit, edit, git, snapshot


@pytest.mark.parametrize("count", [nightly(1), 8])
def test_a_write_that_fails_restores_everything(
    prepared: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    old = snapshot(prepared)
    replace, left = os.replace, count

    def fail(source: Path, target: Path) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    monkeypatch.setattr("onnxop.package.files.os.replace", fail)
    with pytest.raises(OnnxopError, match="my_add: cannot be written: No space left on device"):
        update.update(prepared)
    assert snapshot(prepared) == old
    assert not list(prepared.glob("src/moved"))
    update.update(prepared)
    assert snapshot(prepared) != old


@pytest.mark.nightly
def test_a_link_where_new_files_go(prepared: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (prepared / "src/moved").symlink_to(elsewhere)
    commit(prepared)
    old = snapshot(prepared)
    with pytest.raises(OnnxopError, match=r"src/moved: is a link to .*elsewhere"):
        update.update(prepared)
    assert snapshot(prepared) == old and not list(elsewhere.iterdir())


def test_a_locked_index_restores_everything(package: Path) -> None:
    """Check that no conflicts stay that git cannot record: they might be committed by mistake."""
    edit(package / "csrc/my_add.h", "return T(2) * a + b", "return a + (a + b)")
    commit(package)
    edit(package / OWN_SPEC, "2 * a + b", "b + 2 * a")
    old = snapshot(package)
    (package / ".git" / "index.lock").touch()
    with pytest.raises(OnnxopError, match=r"another git works .* or remove .*index\.lock"):
        update.update(package)
    assert snapshot(package) == old
    (package / ".git" / "index.lock").unlink()
    assert list(update.update(package).conflicts) == ["csrc/my_add.h"]


@pytest.mark.nightly
def test_a_file_saved_while_the_update_runs(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make: Callable[..., dict[str, files.File]] = recorded.make

    def save(*arguments: Any) -> dict[str, files.File]:
        (prepared / "README.md").write_text("mine", encoding="utf-8")
        return make(*arguments)

    monkeypatch.setattr(recorded, "make", save)
    with pytest.raises(OnnxopError, match=r"README\.md: was changed while .*; run this again"):
        update.update(prepared)
    assert (prepared / "README.md").read_text("utf-8") == "mine"
    assert (prepared / "src/my_add").exists()


@pytest.mark.parametrize("command", ["update", nightly("fetch"), nightly("new")])
def test_another_run_is_not_disturbed(command: str, prepared: Path) -> None:
    """Check that the loser of two runs is not told to move away what the winner writes."""
    old = snapshot(prepared)
    arguments = [prepared / OWN_SPEC, prepared, "--force"] if command == "new" else [prepared]
    with journal.exclusive(prepared):
        result = subprocess.run(
            [sys.executable, "-m", "onnxop", command, *arguments],
            capture_output=True,
            text=True,
            check=False,
        )
    fact = "another run of onnxop works on this package; wait until it has ended"
    assert (result.returncode, result.stderr.count("\n")) == (1, 1), result.stderr
    assert fact in result.stderr and "move" not in result.stderr
    assert snapshot(prepared) == old


def test_a_file_that_is_there_already(prepared: Path) -> None:
    """Check that a file that git ignores is in the way only if it differs from the new one."""
    made = shutil.copytree(prepared, prepared.parent / "made")
    update.update(made)
    (prepared / ".git/info/exclude").write_text("src/moved/\n")
    (prepared / "src/moved").mkdir()
    shutil.copy2(made / "src/moved/_my_add.py", prepared / "src/moved")
    (prepared / "src/moved/__init__.py").write_text("mine", encoding="utf-8")
    with pytest.raises(OnnxopError, match="__init__.py: is in the way .* move it, or remove it"):
        update.update(prepared)
    (prepared / "src/moved/__init__.py").unlink()
    update.update(prepared)
    assert snapshot(prepared) == snapshot(made)


@pytest.mark.parametrize("mode", [nightly(0o755), nightly(0o750), 0o600])
def test_permissions_stay(prepared: Path, mode: int) -> None:
    file = prepared / "README.md"
    file.chmod(mode)
    commit(prepared)
    update.update(prepared)
    assert "moved" in file.read_text("utf-8")
    assert file.stat().st_mode & 0o777 == mode


@pytest.mark.nightly
def test_an_undo_keeps_what_was_staged(prepared: Path) -> None:
    """Check kernels and specs that are added or deleted, staged by their owner, and not
    committed.
    """
    (prepared / "ops/gone.h").write_text("// Old.\n")
    commit(prepared)
    edit(prepared / OWN_SPEC, "2 * a - b", "2 * a - b - b")
    (prepared / "ops/gone.h").unlink()
    (prepared / "ops/new kernel.h").write_text("// New.\n")
    (prepared / "ops/notes.toml.txt").write_text("Mine.\n")
    git(prepared, "add", "-A")
    before = snapshot(prepared), git(prepared, "status", "--porcelain")
    command = [sys.executable, "-m", "onnxop", "update"]
    result = subprocess.run(command, cwd=prepared, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    undo = result.stdout.partition("To undo it: ")[2]
    subprocess.run(undo, shell=True, cwd=prepared, check=True)
    assert (snapshot(prepared), git(prepared, "status", "--porcelain")) == before
