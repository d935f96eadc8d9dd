"""The exit status of a process and its last output → one sentence."""

from __future__ import annotations

import os
import signal
from typing import IO

from .limits import Limits

_TAIL = 16384  # bytes: a C++ stack trace is long
_LOADER = "ERROR: ld.so"  # which does not find a library in LD_PRELOAD, and goes on
_STACK_TRACE = ("frame #", "Exception raised from ")  # of PyTorch's C++ exceptions
_OUT_OF_MEMORY = ("bad_alloc", "MemoryError", "Cannot allocate memory", "can't allocate memory")


class ProcessDied(Exception):
    """A process ended before it answered, or exceeded a limit; the text says which.

    ``status`` is that of `subprocess.Popen.returncode`: negative for a signal.
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status

    @property
    def is_out_of_cpu_time(self) -> bool:
        return self.status == -signal.SIGXCPU


def died(status: int, limits: Limits, errors: IO[bytes], *, is_late: bool = False) -> ProcessDied:
    """Return how a process ended. ``errors`` is its stderr, ``is_late`` that it was ended for its
    time.
    """
    told = [
        line for line in lines_of(errors, bytes_at_end=_TAIL) if not line.startswith(_STACK_TRACE)
    ]
    last_line = told[-1].removeprefix("what():").lstrip() if told else ""
    cause = _cause(status, limits, last_line, is_late=is_late)
    return ProcessDied(f"{cause}: {last_line}" if last_line else cause, status)


def _cause(status: int, limits: Limits, last_line: str, *, is_late: bool) -> str:
    """Return how a process died, by its status and the last line of its output."""
    if is_late:
        return f"no result within {limits.seconds:.0f} s"
    if status == -signal.SIGXCPU:
        return "the process used up its CPU time"
    if limits.memory and any(reason in last_line for reason in _OUT_OF_MEMORY):
        return f"the process needs more than {limits.memory / 2**30:.1f} GiB of memory"
    if status < 0:
        return f"the process ended with {signal.Signals(-status).name}"
    return f"the process ended with status {status}"


def lines_of(errors: IO[bytes], bytes_at_end: int | None = None) -> list[str]:
    """Return the lines of a process's stderr, or those of its last bytes, except empty ones."""
    size = errors.seek(0, os.SEEK_END)
    errors.seek(max(size - bytes_at_end, 0) if bytes_at_end else 0)
    lines = [line.strip() for line in errors.read().decode(errors="replace").splitlines()]
    return [line for line in lines if line and not line.startswith(_LOADER)]
