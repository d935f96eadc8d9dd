"""Files of a folder → other files: all of them or none, even if the process is killed.

New files are staged in one folder beside their places, with copies of the old ones and a manifest,
which says of each file what it was and what it becomes. While there is a manifest, the files are
being replaced; if the process is killed, the next run undoes what it did. An undo that is killed is
undone by the run after it.
"""

from __future__ import annotations

import errno
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath

from ..errors import DestinationError
from . import files, scratch
from .files import File

FOLDER = ".onnxop-update"
_MANIFEST = "manifest.json"
_NO_LOCKS = errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL


@dataclass(frozen=True)
class Undone:
    """What `undo` did: ``run`` was interrupted, ``restored`` are the files that are again as before
    it, and ``changed`` those that changed since, which stay.
    """

    run: str
    restored: tuple[str, ...]
    changed: tuple[str, ...]


@dataclass(frozen=True)
class _Replacement:
    """A file, and the digests of what it was and of what it becomes: None if it does not exist."""

    name: str
    old: str | None
    new: str | None


@contextmanager
def exclusive(folder: Path) -> Iterator[None]:
    """Keep other runs of onnxop from writing to the folder. Raise `DestinationError` if one
    does.
    """
    try:
        lock = scratch.lock_of(folder)
    except BlockingIOError:
        raise DestinationError(
            f"{folder}: another run of onnxop works on this package; wait until it has ended, and "
            "look at its result"
        ) from None
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        lock = None  # the disk has no locks
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)


@contextmanager
def replaced(folder: Path, run: str, changes: Mapping[str, File | None]) -> Iterator[None]:
    """Write the files in order, and remove those that are None; if that or the body fails, undo it.
    ``run`` names this run to the next one, if it is killed. Raise `DestinationError` for a folder
    or a link at a file's path, and for a failed write.
    """
    files.check_places(folder, changes)
    journal = folder / FOLDER
    try:
        # A full disk raises here, before any file changes.
        replacements = _stage(folder, run, changes)
        for index, replacement in enumerate(replacements):
            files.put(folder, replacement.name, _staged(journal, "new", index, replacement.new))
        yield
    except OSError as error:
        undo(folder)
        raise _not_written(folder, error) from error
    except BaseException:
        undo(folder)
        raise
    _remove(journal)


def _not_written(folder: Path, error: OSError) -> DestinationError:
    return DestinationError(
        f"{folder}: cannot be written: {error.strerror or error}; make room on its disk, or give "
        "yourself the right to write there, and run this again; no file changed"
    )


def is_interrupted(folder: Path) -> bool:
    """Return whether a run was killed while it replaced files of the folder."""
    journal = folder / FOLDER
    return (journal / _MANIFEST).is_file() and not journal.is_symlink()


def undo(folder: Path) -> Undone | None:
    """Undo the replacement that was interrupted. Return None if none was. Raise `DestinationError`
    for a manifest that onnxop did not write, or if the files cannot be written; the next run goes
    on with it.
    """
    journal = folder / FOLDER
    if journal.is_symlink() or (journal.exists() and not journal.is_dir()):
        raise DestinationError(f"{journal}: is in the way of a folder of onnxop's; remove it")
    if not is_interrupted(folder):
        _remove(journal)
        return None
    run, replacements = _read(journal)
    files.check_links(folder, [replacement.name for replacement in replacements])
    restored: list[str] = []
    changed: list[str] = []
    for index, replacement in enumerate(replacements):
        present = _digest(folder, replacement.name)
        if present not in (replacement.old, replacement.new):
            changed.append(replacement.name)
            continue
        if present != replacement.old:
            restored.append(replacement.name)
        elif present is not None:
            continue
        try:  # a file that is not there may have left an empty folder
            files.put(folder, replacement.name, _staged(journal, "old", index, replacement.old))
        except OSError as error:
            raise DestinationError(
                f"{folder / replacement.name}: {run} was interrupted, and cannot be undone: "
                f"{error.strerror}; make that possible, and run this again"
            ) from error
    _remove(journal)
    return Undone(run, tuple(restored), tuple(changed))


def _stage(folder: Path, run: str, changes: Mapping[str, File | None]) -> list[_Replacement]:
    """Write the new files, copies of the old ones, and then the manifest."""
    journal = folder / FOLDER
    journal.mkdir()
    (journal / ".gitignore").write_text("*\n", encoding="utf-8")
    before = files.read(folder, changes)
    replacements: list[_Replacement] = []
    for index, (name, file) in enumerate(changes.items()):
        for side, content in (("old", before.get(name)), ("new", file)):
            if content is not None:
                files.write_file(journal / f"{side}{index}", content, folder / name)
        old, new = (_digest(journal, f"{side}{index}") for side in ("old", "new"))
        replacements.append(_Replacement(name, old, new))
    manifest = {"run": run, "files": [asdict(replacement) for replacement in replacements]}
    staged = journal / f"{_MANIFEST}.new"
    files.write_file(staged, File(json.dumps(manifest, indent=1).encode()), staged)
    staged.replace(journal / _MANIFEST)
    return replacements


def _read(journal: Path) -> tuple[str, list[_Replacement]]:
    """Return the run and its replacements. A stranger may have written the manifest: check it."""
    manifest = journal / _MANIFEST
    try:
        data = json.loads(manifest.read_bytes())
        replacements = [_Replacement(**item) for item in data["files"]]
        if not all(_is_inside(replacement.name) for replacement in replacements):
            raise ValueError("names a file outside of the package")
        return str(data["run"]), replacements
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise DestinationError(
            f"{manifest}: onnxop did not write it ({' '.join(str(error).split())}); remove "
            f"{journal}"
        ) from None


def _is_inside(name: str) -> bool:
    path = PurePosixPath(name)
    is_outside = path.is_absolute() or ".." in path.parts or not path.parts
    return not is_outside and not any(part.casefold() == ".git" for part in path.parts)


def _digest(folder: Path, name: str) -> str | None:
    """Return a digest of the file and its mode; None if it does not exist, another text if it is no
    file.
    """
    file = files.read(folder, [name]).get(name)
    if file is None:
        return "no file" if os.path.lexists(folder / name) else None
    return f"{file.mode} {hashlib.sha256(file.data).hexdigest()}"


def _staged(journal: Path, side: str, index: int, digest: str | None) -> Path | None:
    return None if digest is None else journal / f"{side}{index}"


def _remove(journal: Path) -> None:
    """Remove the journal, first its manifest: without it, the rest means nothing."""
    with suppress(FileNotFoundError, NotADirectoryError):
        (journal / _MANIFEST).unlink()
    shutil.rmtree(journal, ignore_errors=True)
