"""Questions to PyTorch → its answers, of a process of its own, which computes beside this one."""

from __future__ import annotations

import atexit
import json
import os
import select
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

Answer = dict[str, Any]
_TIMEOUT = 300  # seconds, in which PyTorch and what a spec requires is imported, too
_AHEAD = 1 << 15  # bytes; a pipe holds more


class TorchProcess:
    """Runs `torch_calls`, which answers questions in order; each is asked once.

    Args:
        budgets: the seconds of computing that a call has without values, and with them.
    """

    def __init__(self, *budgets: int) -> None:
        script = Path(__file__).with_name("torch_calls.py")
        self._command = [sys.executable, "-P", str(script), *map(str, budgets)]
        self._answers: dict[str, tuple[Answer, ...] | None] = {}
        self._start()
        atexit.register(self._end)

    def _start(self, questions: Iterable[str] = ()) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self._command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
        )
        self._open, self._told = dict[str, None](), b""
        for question in questions:
            self.ask(question)

    def _end(self) -> None:
        with suppress(BrokenPipeError), self._process:
            self._process.kill()

    def ask(self, question: str) -> None:
        """Hand over a question, which `answer` asks for later: as many as the pipe to the process holds, as it may
        wait for this one to read its answers.
        """
        if question in self._answers or question in self._open:
            return
        while self._open and sum(map(len, self._open)) + len(question) > _AHEAD:
            self._read()
        self._open[question] = None
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # which has no answer
            self._process.stdin.write(f"{question}\n".encode())
            self._process.stdin.flush()

    def answer(self, question: str) -> tuple[Answer, ...] | None:
        """Return the answers to a question, as far as they came; None where PyTorch cannot be asked."""
        self.ask(question)
        while question not in self._answers:
            self._read()
        return self._answers[question]

    def _read(self) -> None:
        """Read the answer to the first open question; where the process ended, another one has the rest."""
        assert self._process.stdout is not None
        while b"\n" not in self._told:
            if not select.select([self._process.stdout], [], [], _TIMEOUT)[0]:
                self._process.kill()
            if not (part := os.read(self._process.stdout.fileno(), 1 << 16)):
                break
            self._told += part
        line, end, self._told = self._told.partition(b"\n")
        question, *others = self._open
        del self._open[question]
        self._answers[question] = tuple(json.loads(line)) if end else None
        if not end:
            self._end()
            self._start(others)
