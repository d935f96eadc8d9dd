"""A package → its next version: a newer template, a changed spec, or both; hand edits are merged.

copier renders the package as it was generated and as it would be now, each by its version's own
logic; git merges the two with what the user made of it.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

from . import git, merge, worktree
from .journal import Journal, Restored, journal
from .made import (
    BUNDLE_FILE,
    SPECS,
    UpdateError,
    came_with_spec,
    check_may_run,
    made_of,
    next_version,
    read,
    saved,
    versions,
)
from .merge import File
from .plan import Update, plan, with_lines_of
from .template import ANSWERS

_RESTORE = "onnxop update --restore"


def update(folder: Path, *, is_dry: bool = False, is_trusted: bool = False) -> Update:
    """Updates the package to this onnxop's template and to its specs.

    ``is_trusted``: the version that made the package may run, whoever wrote it.

    Raises:
        OnnxopError: the package cannot be updated, or a file cannot be written; it is as it was.
    """
    with _told():
        folder, journals = _place(folder)
        if is_dry:
            _check_is_whole(Journal(journals, folder))
            return plan(folder, is_trusted=is_trusted)
        with journal(journals, folder) as kept:
            _check_is_whole(kept)
            planned = plan(folder, is_trusted=is_trusted)
            mark = partial(worktree.mark, folder, planned.sides)
            kept.replace(planned.files, planned.before, mark, planned.conflicts)
            return planned


def restore(folder: Path) -> Restored:
    """Puts back what an interrupted update left."""
    with _told():
        folder, journals = _place(folder)
        with journal(journals, folder) as kept:
            return kept.restore(partial(worktree.unmark, folder))


def fetch(folder: Path) -> str:
    """Adds this onnxop's version to the package's bundle, for copier to find. Returns its tag."""
    with _told():
        folder, journals = _place(folder)
        with journal(journals, folder) as kept:
            _check_is_whole(kept)
            package = read(folder)
            with versions(package) as known:
                version = next_version(package, known)
                with saved(known) as bundle:
                    kept.replace({BUNDLE_FILE: File(bundle.read_bytes())})
            return version


def difference(
    folder: Path,
    *,
    is_colored: bool = False,
    is_summary: bool = False,
    is_trusted: bool = False,
) -> str:
    """What the user changed by hand in the package, as ``git diff`` shows it: since it was generated, or of
    a kernel that came with its spec, since it was committed first.

    ``is_trusted``: the version that made the package may run, whoever wrote it.
    """
    with _told():
        folder, journals = _place(folder)
        _check_is_whole(Journal(journals, folder))
        package = read(folder)
        with versions(package) as known, saved(known) as bundle:
            check_may_run(package, known, is_trusted=is_trusted)
            made = made_of(package, known, bundle)
        yours, _ = with_lines_of(made, worktree.files(folder, untracked=True))
        given = {name for name in yours if name not in made and came_with_spec(package, name)}
        made = {**made, **{name: worktree.first(folder, name) or yours[name] for name in given}}
        beside = {BUNDLE_FILE, ANSWERS}
        sides = ({n: f for n, f in side.items() if n not in beside} for side in (made, yours))
        return merge.difference(*sides, is_colored=is_colored, is_summary=is_summary)


@contextmanager
def _told() -> Iterator[None]:
    """A file that cannot be read is an `UpdateError`, too."""
    try:
        yield
    except OSError as error:
        fact = error.strerror or str(error)
        remedy = "; make room there" if error.errno in (errno.ENOSPC, errno.EDQUOT) else ""
        raise UpdateError(
            f"{error.filename or 'a file'}: cannot be read or written: {fact}{remedy}"
        ) from error


def _place(folder: Path) -> tuple[Path, Path]:
    """The package's own path, and where its journal lies: inside git's folder, out of sight."""
    git.check_version()
    if not folder.is_dir():
        raise UpdateError(f"{folder}: is no directory; give the folder of a generated package")
    folder = folder.resolve()
    if not (folder / ANSWERS).is_file() and not [*folder.glob(f"{SPECS}/*.toml")]:
        raise UpdateError(
            f"{folder}: is no package that onnxop made: it has neither {ANSWERS} nor specs in "
            f"{SPECS}/; give the folder of one"
        )
    try:
        words = git.ask_yours(folder, "rev-parse", "--absolute-git-dir", "--show-prefix").decode()
    except git.GitError as error:
        if "not a git repository" not in str(error):
            raise
        raise UpdateError(
            f"{folder}: is in no git repository, so that nothing could be undone; run git init && "
            "git add -A && git commit there"
        ) from None
    directory, prefix = words.split("\n")[:2]
    return folder, Path(directory, "onnxop", sha256(prefix.encode()).hexdigest()[:16])


def _check_is_whole(kept: Journal) -> None:
    if kept.is_open:
        raise UpdateError(
            f"an update was interrupted, and files may be half old and half new; run {_RESTORE}, "
            "which puts them back as they were"
        )
