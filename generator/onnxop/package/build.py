"""Package → proof: builds and installs it into the current environment and runs its tests."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib import metadata
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
    """Builds and installs the package; ``progress`` is called each second with the seconds spent.

    Raises:
        BuildError: with the end of pip's output.
    """
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--force-reinstall"]
    command += ["--disable-pip-version-check", str(package.resolve())]
    started = time.monotonic()
    with tempfile.TemporaryFile() as log:
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
            raise
        if code:
            log.seek(0)
            output = log.read().decode(errors="replace").strip().splitlines()
            raise BuildError(
                "\n".join([*output[-60:], "", f"{package}: does not build; pip's output is above"])
            )


def test(package: Path, *, up_to_first_failure: bool = False) -> None:
    """Runs the package's tests, their output going where ours goes.

    Raises:
        BuildError: a test failed.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    command += ["--exitfirst", "--tb=line"] if up_to_first_failure else []
    if subprocess.run(command, cwd=package, check=False).returncode:
        raise BuildError(f"{package}: its tests fail; their output is above")
