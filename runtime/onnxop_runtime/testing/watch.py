"""Control of the process that makes the first calls of compiled kernels, which may crash it, and
that tells which drawn call crashed this one.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..processes import ProcessDied, PythonProcess

_CHECKED_MALLOC = "libc_malloc_debug.so.0"
"""The library of glibc that aborts if memory was written out of bounds when it is freed."""
_LINES = 30


class Watch:
    """A process that calls operators, each of which may crash it. ``sanitized``: its environment,
    if the kernels are built with AddressSanitizer; None for checks by glibc only. ``terminal``: the
    file descriptor to which it writes the drawn call that crashed this process. ``imported_first``:
    modules that it imports while this process does.
    """

    def __init__(
        self,
        terminal: int,
        sanitized: dict[str, str] | None = None,
        imported_first: Sequence[str] = (),
    ) -> None:
        self._terminal = terminal
        self._imported_first = imported_first
        self._environment = sanitized or {
            "LD_PRELOAD": _CHECKED_MALLOC,
            "GLIBC_TUNABLES": "glibc.malloc.check=3",
        }
        self._is_sanitized = sanitized is not None
        self._crashes: dict[type, str] = {}
        self._process = self._started()

    def crash_of(self, tests: type, path: Path) -> str:
        """Return how the calls of an operator crashed the process, or "" if they did not."""
        if tests not in self._crashes:
            self._crashes[tests] = self._ask(tests, path)
        return self._crashes[tests]

    @contextlib.contextmanager
    def drawing(self, call: str) -> Iterator[None]:
        """Tell the process of a call that may crash this one."""
        self._process.send(json.dumps({"call": call}))
        try:
            yield
        finally:
            self._process.send(json.dumps({"call": ""}))

    def close(self) -> None:
        """End the process."""
        self._process.close()

    def _started(self) -> PythonProcess:
        """Start a process that makes the first calls."""
        arguments = [
            "-W",
            "ignore",
            "-m",
            "onnxop_runtime.testing.first_calls",
            str(self._terminal),
            *self._imported_first,
        ]
        return PythonProcess(*arguments, environment=self._environment, keep=[self._terminal])

    def _ask(self, tests: Any, path: Path) -> str:
        """Have the process make the first call of each test; return its crash, or ""."""
        self._process.send(json.dumps([str(path), tests.__qualname__]))
        call = ""
        try:
            while line := self._process.receive():
                call = line
        except ProcessDied as death:
            crash = self._crash(tests, call, death)
            self._process.close()
            self._process = self._started()
            return crash
        return ""

    def _crash(self, tests: Any, call: str, death: ProcessDied) -> str:
        """Return which call crashed the process, and how."""
        if not call:  # it crashed before any call; the tests report the reason
            return ""
        if self._is_sanitized:
            report = _report(self._process.errors())
            return f"{tests.operator}: {call} crashes the process\n{report}"
        return (
            f"{tests.operator}: {call} crashes: {death}. The kernel "
            "reads or writes outside of its tensors; run pytest --sanitize to find the line"
        )


def _report(lines: Sequence[str]) -> str:
    """Return AddressSanitizer's report down to the frame of the kernel."""
    begin = next((index for index, line in enumerate(lines) if "AddressSanitizer" in line), 0)
    report = lines[begin : begin + _LINES]
    end = next((index for index, line in enumerate(report, 1) if "csrc/" in line), len(report))
    return "\n".join(report[:end])
