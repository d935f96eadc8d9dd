"""Python processes that need not import PyTorch, or other modules: they fork from one that has.

These imports take longer than most code that tests run in their own process. What runs in a fork is
what a user's command runs: ``main()``, of a process that has imported PyTorch before. The process
that they fork from also runs this file.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from onnxop_runtime.processes import Fork, PythonProcess, reserve_stdout, run_python

if TYPE_CHECKING:
    from tests.conftest import Environment

_HUGE_PAGE = 2 << 20
_MADV_COLLAPSE = 25


@dataclass(frozen=True)
class Warm:
    """Runs what `Environment` runs, in a fork of one process of that environment."""

    process: PythonProcess

    def run(
        self, *arguments: str | Path, cwd: Path, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run ``python *arguments``, with ``-W``, ``-c``, ``-m`` or a file."""
        command = [str(argument) for argument in arguments]
        with tempfile.NamedTemporaryFile() as log:
            request = {
                "arguments": command,
                "cwd": str(cwd),
                "variables": {**os.environ, **variables},
                "log": log.name,
            }
            self.process.send(json.dumps(request))
            status = int(self.process.receive())
            output = log.read().decode(errors="replace")
        return subprocess.CompletedProcess(command, status, output)

    def checked(self, *arguments: str | Path, cwd: Path, **variables: str) -> str:
        """Return the output of a run that must succeed."""
        result = self.run(*arguments, cwd=cwd, **variables)
        assert result.returncode == 0, result.stdout
        return result.stdout


@contextmanager
def start(environment: Environment, code: str = "", **variables: str) -> Iterator[Warm]:
    """Start the environment's process, which ends with the context. It imports PyTorch and its
    exporters, or runs the code instead.
    """
    python = str(environment.folder / "bin" / "python")
    process = PythonProcess(__file__, code, python=python, environment=variables)
    try:
        yield Warm(process)
    finally:
        process.close()


def serve() -> None:
    """Fork for each line of the input, and answer with the exit status."""
    answers = reserve_stdout()
    threads = 0
    if code := sys.argv[1]:
        exec(code, {})  # noqa: S102 - the tests' own
    else:
        threads = warm_up()
    gc.collect()
    use_huge_pages()
    for line in sys.stdin:
        print(run_in_fork(threads, **json.loads(line)), file=answers, flush=True)


def warm_up() -> int:
    """Import what the tests and both exporters need. Return the number of threads for a fork: this
    process has only one, because a fork keeps no threads.
    """
    import onnx.reference  # noqa: F401
    import pytest  # noqa: F401
    import torch
    import torch._dynamo

    import onnxop.check.torch_process
    import onnxop.scan.remedies.packaged
    import onnxop.starter.starter  # noqa: F401
    from onnxop.trial import trial

    threads = torch.get_num_threads()
    trial.warm_up_exporters()
    return threads


def use_huge_pages() -> None:
    """Move this process's memory to huge pages, of which a fork copies the page table in a fourth
    of the time. A kernel without `MADV_COLLAPSE` leaves the memory as it is.
    """
    madvise = ctypes.CDLL(None).madvise
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        addresses, permissions, _, _, _, *file = line.split()
        if permissions != "rw-p" or file not in ([], ["[heap]"]):
            continue
        start, end = (int(address, 16) for address in addresses.split("-"))
        start += -start % _HUGE_PAGE
        if end - start >= _HUGE_PAGE:
            size = (end - start) // _HUGE_PAGE * _HUGE_PAGE
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), _MADV_COLLAPSE)


def run_in_fork(
    threads: int, arguments: list[str], cwd: str, variables: dict[str, str], log: str
) -> int:
    """Run ``python *arguments`` in a fork, with its output in the log; return the exit status."""

    def run() -> None:
        if threads:
            import torch

            torch.set_num_threads(threads)
            torch.manual_seed(0)  # a test that fails once fails again
        os.environ.update(variables)
        os.chdir(cwd)
        is_file = not arguments[0].startswith("-")
        sys.path[0] = str(Path(arguments[0]).parent) if is_file else cwd
        sys.path[1:1] = filter(None, variables.get("PYTHONPATH", "").split(os.pathsep))
        run_python(arguments)

    output = os.open(log, os.O_WRONLY | os.O_APPEND)
    null = os.open(os.devnull, os.O_RDONLY)
    fork = Fork(run, (null, output, output), keep=[])
    os.close(output)
    os.close(null)
    return fork.wait()


if __name__ == "__main__":
    serve()
