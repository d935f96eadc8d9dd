"""Writing a package: all of it or nothing, without losing a file of the user."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from onnxop import cli
from onnxop.code.data import Data
from onnxop.code.spec_data import data_of
from onnxop.package import render
from onnxop.spec.model import PackageSpec
from onnxop_runtime.installer import pip_install
from tests.tiers import nightly

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"


def new(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run ``onnxop new`` in this process."""
    out, err = StringIO(), StringIO()
    command = ["new", *(str(argument) for argument in arguments)]
    with chdir(cwd), redirect_stdout(out), redirect_stderr(err):
        try:
            status = cli.main(command)
        except SystemExit as error:  # raised by argparse
            status = 2 if error.code == 2 else 0
    return subprocess.CompletedProcess(command, status, out.getvalue(), err.getvalue())


def new_on_a_full_disk(cwd: Path, file_size: int) -> subprocess.CompletedProcess[str]:
    """Run ``onnxop new`` in a process whose files cannot grow beyond ``file_size`` bytes."""
    return subprocess.run(
        [sys.executable, "-B", "-m", "onnxop", "new", SPEC, "deep/my_add"],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, file_size)),
    )


def snapshot(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def refused(result: subprocess.CompletedProcess[str], *facts: str) -> None:
    assert result.returncode == 1
    assert "Traceback" not in result.stderr
    for fact in facts:
        assert fact in result.stderr


def test_default_destination_is_the_package_s_name(tmp_path: Path) -> None:
    result = new(SPEC, cwd=tmp_path)
    assert result.returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["my_add"]
    assert "csrc/my_add.h" in result.stdout
    assert f"{pip_install()} --no-build-isolation ./my_add" in result.stdout
    assert (tmp_path / "my_add" / "ops" / "my_add.toml").read_bytes() == SPEC.read_bytes()


def test_parents_are_made(tmp_path: Path) -> None:
    assert new(SPEC, "a/b/c", cwd=tmp_path).returncode == 0
    assert (tmp_path / "a" / "b" / "c" / "setup.py").is_file()


def test_empty_destination_is_filled_in_place(tmp_path: Path) -> None:
    inode = tmp_path.stat().st_ino
    assert new(SPEC, ".", cwd=tmp_path).returncode == 0
    assert tmp_path.stat().st_ino == inode
    assert (tmp_path / "setup.py").is_file()


def test_taken_destination_is_refused(tmp_path: Path) -> None:
    (tmp_path / "my_add").mkdir()
    (tmp_path / "my_add" / "notes.txt").write_text("mine")
    before = snapshot(tmp_path)
    refused(new(SPEC, cwd=tmp_path), "my_add: exists and is not empty", "--force")
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("destination", ["file", "file/below"])
def test_file_as_destination_is_refused(tmp_path: Path, destination: str) -> None:
    (tmp_path / "file").write_text("mine")
    for flags in ([], ["--force"]):
        refused(new(SPEC, destination, *flags, cwd=tmp_path), "directory")
    assert snapshot(tmp_path) == {"file": b"mine"}


def test_destination_behind_an_option(tmp_path: Path) -> None:
    specs = [ROOT / "tests" / "specs" / f"{name}.toml" for name in ("swish", "roi_align")]
    assert new(*specs, "--name", "mine", "there", "--force", cwd=tmp_path).returncode == 0
    assert (tmp_path / "there" / "src" / "mine").is_dir()
    result = new(SPEC, "--nmae", "mine", cwd=tmp_path)
    assert result.returncode == 2 and "unrecognized arguments: --nmae mine" in result.stderr


def test_a_destination_that_cannot_be_written(tmp_path: Path) -> None:
    result = new(SPEC, "/proc/self/my_add", cwd=tmp_path)
    refused(result, "/proc/self/my_add: cannot be written: ")


def test_force_keeps_what_it_did_not_make(tmp_path: Path) -> None:
    package = tmp_path / "my_add"
    new(SPEC, cwd=tmp_path)
    fresh = snapshot(package)
    (package / "notes.txt").write_text("mine")
    (package / "README.md").write_text("my own words")
    (package / "csrc" / "my_add.h").unlink()
    result = new(SPEC, "--force", cwd=tmp_path)
    assert result.returncode == 0
    assert "Kept the former file as README.md.orig" in result.stdout
    wanted = {**fresh, "notes.txt": b"mine", "README.md.orig": b"my own words"}
    assert snapshot(package) == wanted
    (package / "README.md").write_text("other words")
    new(SPEC, "--force", cwd=tmp_path)
    assert snapshot(package) == {**wanted, "README.md.orig.1": b"other words"}


def test_force_refuses_what_is_not_a_plain_file(tmp_path: Path) -> None:
    package = tmp_path / "my_add"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    package.mkdir()
    (package / "csrc").symlink_to(elsewhere)
    refused(
        new(SPEC, "--force", cwd=tmp_path), "csrc: is a link to", "where files would be written"
    )
    (package / "csrc").unlink()
    (package / "setup.py").mkdir()
    refused(new(SPEC, "--force", cwd=tmp_path), "setup.py: is a directory")
    assert list(elsewhere.iterdir()) == []
    assert [path.name for path in package.iterdir()] == ["setup.py"]


def test_force_refuses_a_folder_in_the_place_of_a_kernel(tmp_path: Path) -> None:
    """Check it: --force keeps the owner's kernel, which must be a file."""
    spec = ROOT / "tests" / "specs" / "squared_distances.toml"
    (tmp_path / "package" / "ops" / "squared_distances.h").mkdir(parents=True)
    before = snapshot(tmp_path)
    refused(new(spec, "package", "--force", cwd=tmp_path), "squared_distances.h: is a directory")
    assert snapshot(tmp_path) == before


def test_a_broken_link_is_not_a_parent(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    refused(new(SPEC, "link/package", cwd=tmp_path), "link: is not a directory")


@pytest.mark.parametrize("file_size", [0, nightly(100), nightly(1000), 5000])
def test_a_write_that_fails_midway_leaves_nothing(tmp_path: Path, file_size: int) -> None:
    refused(new_on_a_full_disk(tmp_path, file_size))
    assert snapshot(tmp_path) == {}


def test_a_move_that_fails_midway_restores_everything(tmp_path: Path) -> None:
    package = tmp_path / "my_add"
    new(SPEC, cwd=tmp_path)
    (package / "README.md").write_text("my own words")
    (package / ".gitignore").unlink()
    (package / "tests" / "test_my_add.py").write_text("my own tests")
    before = snapshot(package)
    code = (
        "import os, sys; from onnxop import cli; from onnxop.package import files\n"
        "replace = os.replace\n"
        "def fail(source, target):\n"
        "    if str(target).endswith('test_my_add.py') and '.orig' not in str(source):\n"
        "        raise OSError(28, 'No space left')\n"
        "    replace(source, target)\n"
        "files.os.replace = fail\n"
        f"sys.exit(cli.main(['new', {str(SPEC)!r}, {str(package)!r}, '--force']))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    refused(result, "No space left")
    assert snapshot(package) == before
    assert [path.name for path in tmp_path.iterdir()] == ["my_add"]


def test_umask_is_respected(tmp_path: Path) -> None:
    new(SPEC, cwd=tmp_path)
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "my_add").stat().st_mode & 0o777 == 0o777 & ~umask


def test_answers_come_without_torch(tmp_path: Path) -> None:
    commands = [["--help"], ["check", str(SPEC)], ["new", str(SPEC), str(tmp_path / "p")]]
    code = (
        "import sys; from onnxop.cli import main\n"
        f"for arguments in {commands!r}:\n"
        "    try: main(arguments)\n"
        "    except SystemExit: pass\n"
        "    print(arguments[0], 'torch' in sys.modules, file=sys.stderr)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.stderr == "--help False\ncheck False\nnew False\n"


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["new"], 2),
        (["--help"], 0),
        nightly([], 2),
        nightly(["nonsense"], 2),
        nightly(["--version"], 0),
        nightly(["schema"], 0),
    ],
)
def test_exit_status(arguments: list[str], status: int) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "onnxop", *arguments], capture_output=True, check=False
    )
    assert result.returncode == status


def test_a_module_that_is_no_python_is_never_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(package_spec: PackageSpec) -> Data:
        data = data_of(package_spec)
        data["package"]["docstring"] = 'A text with """ in it.'
        return data

    monkeypatch.setattr(render, "data_of", broken)
    refused(new(SPEC, "made", cwd=tmp_path), "makes src/my_add/", "which is no Python at line")
    assert not snapshot(tmp_path)
