"""Writing an update: whole or not at all; a killed update loses nothing."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from onnxop.errors import OnnxopError
from onnxop.package import files, recorded, update
from tests.update.conftest import OWN_SPEC, commit, edit, git, snapshot


@pytest.fixture
def prepared(package: Path) -> Path:
    """Return a package with a changed spec, which adds and deletes folders."""
    edit(package / OWN_SPEC, "2 * a + b", "2 * a - b")
    edit(package / OWN_SPEC, "op.Add(op", "op.Sub(op")
    edit(package / OWN_SPEC, 'b = "grad"', 'b = "-grad"')
    edit(package / OWN_SPEC, "[package]\n", '[package]\nname = "moved"\n')
    return package


@pytest.mark.parametrize("count", [1, 8])
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
    with pytest.raises(OSError, match="No space left on device"):
        update.update(prepared)
    assert snapshot(prepared) == old
    assert not list(prepared.glob("src/moved"))
    update.update(prepared)
    assert snapshot(prepared) != old


def test_a_killed_update_is_refused_and_completed(prepared: Path) -> None:
    """Check that git shows what it left; after a commit or a restore the update continues."""
    (prepared / "ops" / "notes.txt").write_text("mine", encoding="utf-8")
    child = os.fork()
    if child == 0:
        left = 8

        def kill(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            if event == "os.rename" and str(arguments[1]).startswith(str(prepared)):
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(kill)
        update.update(prepared)
        os._exit(0)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])
    with pytest.raises(OnnxopError, match="changes that are not committed"):
        update.update(prepared)
    commit(prepared)
    assert ".onnxop-" not in git(prepared, "ls-files")
    assert not update.update(prepared).conflicts
    assert 'name = "moved"' in (prepared / "pyproject.toml").read_text("utf-8")
    assert (prepared / "src/moved/_my_add.py").exists() and not (prepared / "src/my_add").exists()
    commit(prepared)
    assert not update.update(prepared).files


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
    with pytest.raises(OnnxopError, match=r"index\.lock"):
        update.update(package)
    assert snapshot(package) == old
    (package / ".git" / "index.lock").unlink()
    assert list(update.update(package).conflicts) == ["csrc/my_add.h"]


def test_a_file_saved_while_the_update_runs(
    prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make: Callable[..., dict[str, files.File]] = recorded.make

    def save(*arguments: Any) -> dict[str, files.File]:
        (prepared / "README.md").write_text("mine", encoding="utf-8")
        return make(*arguments)

    monkeypatch.setattr(recorded, "make", save)
    with pytest.raises(OnnxopError, match=r"README\.md: .* was changed while the update ran"):
        update.update(prepared)
    assert (prepared / "README.md").read_text("utf-8") == "mine"
    assert (prepared / "src/my_add").exists()
