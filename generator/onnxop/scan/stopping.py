"""SIGINT, SIGTERM and a time limit → an exception in the main thread, so that a scan ends with what
is known.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_SOON = 0.01  # seconds, where the time limit has passed before the block
_AGAIN = 1.0  # seconds until the time limit raises again, where a library has caught it


class Stopped(BaseException):
    """The scan was stopped; the text says by what. No ``except Exception`` catches it."""


def end() -> None:
    """Raise `Stopped` no more in the current block; a further SIGINT ends the program."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def raising(time_limit: float, begin: float) -> Iterator[None]:
    """Raise `Stopped` in this block at SIGINT or SIGTERM, and ``time_limit`` seconds after
    ``begin``, a time of `time.monotonic`, unless the limit is 0.
    """

    def stop(number: int, _frame: FrameType | None) -> None:
        name = signal.Signals(number).name
        raise Stopped(f"--time-limit {time_limit:g}" if name == "SIGALRM" else name)

    def report_others(unraisable: sys.UnraisableHookArgs) -> None:
        if not isinstance(unraisable.exc_value, Stopped):
            report_unraisable(unraisable)

    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)
    handlers = {number: signal.signal(number, stop) for number in signals}
    report_unraisable = sys.unraisablehook
    sys.unraisablehook = (
        report_others  # a signal in a finalizer is ignored, but Python prints its traceback
    )
    if time_limit:
        left = max(begin + time_limit - time.monotonic(), _SOON)
        signal.setitimer(signal.ITIMER_REAL, left, _AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.unraisablehook = report_unraisable
        for number, handler in handlers.items():
            signal.signal(number, handler)
