"""Calls of git with the same results everywhere: without the user's configuration, hooks and
environment.
"""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ..errors import OnnxopError
from .files import Tree

_LEAST = (2, 38)  # merge-tree --write-tree

NO_OBJECT = "0" * 40
"""What git writes for the hash of no object."""

OWN = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""The environment in which git reads no configuration but the repository's."""

_WHO = {"NAME": "onnxop", "EMAIL": "onnxop@localhost", "DATE": "2000-01-01T00:00:00+00:00"}
_PEOPLE = {
    f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()
}
_LITTLE = 1 << 20  # bytes of a disk that has no room for an update
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"


class GitError(OnnxopError):
    """git is missing, too old, or failed; ``output`` is what it wrote."""

    def __init__(self, output: str, command: str = "") -> None:
        self.output = output
        super().__init__(f"{command}: {output}" if command else output)


def run(folder: Path, *arguments: str | Path, input: bytes = b"", max_status: int = 0) -> bytes:
    """Run git in one of our repositories, and return its output. Raise `GitError` for a status
    above ``max_status``.
    """
    return _run(folder, arguments, {**_PEOPLE, **OWN}, input, max_status)


def ask_yours(
    folder: Path, *arguments: str, input: bytes = b"", index: Path | None = None
) -> bytes:
    """Return git's output in the user's repository, with the user's configuration, but without the
    programs that a repository could make git run: hooks, monitors, and filters of the repository's
    own configuration, which a stranger may have written. ``index`` replaces the repository's. Raise
    `GitError` if it fails.
    """
    query = ("config", "--show-scope", "--null", "--name-only", "--get-regexp", _FILTERS)
    fields = _run(folder, query, {"LC_ALL": "C"}, b"", 128).decode("utf-8", "surrogateescape")
    pairs = zip(fields.split("\0")[::2], fields.split("\0")[1::2], strict=False)
    keys = [key for scope, key in pairs if scope in ("local", "worktree")]
    settings = {"core.fsmonitor": "false", "core.hooksPath": os.devnull}
    settings |= {key: "false" if key.endswith(".required") else "" for key in keys}
    variables = {"LC_ALL": "C", "GIT_CONFIG_COUNT": str(len(settings))}
    for number, (key, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{number}": key, f"GIT_CONFIG_VALUE_{number}": value}
    if index is not None:
        variables["GIT_INDEX_FILE"] = str(index)
    return _run(folder, arguments, variables, input, 0)


def import_tree(repository: Path, files: Tree) -> str:
    """Add the files, and return the hash of their tree."""
    stream = [b"commit refs/import\ncommitter onnxop <onnxop@localhost> 0 +0000\ndata 0\n"]
    for name, file in files.items():
        quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        header = f'M {file.mode} inline "{quoted}"\ndata {len(file.data)}\n'
        stream += [header.encode(errors="surrogateescape"), file.data, b"\n"]
    # From no object: this deletes the reference, which is not needed.
    stream.append(f'ls ""\nreset refs/import\nfrom {NO_OBJECT}\n'.encode())
    answer = run(repository, "fast-import", "--quiet", input=b"".join(stream))
    return answer.decode().split()[2]  # 040000 tree <name>


def _run(
    folder: Path,
    arguments: tuple[str | Path, ...],
    variables: Mapping[str, str],
    input: bytes,
    max_status: int,
) -> bytes:
    """Run git without the user's variables; return its output. Raise GitError for a higher
    status.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", *map(str, arguments)]
    try:
        process = subprocess.run(
            command,
            cwd=folder,
            env={**kept, **variables},
            input=input,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git: not found; install git 2.38 or later") from None
    if not 0 <= process.returncode <= max_status:
        message = process.stderr.decode(errors="replace").strip()
        raise_disk_error(message, process.returncode, folder)
        raise GitError(message or f"exit status {process.returncode}", " ".join(command))
    return process.stdout


def raise_disk_error(output: str, status: int, folder: Path) -> None:
    """Raise OSError, with the folder's name, if git failed because a disk is full or cannot be
    written.
    """
    number = _disk_error(output, status, folder)
    if number is not None:
        raise OSError(number, os.strerror(number), str(folder))


def _disk_error(output: str, status: int, folder: Path) -> int | None:
    """Return the number of the error of the disk, such as `errno.ENOSPC`, by which git has failed;
    None if it has failed by another.
    """
    if status == -signal.SIGXFSZ or f"died of signal {signal.SIGXFSZ.value}" in output:
        return errno.EFBIG
    for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS):
        if os.strerror(number) in output:
            return number
    if "Out of diskspace" in output:
        return errno.ENOSPC
    # Often git only says that it cannot write or create a file.
    is_write = re.search("writ|creat", output) is not None
    return errno.ENOSPC if is_write and _is_full(folder) else None


def _is_full(folder: Path) -> bool:
    """Return whether the folder's disk has no room for another update, of bytes or of files."""
    try:
        disk = os.statvfs(folder)
    except OSError:
        return False
    counts_files = disk.f_files > 0
    return disk.f_bavail * disk.f_frsize < _LITTLE or (counts_files and disk.f_favail == 0)


@cache
def check_version() -> None:
    """Raise `GitError` if git is missing or too old."""
    output = run(Path.cwd(), "--version").decode(errors="replace")
    version = re.search(r"(\d+)\.(\d+)", output)
    if version is None or (int(version[1]), int(version[2])) < _LEAST:
        raise GitError(f"{output.strip()} is too old; install git 2.38 or later")
