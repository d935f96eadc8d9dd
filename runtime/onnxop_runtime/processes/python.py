"""A Python process that answers lines with lines."""

from __future__ import annotations

import os
import runpy
import select
import subprocess
import sys
import tempfile
import time
import types
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from .death import ProcessDied, died, lines_of
from .forks import Fork
from .limits import NO_LIMITS, Limits

_CLOSING = 10  # seconds that a process has to end after its input


class PythonProcess:
    """``python -P *arguments``, which answers lines with lines.

    It is a fork of this process if this one has imported PyTorch, which takes seconds. It is a new
    process if it needs another ``environment`` or another ``python``, or if this process has
    threads that PyTorch needs in a fork, too. ``keep``: file descriptors that it inherits.
    """

    def __init__(
        self,
        *arguments: str,
        python: str = sys.executable,
        environment: Mapping[str, str] | None = None,
        limits: Limits = NO_LIMITS,
        keep: Sequence[int] = (),
    ) -> None:
        self.limits = limits
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed by `close`
        questions, self._questions = os.pipe()
        self._answers, answers = os.pipe()
        self._received = b""
        streams = questions, answers, self._errors.fileno()
        is_same = environment is None and python == sys.executable
        self._process: Fork | subprocess.Popen[bytes]
        if is_same and "torch" in sys.modules and _can_fork():
            self._process = Fork(lambda: _run_in_fork(arguments), streams, keep=keep, limits=limits)
        else:
            self._process = subprocess.Popen(
                [python, "-P", *arguments],
                stdin=questions,
                stdout=answers,
                stderr=self._errors,
                env={**os.environ, **(environment or {})},
                pass_fds=keep,
            )
        os.close(questions)
        os.close(answers)

    def send(self, line: str) -> None:
        """Send a line. If the process has ended, `receive` says so."""
        data = line.encode() + b"\n"
        with suppress(BrokenPipeError):
            while data:
                data = data[os.write(self._questions, data) :]

    def receive(self) -> str:
        """Return the next line, without its end. Raise `ProcessDied`, and end a process that is
        late.
        """
        deadline = time.monotonic() + (self.limits.seconds or 1e9)
        while b"\n" not in self._received:
            remaining = max(deadline - time.monotonic(), 0)
            if not select.select([self._answers], [], [], remaining)[0]:
                self._process.kill()
                raise died(self._process.wait(), self.limits, self._errors, is_late=True)
            part = os.read(self._answers, 1 << 16)
            if not part:
                raise died(self._process.wait(), self.limits, self._errors)
            self._received += part
        line, _, self._received = self._received.partition(b"\n")
        return line.decode(errors="replace")

    def errors(self) -> list[str]:
        """Return the lines that the process has written to stderr, except empty ones."""
        return lines_of(self._errors)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self.close()

    def close(self) -> None:
        """Close the input of the process, and wait for its end."""
        if self._errors.closed:
            return
        os.close(self._questions)
        with suppress(ProcessDied):
            self.limits = Limits(seconds=_CLOSING)
            while True:  # until it ends, which raises ProcessDied
                self.receive()
        os.close(self._answers)
        self._errors.close()


def _can_fork() -> bool:
    """Return whether a fork of this process can compute with PyTorch. It has none of the other
    threads: those of BLAS libraries start again, those of OpenMP and of autograd do not.
    """
    names = _thread_names()
    if len(names) == 1:
        return True
    has_autograd = any(name.startswith("pt_autograd") for name in names)
    return sys.modules["torch"].get_num_threads() == 1 and not has_autograd


def _thread_names() -> list[str]:
    """Return the names of this process's threads, those of C++ counted; one if none can be read."""
    names = list[str]()
    for file in Path("/proc/self/task").glob("*/comm"):
        with suppress(OSError):  # of a thread that has ended meanwhile
            names.append(file.read_text(encoding="utf-8", errors="replace"))
    return names or ["python"]


def _run_in_fork(arguments: Sequence[str]) -> None:
    torch: Any = sys.modules["torch"]
    torch.set_num_threads(1)  # a fork has none of the earlier threads
    sys.path = [folder for folder in sys.path if folder not in ("", os.getcwd())]  # as -P does
    folders = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:0] = [folder for folder in folders if folder not in sys.path]
    run_python(arguments)


def run_python(arguments: Sequence[str]) -> None:
    """Run what ``python *arguments`` runs, with ``-W``, ``-c``, ``-m`` or a file, as
    ``__main__``.
    """
    while arguments[0] == "-W":
        warnings.simplefilter(arguments[1])  # type: ignore[arg-type]
        arguments = arguments[2:]
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    match arguments:
        case ["-c", code, *rest]:
            sys.argv = ["-c", *rest]
            exec(compile(code, "<string>", "exec"), main.__dict__)  # noqa: S102 - as python -c does
        case ["-m", module, *rest]:
            sys.argv = [module, *rest]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [path, *rest]:
            sys.argv = [path, *rest]
            runpy.run_path(path, run_name="__main__")
