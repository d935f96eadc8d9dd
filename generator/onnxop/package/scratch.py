"""Folders for temporary files: locked by the run that has them, so that a later run removes what a
killed one left.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..errors import OnnxopError

_PREFIX = ".onnxop-scratch-"


class ScratchError(OnnxopError):
    """The folder for temporary files cannot be written."""


@contextmanager
def temporary_files() -> Iterator[None]:
    """Put all temporary files of this process, copier's too, into one new folder in TMPDIR, and
    remove it at the end. Raise `ScratchError` if they cannot be written.
    """
    former, parent = tempfile.tempdir, Path(os.environ.get("TMPDIR") or "/tmp")
    remove_leftovers(parent, _PREFIX)
    try:
        parent = Path(tempfile.gettempdir()).absolute()
        with folder_in(parent, _PREFIX) as folder:
            tempfile.tempdir = str(folder)
            yield
    except OSError as error:
        if error.filename and _PREFIX not in str(error.filename):  # of no temporary file
            raise
        raise ScratchError(
            f"{parent}: temporary files cannot be written there: {error.strerror}; make room "
            "there, or set TMPDIR to a folder that you may write to and that has room; no file of "
            "the package changed"
        ) from error
    finally:
        tempfile.tempdir = former


@contextmanager
def folder_in(parent: Path, prefix: str) -> Iterator[Path]:
    """Provide a new folder, locked, and remove it at the end."""
    folder, lock = _new_folder(parent, prefix)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if lock is not None:
            os.close(lock)


def _new_folder(parent: Path, prefix: str) -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=prefix))
        lock = locked(folder)
        if folder.exists():  # otherwise another run took it for a leftover, before it was locked
            return folder, lock
        if lock is not None:
            os.close(lock)


def remove_leftovers(parent: Path, prefix: str) -> None:
    """Remove the folders of runs that have ended without it: nobody holds their locks."""
    for folder in parent.glob(f"{prefix}*"):
        if folder.is_symlink() or not folder.is_dir():
            continue
        lock = locked(folder)
        if lock is not None:
            shutil.rmtree(folder, ignore_errors=True)
            os.close(lock)


def locked(folder: Path) -> int | None:
    """Return a descriptor that locks the folder until it is closed, or the process ends; None if
    another process holds the lock, or the disk has none.
    """
    with suppress(OSError):
        return lock_of(folder)
    return None


def lock_of(folder: Path) -> int:
    """Return a descriptor that locks the folder. Raise BlockingIOError if another process holds the
    lock, and another OSError if the disk has none.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
