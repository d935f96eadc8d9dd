"""git, run the same way on every machine: nobody's configuration, hooks or environment take part."""

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

_LEAST = (2, 38)  # merge-tree --write-tree
_WHO = {"NAME": "onnxop", "EMAIL": "onnxop@localhost", "DATE": "2000-01-01T00:00:00+00:00"}


OWN = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
"""The environment in which git has no configuration but a repository's own."""


_QUIET = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "core.fsmonitor",
    "GIT_CONFIG_VALUE_0": "false",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": os.devnull,
}


class GitError(OnnxopError):
    """git is missing, too old, or refused something."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def environment() -> dict[str, str]:
    """The process's environment without what would point git elsewhere or change what it does."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    people = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in _WHO.items()
    }
    return {**kept, **people, **OWN}


def run(
    folder: Path,
    *arguments: str | Path,
    input: bytes = b"",
    allowed: tuple[int, ...] = (0,),
    more: Mapping[str, str] | None = None,
) -> bytes:
    """What git answers in the folder. ``more`` is added to its environment.

    Raises:
        GitError: with git's own words, where its exit status is not ``allowed``.
    """
    return _run(folder, arguments, {**environment(), **(more or {})}, input, allowed)


def ask_yours(folder: Path, *arguments: str, input: bytes = b"") -> bytes:
    """What git answers in the user's repository, where the user's configuration holds, but for
    programs that it would have git run beside.

    Raises:
        GitError: with git's own words, where it fails.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    return _run(folder, arguments, {**kept, **_QUIET, "LC_ALL": "C"}, input, (0,))


def restoring(folder: Path, *names: str) -> str:
    """How to get these files back: as they were committed last or, where that is what they are, as
    they were in a commit before.
    """
    words = " ".join(names)
    what = "it" if len(names) == 1 else "both"
    try:
        states = ask_yours(folder, "status", "--porcelain", "--", *names).decode().splitlines()
        is_in_history = bool(ask_yours(folder, "log", "-1", "--format=%h", "--", *names))
    except (GitError, OSError):  # no commit yet, say
        states, is_in_history = [], False
    if any(not state.startswith(("??", "A")) for state in states):
        return f"restore {what}: git checkout HEAD -- {words}"
    if not is_in_history:
        return "git has no other; make the package anew: onnxop-new ops . --force"
    return (
        f"restore {what} from a commit before: git log -- {words} lists them, git checkout COMMIT "
        f"-- {words} takes one"
    )


def _run(
    folder: Path,
    arguments: tuple[str | Path, ...],
    variables: Mapping[str, str],
    input: bytes,
    allowed: tuple[int, ...],
) -> bytes:
    command = ["git", *(str(argument) for argument in arguments)]
    try:
        done = subprocess.run(
            command,
            cwd=folder,
            env=variables,
            input=input,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise GitError("git: not found; install git 2.38 or later") from None
    if done.returncode == -signal.SIGXFSZ:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(folder))
    if done.returncode not in allowed:
        words = done.stderr.decode(errors="replace").strip() or "no more is known"
        command_name = arguments[2 * arguments.count("-c")]
        raise GitError(f"git {command_name}: {words}", done.returncode)
    return done.stdout


@cache
def check_version() -> None:
    """Raises `GitError` where git is missing or too old."""
    words = run(Path.cwd(), "--version").decode(errors="replace")
    found = re.search(r"(\d+)\.(\d+)", words)
    if found is None or (int(found[1]), int(found[2])) < _LEAST:
        raise GitError(f"{words.strip()} is too old; install git 2.38 or later")
