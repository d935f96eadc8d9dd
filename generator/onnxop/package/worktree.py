"""The user's repository around a package: what git keeps of it, and what is told to git."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path

from ..errors import some
from . import git, merge
from .made import BUNDLE_FILE, SPECS, UnmergedError, UpdateError
from .merge import File, Tree
from .template import ANSWERS

_UNDER_WAY = {
    "MERGE_HEAD": "merge",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
}

_MARKED = re.compile(  # by onnxop, or by copier
    rb"^<{7} (?:yours(?::[^\r\n]*)?|before updating)\r?\n(?:.*\n)*?={7}\r?\n(?:.*\n)*?"
    rb">{7} (?:updated|after updating)\b",
    re.MULTILINE,
)


def check_is_clean(folder: Path) -> None:
    """Raises `UpdateError` where there is something that is not committed: what lies in ops/ may be
    new, changed or gone.
    """
    if not _has_commit(folder):
        raise UpdateError(f"{folder}: has no commit yet; run git add -A && git commit")
    directory = Path(git.ask_yours(folder, "rev-parse", "--absolute-git-dir").decode().strip("\n"))
    for name, what in _UNDER_WAY.items():
        if (directory / name).exists():
            raise UpdateError(
                f"{folder}: a {what} is under way in its repository; end it with git {what} "
                "--continue, or --abort"
            )
    # In a submodule, git would run what its own configuration names.
    options = ["--porcelain", "-z", "--no-renames", "--untracked-files=all"]
    options.append("--ignore-submodules=dirty")
    answer = git.ask_yours(folder, "--no-optional-locks", "status", *options, "--", ".")
    prefix = _prefix(folder)
    lines = [line for line in answer.decode(errors="surrogateescape").split("\0") if line]
    dirty = [(line[:2], line[3:].removeprefix(prefix)) for line in lines]
    others = [name for state, name in dirty if not _may_be_dirty(state, name)]
    if unmerged := sorted(name for state, name in dirty if "U" in state or state in ("AA", "DD")):
        raise UnmergedError(
            f"{folder}: {some(unmerged)} {_is_or_are(unmerged)} not merged yet; mend what is marked, "
            "and git add and commit it"
        )
    if others:
        more = f" and {len(others) - 3} more" if len(others) > 3 else ""
        shown = ", ".join(repr(n) if "\n" in n else n for n in others[:3])
        raise UpdateError(
            f"{folder}: has changes that are not committed: {shown}{more}; commit them, or put "
            "them away with git stash -u, and run this again"
        )


def check_is_mended(folder: Path, yours: Tree) -> None:
    """Raises `UnmergedError` where a file has the markers of an update's conflict, as after ``git
    commit -a``.
    """
    if marked := sorted(name for name, file in yours.items() if _MARKED.search(file.data)):
        raise UnmergedError(
            f"{folder}: {some(marked)} {_is_or_are(marked)} committed with the markers of a conflict "
            "(<<<<<<< to >>>>>>>); mend what is between them, and commit that"
        )


def _is_or_are(names: list[str]) -> str:
    return "is" if len(names) == 1 else "are"


def _may_be_dirty(state: str, name: str) -> bool:
    """Whether it is a spec, or a kernel that comes or goes with one."""
    is_there = state in ("??", "A ", "D ", " D")
    return name.startswith(f"{SPECS}/") and (name.endswith(".toml") or is_there)


def _has_commit(folder: Path) -> bool:
    try:
        git.ask_yours(folder, "rev-parse", "--verify", "-q", "HEAD")
    except git.GitError:
        return False
    return True


def check_links(folder: Path, made: Tree) -> None:
    """Raises `UpdateError` where a link leads out of what git keeps of the package."""
    folders = {str(parent) for name in (*made, BUNDLE_FILE) for parent in Path(name).parents} - {
        "."
    }
    specs = [f"{SPECS}/{path.name}" for path in folder.glob(f"{SPECS}/*.toml")]
    for name in (*sorted({*folders, SPECS}), *specs, ANSWERS, BUNDLE_FILE):
        place = folder / name
        if place.is_symlink():
            raise UpdateError(
                f"{place}: is a link to {place.readlink()}, where git keeps nothing of this "
                "package; put what it leads to in its place, and commit that"
            )


def check_is_tracked(folder: Path, yours: Tree, made: Tree) -> None:
    """Raises `UpdateError` where a file of the package is not git's, so that it could be lost."""
    names = sorted({*made, BUNDLE_FILE} - yours.keys())
    ignored = [name for name in names if os.path.lexists(folder / name)]
    if ignored:
        more = f" and {len(ignored) - 3} more" if len(ignored) > 3 else ""
        raise UpdateError(
            f"{folder}: git does not keep {', '.join(ignored[:3])}{more}, of this package, perhaps "
            "because a .gitignore names it; run git add -f . && git commit, or remove what you do "
            "not want"
        )


