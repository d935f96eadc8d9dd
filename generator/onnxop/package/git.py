"""git, run the same way on every machine: nobody's configuration, hooks or environment take part."""

from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
from collections.abc import Iterable, Mapping
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


_QUIET = {"core.fsmonitor": "false", "core.hooksPath": os.devnull, "log.showSignature": "false"}
_FILTERS = r"^filter\..*\.(clean|smudge|process|required)$"


class GitError(OnnxopError):
    """git is missing, too old, or refused something."""


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


def import_tree(repository: Path, files: Iterable[tuple[str, str, bytes]], *options: str) -> str:
    """Adds files, each by its mode, name and contents, and returns the name of their tree."""
    words = [b"commit refs/import\ncommitter onnxop <onnxop@localhost> 0 +0000\ndata 0\n"]
    for mode, name, data in files:
        quoted = name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        header = f'M {mode} inline "{quoted}"\ndata {len(data)}\n'
        words += [header.encode(errors="surrogateescape"), data, b"\n"]
    nothing = "0" * 40  # where the reference goes, which nothing needs
    words.append(f'ls ""\nreset refs/import\nfrom {nothing}\n'.encode())
    told = run(repository, *options, "fast-import", "--quiet", input=b"".join(words))
    return told.decode().split()[2]  # 040000 tree <name>


def ask_yours(folder: Path, *arguments: str, input: bytes = b"") -> bytes:
    """What git answers in the user's repository, where the user's configuration holds, but for
    programs that it would have git run beside: hooks, monitors, and the filters of the repository's own
    configuration, which may be a stranger's.

    Raises:
        GitError: with git's own words, where it fails.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept["LC_ALL"] = "C"
    settings = {**_QUIET, **_without_filters(folder, kept)}
    return _run(folder, arguments, {**kept, **_settings(settings)}, input, (0,))


def _without_filters(folder: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """What turns off the filters that the repository itself defines; those of the user's own
    configuration, such as git-lfs's, stay.
    """
    options = ("--show-scope", "--null", "--name-only", "--get-regexp")
    answer = _run(folder, ("config", *options, _FILTERS), variables, b"", (0, 1, 128))
    fields = answer.decode(errors="surrogateescape").split("\0")
    found = zip(fields[::2], fields[1::2], strict=False)
    keys = [key for scope, key in found if scope in ("local", "worktree")]
    return {key: "false" if key.endswith(".required") else "" for key in keys}


def _settings(values: Mapping[str, str]) -> dict[str, str]:
    """The environment in which git has these settings before all others."""
    found = {"GIT_CONFIG_COUNT": str(len(values))}
    for place, (key, value) in enumerate(values.items()):
        found |= {f"GIT_CONFIG_KEY_{place}": key, f"GIT_CONFIG_VALUE_{place}": value}
    return found


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
        check_disk(words, folder)
        command_name = arguments[2 * arguments.count("-c")]
        raise GitError(f"git {command_name}: {words}")
    return done.stdout


def check_disk(words: str, folder: Path) -> None:
    """Raises `OSError` where git's words say that a disk is full, as for any file of ours."""
    for number, own in ((errno.ENOSPC, "Out of diskspace"), (errno.EDQUOT, None)):
        if os.strerror(number) in words or (own and own in words):
            raise OSError(number, os.strerror(number), str(folder))


@cache
def check_version() -> None:
    """Raises `GitError` where git is missing or too old."""
    words = run(Path.cwd(), "--version").decode(errors="replace")
    found = re.search(r"(\d+)\.(\d+)", words)
    if found is None or (int(found[1]), int(found[2])) < _LEAST:
        raise GitError(f"{words.strip()} is too old; install git 2.38 or later")
