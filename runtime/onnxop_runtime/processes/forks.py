"""Functions → their results, from forks of this process."""

from __future__ import annotations

import atexit
import ctypes
import gc
import json
import os
import pickle
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, NoReturn

from .death import ProcessDied, died
from .limits import NO_LIMITS, Limits

Works = Sequence[Callable[[], Any]]

DEFAULT_LIMITS = Limits(seconds=120.0)
_PR_SET_PDEATHSIG = 1


class Fork:
    """A fork of this process that runs a function, and ends.

    ``streams`` are the file descriptors that become its stdin, stdout and stderr, or fewer. With
    ``keep``, all others are closed, except those.
    """

    def __init__(
        self,
        function: Callable[[], object],
        streams: Sequence[int] = (),
        *,
        keep: Sequence[int] | None = None,
        limits: Limits = NO_LIMITS,
    ) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # this process has threads, but all are idle
            self.pid = os.fork()
        if not self.pid:
            _run_and_exit(function, streams, keep, limits, parent)
        self._status: int | None = None

    def wait(self) -> int:
        """Wait for the end; return the exit status, or the negative number of a signal."""
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._status

    def kill(self) -> None:
        if self._status is None:
            os.kill(self.pid, signal.SIGKILL)


def _run_and_exit(
    function: Callable[[], object],
    streams: Sequence[int],
    keep: Sequence[int] | None,
    limits: Limits,
    parent: int,
) -> NoReturn:
    """Run the function in the fork, and exit as Python does."""
    status = 1
    try:
        _end_with(parent)
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _redirect(streams, keep)
        atexit._clear()  # what the parent registered is the parent's to undo
        gc.freeze()  # the collector then visits only what the function leaves
        limits.apply()
        status = _exit_status(function)
        atexit._run_exitfuncs()
    except BaseException:  # noqa: BLE001 - ends as Python does
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:  # whatever happens, the fork does not go on as its parent
            os._exit(status)


def _end_with(parent: int) -> None:
    """Let the kernel end this process when its parent ends."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it has ended before
        os._exit(1)


def _redirect(streams: Sequence[int], keep: Sequence[int] | None) -> None:
    """Make these descriptors the standard streams, and close all others but those to keep."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    if keep is not None:
        bounds = sorted({2, *keep})
        for low, high in zip(bounds, [*bounds[1:], os.sysconf("SC_OPEN_MAX")], strict=True):
            os.closerange(low + 1, high)
    if streams:
        sys.stdin = os.fdopen(0, closefd=False)
    if len(streams) > 1:
        sys.stdout = os.fdopen(1, "w", closefd=False)
    if len(streams) > 2:
        sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)


def _exit_status(function: Callable[[], object]) -> int:
    """Call the function, and return the exit status that its end has for Python."""
    try:
        function()
    except SystemExit as error:
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
            return 1
        return error.code or 0
    return 0


def collect(items: Iterable[object], limits: Limits) -> tuple[list[Any], ProcessDied | None]:
    """Return the items that a fork computes, and how it died before the last one, or None. Items
    are data of JSON. The fork's output is discarded, and it has no file open.
    """
    reader, writer = os.pipe()
    with tempfile.TemporaryFile() as errors:
        null = os.open(os.devnull, os.O_RDWR)
        streams = (null, null, errors.fileno())
        fork = Fork(lambda: _write(items, writer), streams, keep=[writer], limits=limits)
        os.close(null)
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8") as stream:
            received = [json.loads(line) for line in stream if line.endswith("\n")]
        status = fork.wait()
        is_whole = bool(received) and received[-1] == _END
        if is_whole:
            return received[:-1], None
        return received, died(status, limits, errors)


_END = ["end of items"]


def _write(items: Iterable[object], writer: int) -> None:
    _renew_pool_of_pytorch()
    with os.fdopen(writer, "w", encoding="utf-8") as stream:
        for item in items:
            stream.write(json.dumps(item) + "\n")
            stream.flush()
        stream.write(json.dumps(_END) + "\n")


