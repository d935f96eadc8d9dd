"""Work in processes of its own, forked from this one: exporters and runtimes may crash, or hang."""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

SECONDS = 120.0  # for one piece of work


class Died(Exception):
    """The process ended before it answered, or ran out of time; the text says which."""


@dataclass
class _Child:
    place: int
    reading: int
    process: int
    end: float
    found: bytes = b""


def each(
    works: Sequence[Callable[[], Any]], *, seconds: float = SECONDS, at_once: int = 1
) -> Iterator[tuple[int, Any]]:
    """The place and the answer of each piece of work, as they come: what it returned, which must
    pickle, or the exception that it raised. `Died` where there is no answer.
    """
    waiting = list(enumerate(works))[::-1]
    running: dict[int, _Child] = {}
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                child = _start(*waiting.pop(), seconds)
                running[child.reading] = child
            soonest = min(child.end for child in running.values())
            ready = select.select([*running], [], [], max(soonest - time.monotonic(), 0))[0]
            for reading in ready:
                child = running[reading]
                part = os.read(reading, 1 << 16)
                child.found += part
                if not part:
                    del running[reading]
                    yield child.place, _answer(child)
            for child in [c for c in running.values() if c.end < time.monotonic()]:
                del running[child.reading]
                _end(child)
                yield child.place, Died(f"it takes more than {seconds:.0f} s")
    finally:
        for child in running.values():
            _end(child)


def one(work: Callable[[], Any], *, seconds: float = SECONDS) -> Any:
    """What the work returns. Raises what it raises, or `Died`."""
    ((_, answer),) = each([work], seconds=seconds)
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _start(place: int, work: Callable[[], Any], seconds: float) -> _Child:
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this process has threads: none of them is at work
        process = os.fork()
    if process:
        os.close(writing)
        return _Child(place, reading, process, time.monotonic() + seconds)
    try:
        os.close(reading)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        warnings.simplefilter("ignore")
        with os.fdopen(writing, "wb") as answer:
            try:
                answer.write(pickle.dumps(work()))
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is the answer
                answer.write(_pickled(error))
    finally:
        os._exit(0)


def _pickled(error: BaseException) -> bytes:
    try:
        found = pickle.dumps(error)
        pickle.loads(found)
    except Exception:  # noqa: BLE001 - not every exception survives
        lines = traceback.format_exception_only(error)
        return pickle.dumps(RuntimeError("".join(lines).strip()))
    return found


def _answer(child: _Child) -> Any:
    os.close(child.reading)
    _, status = os.waitpid(child.process, 0)
    if child.found:
        return pickle.loads(child.found)
    number = os.waitstatus_to_exitcode(status)
    name = signal.Signals(-number).name if number < 0 else f"status {number}"
    return Died(f"it ends the process ({name})")


def _end(child: _Child) -> None:
    os.close(child.reading)
    os.kill(child.process, signal.SIGKILL)
    os.waitpid(child.process, 0)


@contextmanager
def quiet() -> Iterator[None]:
    """While it lasts, nothing is printed, by C++ neither, and no warning shown."""
    sys.stdout.flush()
    sys.stderr.flush()
    kept = os.dup(1), os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        for number, before in enumerate(kept, 1):
            os.dup2(before, number)
            os.close(before)
        os.close(nowhere)
