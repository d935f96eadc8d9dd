"""The first calls of compiled kernels, in a process that they may end: what starts it, and asks it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_CHECKED_MALLOC = "libc_malloc_debug.so.0"
"""glibc's, which ends the process where something was written beside a piece of memory that is freed."""
_LINES = 30


class Watch:
    """A process that calls operators, of which each may end it.

    Args:
        sanitized: the environment of a process whose kernels AddressSanitizer watches; None where they are
            watched by glibc alone.
    """

    def __init__(self, sanitized: dict[str, str] | None = None) -> None:
        self._environment = sanitized or {
            "LD_PRELOAD": _CHECKED_MALLOC,
            "GLIBC_TUNABLES": "glibc.malloc.check=3",
        }
        self._is_sanitized = sanitized is not None
        self._found: dict[type, str] = {}
        self._start()

    def crash_of(self, tests: type, path: Path) -> str:
        """Return what ended the process during the calls of an operator; empty where nothing did."""
        if tests not in self._found:
            self._found[tests] = self._ask(tests, path)
        return self._found[tests]

    def close(self) -> None:
        """End the process."""
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                stream.close()  # type: ignore[union-attr]
        self._process.wait()
        self._errors.close()

    def _start(self) -> None:
        """Import PyTorch there, while this process does."""
        self._errors = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115
        self._process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "onnxop_runtime.testing.first_calls"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**os.environ, **self._environment},
            text=True,
        )

    def _ask(self, tests: Any, path: Path) -> str:
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None
        call = ""
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps([str(path), tests.__qualname__]), file=stdin, flush=True)
            while line := stdout.readline():
                if not line.strip():
                    return ""
                call = line.strip()
        status = self._process.wait()
        self._errors.seek(0)
        lines = [line for line in self._errors.read().splitlines() if line.strip()]
        self.close()
        self._start()
        if not call:  # It ended before any call; the tests meet the reason, too.
            return ""
        if self._is_sanitized:
            return f"{tests.operator}: {call} ends the process\n{_report(lines)}"
        said = [line.strip() for line in lines if not line.startswith("ERROR: ld.so")]
        how = signal.strsignal(-status) if status < 0 else f"exit status {status}"
        return (
            f"{tests.operator}: {call} ends the process ({': '.join([str(how), *said[-1:]])}). The kernel "
            "reads or writes outside of its tensors: pytest --sanitize says in which line"
        )


def _report(lines: Sequence[str]) -> str:
    """What AddressSanitizer says, down to the frame of the kernel: those below are the runtime's."""
    begin = next((place for place, line in enumerate(lines) if "AddressSanitizer" in line), 0)
    found = [line.strip() for line in lines[begin : begin + _LINES]]
    end = next((place for place, line in enumerate(found, 1) if "csrc/" in line), len(found))
    return "\n".join(found[:end])
