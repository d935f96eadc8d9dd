"""git, run the same way on every machine: nobody's configuration, hooks or environment take part."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ..errors import OnnxopError
from .files import Tree

_LEAST = (2, 38)  # merge-tree --write-tree

OWN = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""The environment in which git has no configuration but a repository's own."""

_WHO = {"NAME": "onnxop", "EMAIL": "onnxop@localhost", "DATE": "2000-01-01T00:00:00+00:00"}
_PEOPLE = {
    f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in _WHO.items()
}
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"


class GitError(OnnxopError):
    """git is missing, too old, or refused something."""


def run(folder: Path, *arguments: str | Path, input: bytes = b"", most: int = 0) -> bytes:
    """What git answers in a repository of ours.

    Raises:
        GitError: with git's own words, where its exit status is above ``most``.
    """
    return _run(folder, arguments, {**_PEOPLE, **OWN}, input, most)


def ask_yours(folder: Path, *arguments: str, input: bytes = b"") -> bytes:
    """What git answers in the user's repository, where the user's configuration holds, but for
    programs that it would have git run beside: hooks, monitors, and the filters of the repository's
    own configuration, which may be a stranger's.

    Raises:
        GitError: with git's own words, where it fails.
    """
    query = ("config", "--show-scope", "--null", "--name-only", "--get-regexp", _FILTERS)
    fields = _run(folder, query, {"LC_ALL": "C"}, b"", 128).decode("utf-8", "surrogateescape")
    found = zip(fields.split("\0")[::2], fields.split("\0")[1::2], strict=False)
    keys = [key for scope, key in found if scope in ("local", "worktree")]
    settings = {"core.fsmonitor": "false", "core.hooksPath": os.devnull}
    settings |= {key: "false" if key.endswith(".required") else "" for key in keys}
    variables = {"LC_ALL": "C", "GIT_CONFIG_COUNT": str(len(settings))}
    for place, (key, value) in enumerate(settings.items()):
        variables |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    return _run(folder, arguments, variables, input, 0)


def import_tree(repository: Path, files: Tree, *options: str) -> str:
    """Add the files, and return the name of their tree."""
    words = [b"commit refs/import\ncommitter onnxop <onnxop@localhost> 0 +0000\ndata 0\n"]
    for name, file in files.items():
        quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        header = f'M {file.mode} inline "{quoted}"\ndata {len(file.data)}\n'
        words += [header.encode(errors="surrogateescape"), file.data, b"\n"]
    nothing = "0" * 40  # where the reference goes, which nothing needs
    words.append(f'ls ""\nreset refs/import\nfrom {nothing}\n'.encode())
    answer = run(repository, *options, "fast-import", "--quiet", input=b"".join(words))
    return answer.decode().split()[2]  # 040000 tree <name>


def _run(
    folder: Path,
    arguments: tuple[str | Path, ...],
    variables: Mapping[str, str],
    input: bytes,
    most: int,
) -> bytes:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", *map(str, arguments)]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env={**kept, **variables},
            input=input,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git: not found; install git 2.38 or later") from None
    if not 0 <= done.returncode <= most:
        words = done.stderr.decode(errors="replace").strip() or f"exit status {done.returncode}"
        raise GitError(f"{' '.join(command)}: {words}")
    return done.stdout


@cache
def check_version() -> None:
    """Raises `GitError` where git is missing or too old."""
    words = run(Path.cwd(), "--version").decode(errors="replace")
    found = re.search(r"(\d+)\.(\d+)", words)
    if found is None or (int(found[1]), int(found[2])) < _LEAST:
        raise GitError(f"{words.strip()} is too old; install git 2.38 or later")
