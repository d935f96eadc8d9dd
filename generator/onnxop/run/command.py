"""A command line → what runs it: a script or module in this Python, or another program."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
import sysconfig
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import OnnxopError


@dataclass(frozen=True)
class Command:
    """A command: its arguments, as the program sees them, where it finds its modules, and how it
    runs.
    """

    arguments: tuple[str, ...]
    path: str
    run: Callable[[], object]

    @property
    def name(self) -> str:
        return Path(self.arguments[0]).name


def parse(arguments: Sequence[str], module: Sequence[str] = ()) -> Command:
    """Return a command: a module with its arguments, the path of a script, the name of a console
    script or of another program.

    Raises:
        OnnxopError: there is no such command, or it belongs to another Python.
    """
    if module:
        return _module(module)
    name, *_ = arguments
    file = _file_of_command(name)
    if file is None:
        raise OnnxopError(
            f"{name}: there is no such command; write the name of a program, the path of a script, "
            "or -m MODULE"
        )
    is_program = file.is_file() and os.access(file, os.X_OK)
    if not is_program or file.suffix in (".py", ".pyz", ".pyc") or _is_python_script(file):
        return _script(file, arguments)
    return Command(tuple(arguments), os.getcwd(), lambda: sys.exit(_status(arguments)))


def _module(arguments: Sequence[str]) -> Command:
    name = arguments[0]
    run = lambda: runpy.run_module(name, run_name="__main__", alter_sys=True)
    return Command((name, *arguments[1:]), os.getcwd(), run)


def _script(file: Path, arguments: Sequence[str]) -> Command:
    folder = file if file.is_dir() else file.resolve().parent
    run = lambda: runpy.run_path(str(file), run_name="__main__")
    return Command((str(file), *arguments[1:]), str(folder), run)


def _status(arguments: Sequence[str]) -> int:
    """Run another program, and return its exit status as a shell does."""
    status = subprocess.run([*arguments], check=False).returncode
    return 128 - status if status < 0 else status


def _file_of_command(name: str) -> Path | None:
    """Return the file of a command: a path, this Python's console script, or a program on PATH."""
    if os.sep in name or name.endswith((".py", ".pyz")):
        return Path(name) if Path(name).exists() else None
    scripts = sysconfig.get_path("scripts")
    on_path = shutil.which(
        name, path=os.pathsep.join([scripts, os.environ.get("PATH", os.defpath)])
    )
    if on_path is not None:
        return Path(on_path)
    return Path(name) if Path(name).exists() else None


def _is_python_script(file: Path) -> bool:
    """Return whether this Python can run a file. Raise OnnxopError if it belongs to another
    Python.
    """
    with file.open("rb") as stream:
        start = stream.read(1024)
    if not start.startswith(b"#!"):
        return False
    lines = start.decode(errors="replace").splitlines()
    interpreter = lines[0][2:].split()
    # If the path is long, pip and uv write it into the second line.
    if len(lines) > 1 and lines[1].startswith("'''exec'"):
        interpreter = lines[1].removeprefix("'''exec'").replace('"', " ").replace("'", " ").split()
    program = next((word for word in interpreter if not word.endswith("/env") and word != "-S"), "")
    if not Path(program).name.startswith("python"):
        return False
    if os.sep in program and not _is_this_python(Path(program)):
        raise OnnxopError(
            f"{file}: belongs to {program}, not to {sys.executable}, in which onnxop runs it; "
            "install onnxop and the packages of your rules there, and run onnxop of that "
            "environment"
        )
    return True


def _is_this_python(program: Path) -> bool:
    """Return whether a Python is of the environment of this one: a virtual environment is its
    folder.
    """
    if program.parent.resolve() == Path(sys.executable).parent.resolve():
        return True
    is_base = sys.prefix == sys.base_prefix
    return is_base and program.resolve() == Path(sys.executable).resolve()


def run(command: Command, environment: Mapping[str, str]) -> int:
    """Run a command in this process, and return its exit status. Processes that it starts get the
    environment's variables.
    """
    with _as_main(command, environment):
        try:
            command.run()
        except SystemExit as error:
            return _exit_status(error)
        except KeyboardInterrupt:
            return 130
        except BaseException as error:  # noqa: BLE001 - the command's own
            _print_traceback(error)
            return 1
        finally:
            sys.stdout.flush()
    return 0


@contextmanager
def _as_main(command: Command, environment: Mapping[str, str]) -> Iterator[None]:
    """Let this process be the command's: its arguments, its folder of modules, and its
    environment.
    """
    arguments, path, former = sys.argv, sys.path[:], dict(os.environ)
    sys.argv = [*command.arguments]
    sys.path[:] = [command.path, *_without_own(path)]
    os.environ.update(environment)
    try:
        yield
    finally:
        sys.argv, sys.path[:] = arguments, path
        os.environ.clear()
        os.environ.update(former)


def _without_own(path: Sequence[str]) -> list[str]:
    """Return the path without the folder of onnxop's own console script."""
    scripts = os.path.dirname(os.path.abspath(sys.argv[0]))
    return [folder for folder in path if folder not in ("", scripts)]


def _exit_status(error: SystemExit) -> int:
    """Return the status of an exit, as Python does: a text is printed."""
    if error.code is None or isinstance(error.code, int):
        return error.code or 0
    print(error.code, file=sys.stderr)
    return 1


def _print_traceback(error: BaseException) -> None:
    """Print the traceback of the command's own frames, as Python does."""
    files_of_run = {__file__, runpy.__file__, "<frozen runpy>"}
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename in files_of_run:
        frames = frames.tb_next
    traceback.print_exception(error.with_traceback(frames))
