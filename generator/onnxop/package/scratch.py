"""A folder to prepare files in, beside the place that they go to; killed, it is nobody's but the next run's."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PREFIX = ".onnxop-"
"""How its name begins."""

_LOCK = ".gitignore"


@contextmanager
def scratch(parent: Path) -> Iterator[Path]:
    """Make a folder in ``parent``, which vanishes at the end, and remove those that a killed run left.

    git ignores all that is in it; what ignores it is locked for as long as the run lasts.
    """
    for left in parent.glob(f"{PREFIX}*"):
        _clear(left)
    folder = Path(tempfile.mkdtemp(dir=parent, prefix=PREFIX))
    try:
        with (folder / _LOCK).open("w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.write("*\n")
            lock.flush()
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _clear(left: Path) -> None:
    """Remove a folder whose run has ended; one without a lock is none of ours, or is just being made."""
    with suppress(OSError), (left / _LOCK).open("r+", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if lock.read() in ("", "*\n"):
            shutil.rmtree(left, ignore_errors=True)
