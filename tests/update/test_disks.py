"""Updates on full disks: the message names the disk's folder and the remedy, and no file
changes.
"""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tiers import nightly
from tests.update.conftest import OWN_SPEC, Checkout, commit, edit, git, snapshot

KIB = 1 << 10
Disk = Callable[[str], Path]
LIMITED = (
    "import resource as r, sys; sys.dont_write_bytecode = True; r.setrlimit(r.RLIMIT_FSIZE, ({0}, {0})); "
    "from onnxop import cli; exit(cli.main())"
)


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """Provide a function that mounts a disk with these options, in memory."""
    folder = tmp_path / "disk"

    def mount(options: str) -> Path:
        folder.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", options, "none", str(folder)]
        try:
            mounted = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError:
            pytest.skip("there is no mount command")
        if mounted.returncode:
            pytest.skip(f"no disk can be mounted here: {mounted.stderr}")
        return folder

    yield mount
    if folder.is_mount():
        subprocess.run(["umount", "-l", folder], check=True)


def run(
    checkout: Checkout, package: Path, command: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "onnxop", command, package],
        env={**os.environ, "PYTHONPATH": str(checkout.folder / "generator"), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def refused(result: subprocess.CompletedProcess[str], *facts: str) -> None:
    """Check that the message is one line with these facts, without names of temporary files."""
    message = result.stderr
    assert (result.returncode, result.stdout) == (1, "")
    for fact in facts:
        assert fact in message
    assert message.count("\n") == 1, message
    for text in ("restore", "git ", "onnxop-", "output", "Traceback", "None"):
        assert text not in message, message


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("command", "options"),
    [
        ("update", "size=16k"),
        ("update", "size=100k"),
        ("update", "size=200k"),
        ("update", "size=320k"),
        ("update", "nr_inodes=60"),
        ("diff", "size=64k"),
        ("fetch", "nr_inodes=10"),
    ],
)
def test_a_full_disk_of_temporary_files(
    command: str, options: str, package: Path, second: Checkout, disk: Disk
) -> None:
    edit(package / OWN_SPEC, "2a + b, element by element.", "Twice a, and b.")
    before = snapshot(package)
    full = disk(options)
    result = run(second, package, command, TMPDIR=str(full))
    refused(result, f"{full}: temporary files cannot be written there: No space left", "set TMPDIR")
    assert snapshot(package) == before
    assert os.listdir(full) == []


@pytest.mark.nightly
@pytest.mark.parametrize("free", [0, 4 * KIB, 16 * KIB, 24 * KIB])
def test_a_full_disk_of_the_package(free: int, package: Path, first: Checkout, disk: Disk) -> None:
    """Check it also where git cannot record conflicts."""
    edit(package / "csrc/my_add.h", "return T(2) * a + b", "return a + (a + b)")
    commit(package)
    edit(package / OWN_SPEC, "2 * a + b", "b + 2 * a")
    full = disk("size=8m")
    shutil.copytree(package, full / "my_add", symlinks=True)
    package = full / "my_add"
    git(package, "status")
    state = ("--no-optional-locks", "status", "--porcelain")
    before = snapshot(package), git(package, *state)
    left = os.statvfs(full)
    (full / "fill").write_bytes(bytes(max(left.f_bavail * left.f_frsize - free, 0)))
    result = run(first, package, "update")
    fact = "my_add: cannot be written: No space left on device; make room on its disk"
    refused(result, fact, "no file changed")
    assert (snapshot(package), git(package, *state)) == before
    (full / "fill").unlink()
    result = run(first, package, "update")
    assert result.returncode == 3 and "  conflict in csrc/my_add.h\n" in result.stdout
    assert "interrupted" not in result.stderr


@pytest.mark.parametrize(
    ("command", "size"),
    [
        ("update", 1000),
        nightly("update", 0),
        nightly("update", 15000),
        nightly("diff", 100),
        nightly("fetch", 5000),
    ],
)
def test_files_that_cannot_grow(command: str, size: int, package: Path) -> None:
    edit(package / OWN_SPEC, "2a + b, element by element.", "Twice a, and b.")
    before = snapshot(package)
    result = subprocess.run(
        [sys.executable, "-c", LIMITED.format(size), command, package],
        capture_output=True,
        text=True,
        check=False,
    )
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY
    fact = "File too large" if size else "No usable temporary directory found"
    refused(result, f"temporary files cannot be written there: {fact}", "set TMPDIR")
    assert snapshot(package) == before


def test_a_folder_of_temporary_files_that_is_missing(package: Path, first: Checkout) -> None:
    """Check that Python's other folders serve, such as /tmp."""
    assert run(first, package, "diff", TMPDIR=str(package / "nowhere")).returncode == 0