def _renew_pool_of_pytorch() -> None:
    """Have PyTorch make its pool of threads anew, if it is imported. A fork has none of the pool's
    threads, and PyTorch replaces it at the first use. If that is by several threads at once, as
    autograd's, some find no pool, and end the process.
    """
    torch: Any = sys.modules.get("torch")
    if hasattr(torch, "set_num_threads"):
        torch.set_num_threads(torch.get_num_threads())


class _Worker:
    """A fork that does one piece of work after another, each when it receives the index."""

    def __init__(self, works: Works, limits: Limits) -> None:
        self._limits = limits
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `stop`
        self.connection, other = Pipe()
        null = os.open(os.devnull, os.O_RDWR)
        streams = (null, null, self._errors.fileno())
        self._fork = Fork(lambda: self._work(other, works), streams, limits=limits)
        os.close(null)
        other.close()

    def begin(self, index: int) -> None:
        self.index, self.deadline = index, time.monotonic() + (self._limits.seconds or 1e9)
        self.connection.send(index)

    def answer(self) -> object:
        """Return the answer, or `ProcessDied` if the process has ended."""
        try:
            return self.connection.recv()
        except (EOFError, ConnectionResetError):
            return died(self._fork.wait(), self._limits, self._errors)

    def stop(self) -> None:
        self._fork.kill()
        self._fork.wait()
        self.connection.close()
        self._errors.close()

    def late(self) -> ProcessDied:
        """End the process; return that it took too long."""
        self._fork.kill()
        return died(self._fork.wait(), self._limits, self._errors, is_late=True)

    def _work(self, connection: Connection, works: Works) -> None:
        """Do the work at each index received, until the process is stopped."""
        self.connection.close()
        warnings.simplefilter("ignore")
        while True:
            index = connection.recv()
            self._errors.truncate(0)
            self._errors.seek(0)
            self._limits.allow_work()
            try:
                answer = pickle.dumps(works[index]())
            except BaseException as error:  # noqa: BLE001 - any exception is an answer
                answer = _pickled(error)
            connection.send_bytes(answer)
            gc.collect()


def run_each(
    works: Works,
    *,
    limits: Limits = DEFAULT_LIMITS,
    at_once: int = 1,
    is_reused: bool = True,
) -> Iterator[tuple[int, Any]]:
    """Yield the index and the answer of each piece of work, in order of completion. The answer is
    its result, which must pickle, or its exception, or `ProcessDied`.

    A process does many pieces, since a fork costs more than a small export, unless ``is_reused`` is
    False. A new process replaces one that died.
    """
    waiting = list(range(len(works)))[::-1]
    running: dict[Connection, _Worker] = {}
    try:
        while waiting or running:
            while waiting and len(running) < at_once:
                worker = _Worker(works, limits)
                worker.begin(waiting.pop())
                running[worker.connection] = worker
            for worker, answer in _answers(list(running.values())):
                index = worker.index
                if waiting and is_reused and not isinstance(answer, ProcessDied):
                    worker.begin(waiting.pop())
                else:
                    running.pop(worker.connection)
                    worker.stop()
                yield index, answer
    finally:
        for worker in running.values():
            worker.stop()


def _answers(workers: Sequence[_Worker]) -> Iterator[tuple[_Worker, Any]]:
    """Wait until a worker answers or is late; yield each that does, with its answer."""
    earliest = min(worker.deadline for worker in workers)
    ready = wait([worker.connection for worker in workers], max(earliest - time.monotonic(), 0))
    now = time.monotonic()
    for worker in workers:
        if worker.connection in ready:
            yield worker, worker.answer()
        elif not ready and worker.deadline <= now:
            yield worker, worker.late()


def run(work: Callable[[], Any], *, limits: Limits = DEFAULT_LIMITS) -> Any:
    """Do one piece of work in a fork, and return its result. Raise its exception, or
    `ProcessDied`.
    """
    ((_, answer),) = run_each([work], limits=limits)
    if isinstance(answer, BaseException):
        raise answer
    return answer


def _pickled(error: BaseException) -> bytes:
    try:
        pickled = pickle.dumps(error)
        pickle.loads(pickled)
    except Exception:  # noqa: BLE001 - not every exception can be pickled
        lines = traceback.format_exception_only(error)
        return pickle.dumps(RuntimeError("".join(lines).strip()))
    return pickled
