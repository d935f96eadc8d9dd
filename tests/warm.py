"""Python processes that need not import PyTorch, or other modules: they fork from one that has.

These imports take longer than most code that tests run in their own process.
The process that they fork from also runs this file.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import signal
import subprocess
import sys
import tempfile
import traceback
import types
import warnings
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from tests.conftest import Environment


@dataclass(frozen=True)
class Warm:
    """Runs what `Environment` runs, in a fork of one process of that environment."""

    process: subprocess.Popen[str]

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
            assert self.process.stdin is not None and self.process.stdout is not None
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()
            status = self.process.stdout.readline()
            assert status, "the process to fork from has ended"
            output = log.read().decode(errors="replace")
        return subprocess.CompletedProcess(command, int(status), output)

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
    command = [str(environment.folder / "bin" / "python"), __file__, code]
    env = {**os.environ, **variables}
    with subprocess.Popen(command, stdin=PIPE, stdout=PIPE, env=env, text=True) as process:
        yield Warm(process)


def serve() -> None:
    """Fork for each line of the input, and answer with the exit status."""
    answer = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    threads = 0
    if code := sys.argv[1]:
        exec(code, {})  # noqa: S102 - the tests' own
    else:
        threads = warm_up()
    for finalizer in [*weakref.finalize._registry]:  # type: ignore[attr-defined]
        finalizer.atexit = False  # the forks need not undo what this process registered
    gc.collect()
    gc.freeze()  # each fork collects its own objects
    for line in sys.stdin:
        child = os.fork()
        if not child:
            work(threads, **json.loads(line))
        _, status = os.waitpid(child, 0)
        answer.write(f"{os.waitstatus_to_exitcode(status)}\n")
        answer.flush()


def warm_up() -> int:
    """Import what the tests and both exporters need. Return the number of threads for a fork: this
    process has only one, because a fork keeps no threads.
    """
    import onnx.reference  # noqa: F401
    import onnxruntime  # type: ignore[import-untyped] # noqa: F401
    import pytest  # noqa: F401
    import torch
    import torch._dynamo

    import onnxop.scan.packaged
    import onnxop.starter.starter  # noqa: F401
    from onnxop.check import torch_process
    from onnxop.schema import registry
    from onnxop_runtime.torch_internals import keep_tables_of_exporter

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    keep_tables_of_exporter()
    # Forks of this process answer the questions that the command line asks PyTorch in other processes.
    modules: list[Any] = [registry, torch_process]
    for module in modules:
        module.subprocess = types.SimpleNamespace(
            **{**vars(subprocess), "run": run_fork, "Popen": Fork}
        )
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for dynamo in (True, False):
            torch.onnx.export(
                torch.nn.Identity().eval(),
                (torch.ones(2),),
                str(Path(folder, "model.onnx")),
                dynamo=dynamo,
                verbose=False,
            )
    return threads


def fork(command: Sequence[str | Path], *streams: int) -> int:
    """Start ``python -P FILE`` or ``python -P -c CODE`` as a fork of this process with these streams."""
    if child := os.fork():
        return child
    status = 1
    try:
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, 256)
        import torch

        torch.set_num_threads(1)  # a fork has none of the earlier threads
        sys.stdin, sys.stdout, sys.stderr = os.fdopen(0), os.fdopen(1, "w"), os.fdopen(2, "w")
        first, *rest = map(str, command[2:])
        sys.argv, sys.path[:1] = [first, *(rest[1:] if first == "-c" else rest)], []
        if first == "-c":
            exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102
        else:
            runpy.run_path(first, run_name="__main__")
        status = 0
    except BaseException:  # noqa: BLE001 - ends as Python does
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def run_fork(command: Sequence[str | Path], **_: object) -> subprocess.CompletedProcess[bytes]:
    """Run a command as ``subprocess.run(command, capture_output=True)`` does, in a fork."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        child = fork(command, os.open(os.devnull, os.O_RDONLY), out.fileno(), errors.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        out.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(command, status, out.read(), errors.read())


class Fork:
    """Starts a command as ``subprocess.Popen`` with pipes does, in a fork."""

    def __init__(self, command: Sequence[str | Path], **_: object) -> None:
        commands, write = os.pipe()
        read, answers = os.pipe()
        self._child = fork(command, commands, answers, os.open(os.devnull, os.O_WRONLY))
        os.close(commands)
        os.close(answers)
        self.stdin, self.stdout = os.fdopen(write, "wb"), os.fdopen(read, "rb")

    def kill(self) -> None:
        os.kill(self._child, signal.SIGKILL)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stdin.close()
        self.stdout.close()
        os.waitpid(self._child, 0)


def work(threads: int, arguments: list[str], cwd: str, variables: dict[str, str], log: str) -> None:
    """Run ``python *arguments`` in the child; write its output to the log."""
    status: Any = 1
    try:
        if threads:
            import torch

            torch.set_num_threads(threads)
        file = os.open(log, os.O_WRONLY | os.O_APPEND)
        for stream in (1, 2):
            os.dup2(file, stream)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.environ.update(variables)
        os.chdir(cwd)
        sys.path[0] = cwd
        sys.path[1:1] = filter(None, variables.get("PYTHONPATH", "").split(os.pathsep))
        run(arguments)
        status = 0
    except SystemExit as error:
        status = error.code
        if isinstance(status, str):
            print(status, file=sys.stderr)
    except BaseException:  # noqa: BLE001 - ends as Python does
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status if isinstance(status, int) else int(status is not None))


def run(arguments: list[str]) -> None:
    while arguments[0] == "-W":
        warnings.simplefilter(arguments[1])  # type: ignore[arg-type]
        arguments = arguments[2:]
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    sys.argv = arguments
    match arguments:
        case ["-c", code, *_]:
            sys.argv = ["-c", *arguments[2:]]
            exec(compile(code, "<string>", "exec"), main.__dict__)  # noqa: S102 - as python -c does
        case ["-m", module, *_]:
            sys.argv = arguments[1:]
            runpy.run_module(module, run_name="__main__", alter_sys=True)
        case [path, *_]:
            sys.path[0] = str(Path(path).parent)
            runpy.run_path(path, run_name="__main__")


if __name__ == "__main__":
    serve()
