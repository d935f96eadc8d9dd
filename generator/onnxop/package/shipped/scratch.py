"""A folder to make beside its destination, and taken away again, at the latest by the next run."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...errors import DestinationError
from .errors import printable, why_no_name

_PREFIX = ".onnxop-ship-"


def destination(folder: Path) -> Path:
    """Return the folder to make, with links resolved. Raise DestinationError if it cannot be made."""
    if problem := why_no_name(folder.absolute()):
        raise DestinationError(f"{printable(str(folder))}: {problem}; give another folder")
    above = next(parent for parent in folder.absolute().parents if os.path.lexists(parent))
    if not above.is_dir():
        raise DestinationError(f"{folder}: {above.name} is not a folder; give another folder")
    if folder.is_symlink() and not folder.exists():
        raise DestinationError(f"{folder}: is a link to a folder that is missing; make that folder")
    if folder.exists() and not folder.is_dir():
        raise DestinationError(f"{folder}: is a file; give a folder that is new")
    if folder.exists() and any(folder.iterdir()):
        raise DestinationError(f"{folder}: is not empty; give a folder that is new")
    return folder.resolve()


@contextmanager
def scratch_beside(folder: Path) -> Iterator[Path]:
    """Yield an empty folder on the disk of ``folder``. Remove it at the end, with what runs that were killed
    have left beside it, and the parents that were made for it if there is still no ``folder``.
    """
    missing = [parent for parent in folder.parents if not parent.exists()]
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        _remove_leftovers(folder.parent)
        scratch = Path(tempfile.mkdtemp(dir=folder.parent, prefix=_PREFIX))
        lock = _locked(scratch)
        try:
            yield scratch
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
            if lock is not None:
                os.close(lock)
    finally:
        if not folder.exists():
            for parent in missing:
                with suppress(OSError):
                    parent.rmdir()


def _remove_leftovers(parent: Path) -> None:
    """Remove the folders of runs that have ended without it: nobody holds their locks."""
    for folder in parent.glob(f"{_PREFIX}*"):
        if folder.is_dir() and not folder.is_symlink():
            lock = _locked(folder)
            if lock is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _locked(folder: Path) -> int | None:
    """Return a descriptor that locks the folder until it is closed, or the process ends; None if another process
    holds the lock, or the disk has none.
    """
    descriptor = None
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if descriptor is not None:
            os.close(descriptor)
        return None
    return descriptor