def _prefix(folder: Path) -> str:
    """The package's place in its repository, with a / behind it; empty at the top."""
    return os.fsdecode(git.ask_yours(folder, "rev-parse", "--show-prefix").rstrip(b"\n"))


def files(folder: Path, *, untracked: bool = False) -> dict[str, File]:
    """The package's files as they are now: those that git tracks, what is new in ops/, and perhaps
    all that git would track.
    """
    options = ("-z", "-t", "--cached", "--others", "--exclude-standard")
    listed = git.ask_yours(folder, "ls-files", *options, "--", ".")
    lines = [line for line in listed.decode(errors="surrogateescape").split("\0") if line]
    found = [(line[:2], line[2:]) for line in lines]
    absent = [name for state, name in found if state == "S "]
    if absent:
        raise UpdateError(
            f"{folder}: {absent[0]} is not checked out; run git sparse-checkout disable"
        )
    names = {n for state, n in found if state != "? " or untracked or n.startswith(f"{SPECS}/")}
    return merge.read(folder, sorted(names))


def first(folder: Path, name: str) -> File | None:
    """A file as it was committed first under its name; None where it was not yet."""
    options = ("--diff-filter=A", "--no-renames", "--format=%H")
    added = git.ask_yours(folder, "log", *options, "--", f":(literal){name}").decode().split()
    if not added:
        return None
    data = git.ask_yours(folder, "cat-file", "blob", f"{added[-1]}:./{name}")
    mode = git.ask_yours(folder, "ls-tree", added[-1], "--", name).decode().partition(" ")[0]
    return File(data, mode)


def mark(
    folder: Path, conflicts: Mapping[str, tuple[File | None, File | None, File | None]]
) -> None:
    """Tells git of the conflicts, so that it commits none by mistake: of each file, how it was
    generated, how it is, and how it would be.
    """
    top = git.ask_yours(folder, "rev-parse", "--show-toplevel")
    prefix = _prefix(folder)
    lines: list[str] = []
    for name, sides in conflicts.items():
        lines.append(f"0 {'0' * 40}\t{prefix}{name}")
        for stage, file in enumerate(sides, 1):
            if file is not None:
                blob = git.ask_yours(folder, "hash-object", "-w", "--stdin", input=file.data)
                lines.append(f"{file.mode} {blob.decode().strip()} {stage}\t{prefix}{name}")
    if lines:
        listed = "".join(f"{line}\0" for line in lines).encode(errors="surrogateescape")
        git.ask_yours(
            Path(os.fsdecode(top.rstrip(b"\n"))), "update-index", "-z", "--index-info", input=listed
        )


def unmark(folder: Path, names: list[str]) -> None:
    """Takes back what `mark` told git."""
    if names:
        listed = "".join(f":(top,literal){_prefix(folder)}{name}\0" for name in names)
        options = ("--pathspec-from-file=-", "--pathspec-file-nul")
        data = listed.encode(errors="surrogateescape")
        git.ask_yours(folder, "reset", "-q", *options, input=data)
