"""A folder to make beside its destination, and taken away again, at the latest by the next run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ...errors import DestinationError
from ..scratch import folder_in, remove_leftovers
from .errors import printable, why_no_name

_PREFIX = ".onnxop-ship-"


def destination(folder: Path) -> Path:
    """Return the folder to make, with links resolved. Raise DestinationError if it cannot
    be made.
    """
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
    """Yield an empty folder on the disk of ``folder``. Remove it at the end, with what runs that
    were killed have left beside it, and the parents that were made for it if there is still no
    ``folder``.
    """
    missing = [parent for parent in folder.parents if not parent.exists()]
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        remove_leftovers(folder.parent, _PREFIX)
        with folder_in(folder.parent, _PREFIX) as scratch:
            yield scratch
    finally:
        if not folder.exists():
            for parent in missing:
                with suppress(OSError):
                    parent.rmdir()
