"""Questions to PyTorch → its answers, from a process that computes while this one goes on."""

from __future__ import annotations

import atexit
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypedDict

from onnxop_runtime.processes import Limits, ProcessDied, PythonProcess

TensorType = tuple[str, list[int], str]
"""The dtype, the sizes and the device of a tensor."""

Difference = tuple[float, list[str]]
"""The worst error, and the descriptions of what differs."""


class FakeAnswer(TypedDict, total=False):
    """What `torch_calls` found out about a call of a fake kernel. Sizes of its results may be
    unknown.
    """

    died: str
    never_ends: bool
    raises: str
    results: list[tuple[str, list[int | None], str] | str]


class TorchAnswer(TypedDict, total=False):
    """What `torch_calls` found out about a call, or about an error case.

    ``results`` has a type's name for a value that is no tensor. ``fake``: the answer about the fake
    kernel. ``gradients``: which differ. ``nan_gradients``: of which tensors the gradient is NaN,
    although all values are finite. ``refused`` and ``differs``: the first model that ONNX
    Runtime rejects, or whose values differ, ``at`` an opset if it is not the spec's. ``returns``:
    an error case raised nothing. ``is_other_exception`` and ``lacks_pattern``: it raised another
    exception, or one whose text has not its pattern.
    """

    rights: list[str]
    forbidden: str
    died: str
    never_ends: bool
    takes_long: bool
    raises: str
    draws: bool
    changes: bool
    results: list[TensorType | str]
    fake: FakeAnswer
    gradients: dict[str, Difference]
    nan_gradients: list[str]
    at: int
    refused: str
    differs: Difference
    returns: bool
    is_other_exception: bool
    lacks_pattern: bool


_LIMITS = Limits(seconds=300)  # imports of PyTorch and of required modules included
_AHEAD = 1 << 15  # bytes of questions; a pipe holds more


class TorchProcess:
    """Runs `torch_calls`, which answers in order, and keeps the answers. ``budgets`` are the
    seconds of CPU time for a call without values, and with them.
    """

    def __init__(self, *budgets: int) -> None:
        script = Path(__file__).with_name("torch_calls.py")
        self._arguments = [str(script), *map(str, budgets)]
        self._answers: dict[str, tuple[TorchAnswer, ...] | ProcessDied] = {}
        self._pending: list[str] = []
        self._is_broken_off = False
        self._process = PythonProcess(*self._arguments, limits=_LIMITS)
        atexit.register(self._end)

    def _end(self) -> None:
        self._process.kill()

    def ask(self, question: str) -> None:
        """Send a question. If the pipe is full, read answers first, so that no process blocks."""
        if question in self._answers or question in self._pending:
            return
        if self._is_broken_off:
            self._is_broken_off = False
            self._restart()
        while self._pending and sum(map(len, self._pending)) + len(question) > _AHEAD:
            self._read()
        with self._exchange():
            self._pending.append(question)
            self._process.send(question)

    def answer(self, question: str) -> tuple[TorchAnswer, ...]:
        """Return a question's answers. Raise `ProcessDied` if the process ended on it."""
        self.ask(question)
        while question in self._pending:
            self._read()
        answers = self._answers[question]
        if isinstance(answers, ProcessDied):
            raise answers
        return answers

    def _read(self) -> None:
        """Read the first pending answer; if the process ended on it, restart for the others."""
        question = self._pending[0]
        try:
            with self._exchange():
                self._answers[question] = tuple(json.loads(self._process.receive()))
                self._pending.pop(0)
        except ProcessDied as death:
            self._answers[question] = death
            self._pending.pop(0)
            self._restart()

    @contextmanager
    def _exchange(self) -> Iterator[None]:
        """Have the process replaced after an exchange that a signal has broken off: it would answer
        the next question with this one's answer.
        """
        try:
            yield
        except ProcessDied:
            raise
        except BaseException:
            self._pending.clear()
            self._is_broken_off = True
            raise

    def _restart(self) -> None:
        """Start a new process, and send it the pending questions."""
        self._process.kill()
        self._process = PythonProcess(*self._arguments, limits=_LIMITS)
        pending, self._pending = self._pending, []
        for question in pending:
            self.ask(question)
