"""Questions to PyTorch → its answers, from another process, which computes while this one goes on."""

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
_TIMEOUT = 300  # seconds, imports of PyTorch and of required modules included
_AHEAD = 1 << 15  # bytes of questions; a pipe holds more


class TorchProcess:
    """Runs `torch_calls`, which answers in order, and caches the answers. ``budgets`` are the seconds of CPU
    time for a call without values, and with them.
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
        self._pending, self._received = list[str](), b""
        for question in questions:
            self.ask(question)

    def _end(self) -> None:
        with suppress(BrokenPipeError), self._process:
            self._process.kill()

    def ask(self, question: str) -> None:
        """Send a question. If the pipe is full, read answers first, so that neither process blocks."""
        if question in self._answers or question in self._pending:
            return
        while self._pending and sum(map(len, self._pending)) + len(question) > _AHEAD:
            self._read()
        self._pending.append(question)
        with suppress(BrokenPipeError):  # then no answer arrives
            self._process.stdin.write(f"{question}\n".encode())
            self._process.stdin.flush()

    def answer(self, question: str) -> tuple[Answer, ...] | None:
        """Return a question's answers that arrived; None if PyTorch cannot be asked."""
        self.ask(question)
        while question in self._pending:
            self._read()
        return self._answers[question]

    def _read(self) -> None:
        """Read the first pending answer; if the process ended on it, restart for the others."""
        while b"\n" not in self._received:
            if not select.select([self._process.stdout], [], [], _TIMEOUT)[0]:
                self._process.kill()
            if not (part := self._process.stdout.read1()):
                break
            self._received += part
        line, is_whole, self._received = self._received.partition(b"\n")
        self._answers[self._pending.pop(0)] = tuple(json.loads(line)) if is_whole else None
        if not is_whole:
            self._end()
            self._start(*self._pending)
