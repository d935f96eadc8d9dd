"""Run work in forked processes, since exporters and runtimes may crash or hang."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from typing import Any

SECONDS = 120.0  # the time limit of one piece of work

Works = Sequence[Callable[[], Any]]


class Died(Exception):
    """The process ended before it answered, or exceeded its time; the text says which."""


class _Worker:
    """A process that does one piece of work after another, each when sent its index."""

    def __init__(self, works: Works) -> None:
        fork = multiprocessing.get_context("fork")
        self.connection, own = fork.Pipe()
        self._process = fork.Process(target=_work, args=(own, works), daemon=True)
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # this process has threads, but all are idle
            self._process.start()
        own.close()

    def begin(self, place: int, seconds: float) -> None:
        self.place, self.end = place, time.monotonic() + seconds
        self.connection.send(place)

    def answer(self) -> Any:
        """Return the answer, or `Died` if the process has ended."""
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            self._process.join()
        number = self._process.exitcode or 0
        name = signal.Signals(-number).name if number < 0 else f"status {number}"
        return Died(f"the process ended with {name}")

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
        self.connection.close()


def each(works: Works, *, seconds: float = SECONDS, at_once: int = 1) -> Iterator[tuple[int, Any]]:
    """Yield the index and the answer of each piece of work, in order of completion. The answer is its
    result, which must pickle, or its exception, or `Died`.

    A process does many pieces, since a fork costs more than a small export. A new process replaces one
    that died.
    """
    waiting = list(range(len(works)))[::-1]
    running: dict[Connection, _Worker] = {}
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                worker = _Worker(works)
                worker.begin(waiting.pop(), seconds)
                running[worker.connection] = worker
            soonest = min(worker.end for worker in running.values())
            ready: Any = wait([*running], max(soonest - time.monotonic(), 0))
            now = time.monotonic()
            late = [connection for connection, worker in running.items() if worker.end < now]
            for connection in ready or late:
                worker = running[connection]
                place = worker.place
                answer = worker.answer() if ready else Died(f"no result within {seconds:.0f} s")
                if waiting and not isinstance(answer, Died):
                    worker.begin(waiting.pop(), seconds)
                else:
                    running.pop(connection).stop()
                yield place, answer
    finally:
        for worker in running.values():
            worker.stop()


def one(work: Callable[[], Any], *, seconds: float = SECONDS) -> Any:
    """Do one piece of work, and return its result. Raises its exception, or `Died`."""
    ((_, answer),) = each([work], seconds=seconds)
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _work(connection: Connection, works: Works) -> None:
    """Do the work at each index received; this runs in the forked process, until it is stopped."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    warnings.simplefilter("ignore")
    gc.freeze()  # the collector then scans only what the work leaves
    while True:
        place = connection.recv()
        try:
            answer = pickle.dumps(works[place]())
        except BaseException as error:  # noqa: BLE001 - any exception is an answer
            answer = _pickled(error)
        connection.send_bytes(answer)
        gc.collect()


def _pickled(error: BaseException) -> bytes:
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:  # noqa: BLE001 - not every exception can be pickled
        lines = traceback.format_exception_only(error)
        return pickle.dumps(RuntimeError("".join(lines).strip()))
    return pickled


@contextmanager
def quiet() -> Iterator[None]:
    """Discard all output, that of C++ included, and all warnings."""
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
