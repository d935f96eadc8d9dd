"""A process that has not run the model yet → the outcomes of exports, each in a fork of it.

A model may keep what a call computes: tables of angles, anchors, normalised edges. A user exports a
model that has computed nothing, so scan exports such a one, too, however often it runs the model
meanwhile.
"""

from __future__ import annotations

import io
import os
import pickle
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection, Pipe
from typing import Any

from onnxop_runtime import processes

from . import trial
from .outcome import Outcome

Works = Sequence[Callable[[], Any]]

_ENDED = Outcome("crash", "the process for exports has ended")


class FreshProcess:
    """A fork of this process, which forks once more for each piece of work.

    ``shared`` are objects that the fork has, too, such as the model. Work may refer to them; it is
    sent without them, and the rest of it must pickle. The fork ends when nothing refers to this
    object.
    """

    def __init__(self, shared: Sequence[object]) -> None:
        self._shared = [one for one in shared if one is not None]
        self._connection, other = Pipe()
        null = os.open(os.devnull, os.O_RDWR)
        self._fork = processes.Fork(lambda: self._serve(other), (null, null, null))
        os.close(null)
        other.close()
        self.close = weakref.finalize(self, _end, self._fork, self._connection)

    def __reduce__(self) -> tuple[Callable[[], None], tuple[()]]:
        return _nothing, ()  # in the fork, which needs no such process

    def run_works(self, works: Works, limits: processes.Limits) -> Iterator[tuple[int, Outcome]]:
        """Yield the index and the outcome of each piece of work, in order of completion."""
        left = set(range(len(works)))
        try:
            self._connection.send_bytes(self._pickled((works, limits)))
            while left:
                index, outcome = self._connection.recv()
                left.discard(index)
                yield index, outcome
        except (EOFError, OSError):  # it was killed, as for its memory
            yield from ((index, _ENDED) for index in sorted(left))
        finally:
            if left:
                self.close()  # its answers to come would be taken for those to other works

    def _serve(self, connection: Connection) -> None:
        self._connection.close()
        with suppress(EOFError):  # the parent has closed its end
            while True:
                works, limits = self._unpickled(connection.recv_bytes())
                for answer in trial.run_works(works, limits, is_reused=False):
                    connection.send(answer)

    def _pickled(self, data: object) -> bytes:
        indices = {id(one): index for index, one in enumerate(self._shared)}

        class Pickler(pickle.Pickler):
            def persistent_id(self, obj: object) -> int | None:
                return indices.get(id(obj))

        buffer = io.BytesIO()
        Pickler(buffer).dump(data)
        return buffer.getvalue()

    def _unpickled(self, data: bytes) -> Any:
        shared = self._shared

        class Unpickler(pickle.Unpickler):
            def persistent_load(self, pid: int) -> object:
                return shared[pid]

        return Unpickler(io.BytesIO(data)).load()


def _end(fork: processes.Fork, connection: Connection) -> None:
    """End the fork, and with it the work that it does."""
    connection.close()
    fork.kill()
    fork.wait()


def _nothing() -> None:
    return None
