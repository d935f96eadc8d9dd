"""The user's repository around a package: its files and state, and conflicts recorded in it."""

from __future__ import annotations

import logging
import os
import re
import shlex
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from onnxop_runtime.messages import some

from . import git, journal, markers
from .files import File, Tree, read
from .made import BUNDLE_FILE, UpdateError

_LOG = logging.getLogger("onnxop")
_UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard")
_UNFINISHED = {
    "MERGE_HEAD": "a merge",
    "CHERRY_PICK_HEAD": "a cherry-pick",
    "REVERT_HEAD": "a revert",
    "rebase-merge": "a rebase",
    "rebase-apply/applying": "an am",
    "rebase-apply": "a rebase",
}
"""git's commands by the files that they have until they end."""


def recover(folder: Path) -> None:
    """Undo what an interrupted run did to the package and to git's index, and say so."""
    undone = journal.undo(folder)
    if undone is None:
        return
    with suppress(UpdateError):  # a new package is in no repository
        unmark(folder, undone.restored)
    if undone.restored:
        names = some(undone.restored, 3)
        _LOG.info(f"{folder}: {undone.run} was interrupted; restored {names}")
    else:
        _LOG.info(f"{folder}: {undone.run} was interrupted, and had changed nothing")
    for name in undone.changed:
        _LOG.info(f"{folder / name}: has changed since {undone.run} was interrupted; it stays")


def check_is_clean(folder: Path) -> tuple[str, ...]:
    """Raise `UpdateError` for changes that are not committed, because an update could not be
    undone. Specs in ops/ may be new, changed or deleted, and kernels new or deleted. Return those
    kernels that git tracks.
    """
    _ask(folder, "rev-parse", "--verify", "HEAD")
    _check_is_merged(folder)
    states = {**_changes(folder), **_changes(folder, "--cached")}
    untracked = dict.fromkeys(_ask(folder, *_UNTRACKED), "A")
    names = _not_allowed({**states, **untracked})
    names = [name for name in names if not _is_temporary(folder / name)]
    if names:
        raise UpdateError(
            f"{folder}: has changes that are not committed: {some(names, 3)}; commit them, or put "
            "them away with git stash -u, and run this again"
        )
    _check_hides_nothing(folder)
    return tuple(sorted(name for name in states if not name.endswith(".toml")))


def _is_temporary(path: Path) -> bool:
    """Return whether a file is one of this run's temporary ones: TMPDIR may be in the package."""
    return Path(tempfile.gettempdir()).resolve() in path.resolve().parents


def _check_is_merged(folder: Path) -> None:
    """Raise `UpdateError` if a merge has not ended, or if there are markers of conflicts."""
    if conflicts := _ask(folder, "diff", "--name-only", "--diff-filter=U", "--relative", "-z"):
        raise UpdateError(
            f"{folder}: has conflicts of an earlier update or merge in {some(conflicts, 3)}; "
            "resolve them, git add and commit them, or undo it, and run this again"
        )
    for name, action in _UNFINISHED.items():
        command = action.partition(" ")[2]
        path = os.fsdecode(_git(folder, "rev-parse", "--git-path", name).rstrip(b"\n"))
        if (folder / path).exists():
            raise UpdateError(
                f"{folder}: {action} is in progress in its repository; end it by git {command} "
                f"--continue, or by git {command} --abort, and run this again"
            )
    marked = [
        f"{name}:{','.join(map(str, lines))}"
        for name, file in files(folder, "ops").items()
        if (lines := markers.lines_with_markers(file.data))
    ]
    if marked:
        raise UpdateError(
            f"{folder}: has conflict markers of an earlier update or merge in {some(marked, 20)}; "
            "resolve these conflicts, commit, and run this again"
        )


def _changes(folder: Path, *options: str, index: Path | None = None) -> dict[str, str]:
    """Return the files of the package that differ from the commit, with git's letters."""
    listed = ("--name-status", "--no-renames", "--relative", "-z", "HEAD", "--", ".")
    fields = _ask(folder, "--no-optional-locks", "diff", *options, *listed, index=index)
    return dict(zip(fields[1::2], fields[::2], strict=True))


def _not_allowed(states: Mapping[str, str]) -> list[str]:
    return sorted(name for name, state in states.items() if not _may_be_dirty(state, name))


def _may_be_dirty(state: str, name: str) -> bool:
    return name.startswith("ops/") and (state in "AD" or (state == "M" and name.endswith(".toml")))


def _check_hides_nothing(folder: Path) -> None:
    """Raise `UpdateError` for changes that git does not report, because it was told not to look at
    the file.
    """
    entries = [entry.partition(" ") for entry in _ask(folder, "ls-files", "-v", "-z")]
    unseen = {name for tag, _, name in entries if tag.islower() or tag == "S"}
    if not unseen:
        return
    sparse = ("-c", "core.sparseCheckout=false", "-c", "index.sparse=false")
    with tempfile.TemporaryDirectory() as scratch:
        index = Path(scratch, "index")
        _git(folder, *sparse, "read-tree", "--no-sparse-checkout", "HEAD", index=index)
        states = _changes(folder, index=index)
    hidden = [name for name in _not_allowed(states) if name in unseen]
    if hidden:
        raise UpdateError(
            f"{folder}: git was told not to look at {some(hidden, 3)}, where the package differs "
            f"from the commit; {_to_see(folder, hidden)}, and run this again"
        )


