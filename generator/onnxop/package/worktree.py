"""The user's repository around a package: its files and state, and conflicts recorded in it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from ..errors import some
from . import git
from .files import File, Tree, read
from .made import BUNDLE_FILE, UpdateError

_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard")


def check_is_clean(folder: Path) -> None:
    """Raise `UpdateError` for changes that are not committed, because an update could not be undone.
    Specs in ops/ may be new, changed or deleted, and kernels new or deleted.
    """
    try:
        git.ask_yours(folder, "rev-parse", "--verify", "HEAD")
    except git.GitError as error:
        raise UpdateError(
            f"{folder}: is not in a git repository that has a commit, so an update could not be undone "
            f"({error}); run git init && git add -A && git commit there"
        ) from None
    if conflicts := _ask(folder, "diff", "--name-only", "--diff-filter=U", "--relative", "-z"):
        raise UpdateError(
            f"{folder}: has conflicts of an earlier update or merge in {some(conflicts, 3)}; resolve them, git "
            "add and commit them, or undo it, and run this again"
        )
    changes = ("diff", "HEAD", "--name-status", "--no-renames", "--relative", "-z", "--", ".")
    fields = _ask(folder, "--no-optional-locks", *changes)
    states = list(zip(fields[::2], fields[1::2], strict=True))
    states += [("A", name) for name in _ask(folder, *_UNTRACKED)]
    names = [name for state, name in states if not _may_be_dirty(state, name)]
    if names:
        raise UpdateError(
            f"{folder}: has changes that are not committed: {some(names, 3)}; commit them, or put "
            "them away with git stash -u, and run this again"
        )


def _may_be_dirty(state: str, name: str) -> bool:
    return name.startswith("ops/") and (state in "AD" or (state == "M" and name.endswith(".toml")))


def _ask(folder: Path, *arguments: str) -> list[str]:
    answer = git.ask_yours(folder, *arguments).decode(errors="surrogateescape")
    return [field for field in answer.split("\0") if field]


def files(folder: Path, *untracked: str) -> dict[str, File]:
    """Return the package's files: all that git tracks, and those in ``untracked`` that it does not ignore."""
    names = _ask(folder, "ls-files", "-z")
    names += _ask(folder, *_UNTRACKED, "--", *untracked) if untracked else []
    return read(folder, sorted({*names}))


def check_is_tracked(folder: Path, yours: Tree, made: Tree) -> None:
    """Raise `UpdateError` if git does not track a file of the package, which could be lost."""
    names = sorted(n for n in {*made, BUNDLE_FILE} - yours.keys() if os.path.lexists(folder / n))
    if names:
        raise UpdateError(
            f"{folder}: git does not track {some(names, 3)} of this package, perhaps because a "
            ".gitignore names it; run git add -f . && git commit, or remove what you do not want"
        )


def mark(folder: Path, conflicts: Mapping[str, tuple[File | None, ...]]) -> None:
    """Record conflicts in git: of each file, the generated version, the user's, and the updated one."""
    prefix = os.fsdecode(git.ask_yours(folder, "rev-parse", "--show-prefix").rstrip(b"\n"))
    lines: list[str] = []
    for name, sides in conflicts.items():
        lines.append(f"0 {'0' * 40}\t{prefix}{name}\0")
        for stage, file in enumerate(sides, 1):
            if file is not None:
                blob = git.ask_yours(folder, "hash-object", "-w", "--stdin", input=file.data)
                lines.append(f"{file.mode} {blob.decode().strip()} {stage}\t{prefix}{name}\0")
    if lines:
        listed = "".join(lines).encode(errors="surrogateescape")
        git.ask_yours(folder, "update-index", "-z", "--index-info", input=listed)
