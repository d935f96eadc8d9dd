"""Package → proof: builds and installs it into the current environment and runs its tests."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import metadata, util
from pathlib import Path

from ..errors import BuildError

_INTERVAL = 1.0  # seconds between signs of life


def namesake(package: str, ops: Sequence[str]) -> str | None:
    """What else is installed here under the package's name, so that pip would replace it; None
    where the name is free, or what is installed holds one of these operators.
    """
    try:
        found = metadata.distribution(package.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return None
    held = [entry.name for entry in found.entry_points if entry.group == "onnxop.ops"]
    if {op.replace("::", ".") for op in ops} & set(held):
        return None
    words = ", ".join(name.replace(".", "::", 1) for name in held)
    holds = f", which holds {words}" if held else ""
    return f"{found.name} {found.version}{holds}"


def install(package: Path, progress: Callable[[float], None]) -> None:
    """Builds and installs the package by what is installed here, so that nothing is fetched; ``progress`` is
    called each second with the seconds spent.

    Raises:
        BuildError: with what the compilers say, or else the end of pip's output, and where all of that is;
            or there is no pip.
    """
    command = [*_installer(), "--no-build-isolation", "--no-deps", str(package.resolve())]
    started = time.monotonic()
    with tempfile.NamedTemporaryFile(prefix="onnxop-build-", suffix=".log", delete=False) as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL
        )
        try:
            while True:
                try:
                    code = process.wait(_INTERVAL)
                    break
                except subprocess.TimeoutExpired:
                    progress(time.monotonic() - started)
        except BaseException:
            process.kill()
            process.wait()
            os.unlink(log.name)
            raise
    written = Path(log.name)
    output = written.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    if not code:
        written.unlink()
        return
    compiled = compiler_errors(output, package)
    what = "does not compile" if compiled else "does not build"
    told = compiled or output[-60:]
    raise BuildError(
        "\n".join([*told, "", f"{package}: {what}; all that pip says is in {written}"])
    )


def _installer() -> list[str]:
    """The command that installs into this environment, in place of what is there."""
    if util.find_spec("pip") is not None:
        options = ["--force-reinstall", "--disable-pip-version-check"]
        return [sys.executable, "-m", "pip", "install", *options]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable, "--reinstall", "--no-cache"]
    raise BuildError(f"{sys.executable}: has neither pip nor uv; run python -m ensurepip")


_ERROR = re.compile(r"(?P<indent>\s*)(?P<file>[^\s:]+)(?P<rest>:\d+(:\d+)?: (fatal )?error: .*)")
_MOST_ERRORS = 3


def compiler_errors(output: Sequence[str], package: Path) -> list[str]:
    """The first errors of a compiler's, with its file and line, and what it shows of that."""
    found: dict[str, list[str]] = {}
    for at, line in enumerate(output):
        if error := _ERROR.match(line):
            file = os.path.normpath(package / error["file"])
            first = f"{file if os.path.exists(file) else error['file']}{error['rest']}"
            shown = (each.removeprefix(error["indent"]) for each in output[at + 1 :])
            found.setdefault(first, list(itertools.takewhile(_SHOWN.match, shown)))
    firsts = list(found)[:_MOST_ERRORS]
    return [line for first in firsts for line in (first, *found[first])]


_SHOWN = re.compile(r"\s*\d* \|")


def test(package: Path, *, up_to_first_failure: bool = False) -> None:
    """Runs the package's tests, their output going where ours goes.

    Raises:
        BuildError: a test failed.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    command += ["--exitfirst", "--tb=line"] if up_to_first_failure else []
    if subprocess.run(command, cwd=package, check=False).returncode:
        raise BuildError(f"{package}: its tests fail; their output is above")