def _to_see(folder: Path, hidden: Sequence[str]) -> str:
    """Return the remedy for changes that git does not report."""
    if not any(os.path.lexists(folder / name) for name in hidden):
        return "run git sparse-checkout disable"
    names = shlex.join(hidden)
    return (
        f"run git update-index --no-assume-unchanged -- {names} and git update-index "
        f"--no-skip-worktree -- {names}, commit or restore them"
    )


def _git(folder: Path, *arguments: str, input: bytes = b"", index: Path | None = None) -> bytes:
    """Return git's output in the user's repository. Raise `UpdateError` with the remedy if git
    fails.
    """
    try:
        return git.ask_yours(folder, *arguments, input=input, index=index)
    except git.GitError as error:
        raise UpdateError(f"{folder}: {_problem_in(folder, error.output)}") from None
    except OSError as error:
        raise UpdateError(
            f"{folder}: its git repository cannot be written: {error.strerror}; make room on its "
            "disk, and run this again"
        ) from None


def _problem_in(folder: Path, output: str) -> str:
    """Return what is wrong with the user's repository, and what to do, by git's output."""
    if owned := re.search(r"dubious ownership in repository at '(.*)'", output):
        return (
            "its repository belongs to another user, so git does not read it; if you trust it, run "
            f"git config --global --add safe.directory {shlex.quote(owned[1])}"
        )
    is_broken = any((parent / ".git").exists() for parent in (folder, *folder.parents))
    if "not a git repository (or any" in output and not is_broken:
        return (
            "is not in a git repository, so an update could not be undone; run git init && git "
            "add -A && git commit there"
        )
    if "Needed a single revision" in output:
        return (
            "is in a git repository that has no commit, so an update could not be undone; run git "
            "add -A && git commit there"
        )
    if locked := re.search(r"Unable to create '(.*\.lock)': File exists", output):
        return (
            "another git works in its repository, or was killed there; wait for it to end, or "
            f"remove {locked[1]}, and run this again"
        )
    return (
        f"git cannot use its repository: {' '.join(output.split())}; see what git status says there"
    )


def _ask(folder: Path, *arguments: str, index: Path | None = None) -> list[str]:
    answer = _git(folder, *arguments, index=index).decode(errors="surrogateescape")
    return [field for field in answer.split("\0") if field]


def files(folder: Path, *untracked: str) -> dict[str, File]:
    """Return the package's files: all that git tracks, and those in ``untracked`` that it does not
    ignore.
    """
    names = _ask(folder, "ls-files", "-z")
    if untracked:
        names += _ask(folder, *_UNTRACKED, "--", *untracked)
    return read(folder, sorted({*names}))


def check_is_tracked(folder: Path, yours: Tree, made: Tree) -> None:
    """Raise `UpdateError` if git does not track a file of the package, which could be lost."""
    names = sorted(n for n in {*made, BUNDLE_FILE} - yours.keys() if os.path.lexists(folder / n))
    if names:
        raise UpdateError(
            f"{folder}: git does not track {some(names, 3)} of this package, perhaps because a "
            ".gitignore names it; run git add -f . && git commit, or remove what you do not want"
        )


def record_conflicts(folder: Path, conflicts: Mapping[str, tuple[File | None, ...]]) -> None:
    """Record conflicts in git: of each file, the generated version, the user's, and the updated
    one.
    """
    prefix = os.fsdecode(_git(folder, "rev-parse", "--show-prefix").rstrip(b"\n"))
    lines: list[str] = []
    for name, sides in conflicts.items():
        # As git update-index has it: mode 0 drops the entry; stages 1 to 3 are the base, ours and
        # theirs.
        lines.append(f"0 {git.NO_OBJECT}\t{prefix}{name}\0")
        for stage, file in enumerate(sides, 1):
            if file is not None:
                blob = _git(folder, "hash-object", "-w", "--stdin", input=file.data)
                lines.append(f"{file.mode} {blob.decode().strip()} {stage}\t{prefix}{name}\0")
    if lines:
        listed = "".join(lines).encode(errors="surrogateescape")
        _git(folder, "update-index", "-z", "--index-info", input=listed)


def unmark(folder: Path, names: Iterable[str]) -> None:
    """Remove conflicts in these files from git's index, which then has them as the commit does."""
    listed = _ask(folder, "diff", "--name-only", "--diff-filter=U", "--relative", "-z")
    if conflicts := sorted({*listed} & {*names}):
        _git(folder, "reset", "-q", "--", *conflicts)
