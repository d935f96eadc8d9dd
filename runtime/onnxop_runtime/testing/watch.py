"""Control of the process that makes the first calls of compiled kernels, which may crash it."""

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
"""The library of glibc that aborts if memory was written out of bounds when it is freed."""
_LINES = 30


class Watch:
    """A process that calls operators, each of which may crash it. ``sanitized``: its environment,
    if the kernels are built with AddressSanitizer; None for checks by glibc only.
    """

    def __init__(self, sanitized: dict[str, str] | None = None) -> None:
        self._environment = sanitized or {
            "LD_PRELOAD": _CHECKED_MALLOC,
            "GLIBC_TUNABLES": "glibc.malloc.check=3",
        }
        self._is_sanitized = sanitized is not None
        self._crashes: dict[type, str] = {}
        self._start()

    def crash_of(self, tests: type, path: Path) -> str:
        """Return how the calls of an operator crashed the process, or "" if they did not."""
        if tests not in self._crashes:
            self._crashes[tests] = self._ask(tests, path)
        return self._crashes[tests]

    def close(self) -> None:
        """End the process."""
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(BrokenPipeError):
                stream.close()  # type: ignore[union-attr]
        self._process.wait()
        self._errors.close()

    def _start(self) -> None:
        """Start the process; it imports PyTorch while this one does."""
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
        if not call:  # it crashed before any call; the tests report the reason
            return ""
        if self._is_sanitized:
            return f"{tests.operator}: {call} crashes the process\n{_report(lines)}"
        output = [line.strip() for line in lines if not line.startswith("ERROR: ld.so")]
        end = signal.strsignal(-status) if status < 0 else f"exit status {status}"
        return (
            f"{tests.operator}: {call} crashes the process ({': '.join([str(end), *output[-1:]])}). The kernel "
            "reads or writes outside of its tensors; run pytest --sanitize to find the line"
        )


def _report(lines: Sequence[str]) -> str:
    """Return AddressSanitizer's report down to the frame of the kernel."""
    begin = next((place for place, line in enumerate(lines) if "AddressSanitizer" in line), 0)
    report = [line.strip() for line in lines[begin : begin + _LINES]]
    end = next((place for place, line in enumerate(report, 1) if "csrc/" in line), len(report))
    return "\n".join(report[:end])
