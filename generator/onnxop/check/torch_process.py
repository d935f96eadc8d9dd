"""Questions to PyTorch → its answers, of a process of its own, which computes beside this one."""

from __future__ import annotations

import atexit
import json
import select
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

Answer = dict[str, Any]
_TIMEOUT = 300  # seconds, in which PyTorch and what a spec requires is imported, too
_AHEAD = 1 << 15  # bytes of questions; a pipe holds more


class TorchProcess:
    """Runs `torch_calls`, which answers in order; ``budgets`` are the seconds of computing that a call has without
    values, and with them. What is asked again, as what is checked and then made, has its answer.
    """

    def __init__(self, *budgets: int) -> None:
        script = Path(__file__).with_name("torch_calls.py")
        self._command = [sys.executable, "-P", str(script), *map(str, budgets)]
        self._answers: dict[str, tuple[Answer, ...] | None] = {}
        self._start()
        atexit.register(self._end)

    def _start(self, *questions: str) -> None:
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        self._process: Any = subprocess.Popen(self._command, stdin=pipe, stdout=pipe, stderr=quiet)
        self._open, self._told = list[str](), b""
        for question in questions:
            self.ask(question)

    def _end(self) -> None:
        with suppress(BrokenPipeError), self._process:
            self._process.kill()

    def ask(self, question: str) -> None:
        """Hand over a question, without waiting where the pipe has room: beyond, each might wait for the other."""
        if question in self._answers or question in self._open:
            return
        while self._open and sum(map(len, self._open)) + len(question) > _AHEAD:
            self._read()
        self._open.append(question)
        with suppress(BrokenPipeError):  # which has no answer
            self._process.stdin.write(f"{question}\n".encode())
            self._process.stdin.flush()

    def answer(self, question: str) -> tuple[Answer, ...] | None:
        """Return the answers to a question, as far as they came; None where PyTorch cannot be asked."""
        self.ask(question)
        while question in self._open:
            self._read()
        return self._answers[question]

    def _read(self) -> None:
        """Read the first answer that is open; where the process ended over it, another one has the rest."""
        while b"\n" not in self._told:
            if not select.select([self._process.stdout], [], [], _TIMEOUT)[0]:
                self._process.kill()
            if not (part := self._process.stdout.read1()):
                break
            self._told += part
        line, is_whole, self._told = self._told.partition(b"\n")
        self._answers[self._open.pop(0)] = tuple(json.loads(line)) if is_whole else None
        if not is_whole:
            self._end()
            self._start(*self._open)
