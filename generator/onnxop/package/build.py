"""Package → proof: builds and installs it into the current environment and runs its tests."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata, util
from pathlib import Path

from ..errors import BuildError


def namesake(package: str, ops: Sequence[str]) -> str | None:
    """What else is installed here under the package's name, so that pip would replace it; None
    where the name is free, or what is installed holds one of these operators.
    """
    try:
        found = metadata.distribution(package.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return None
    held = {entry.name for entry in found.entry_points if entry.group == "onnxop.ops"}
    is_own = bool(held & {op.replace("::", ".") for op in ops})
    return None if is_own else f"{found.name} {found.version}"


def install(package: Path) -> None:
    """Build and install the package by what is installed here, so that nothing is fetched.

    Raises:
        BuildError: with what the compilers say, or else the end of pip's output, and where all of that is;
            or there is no pip.
    """
    command = [*_installer(), "--no-build-isolation", "--no-deps", str(package.resolve())]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if not done.returncode:
        return
    output = done.stdout.decode(errors="replace").strip()
    with tempfile.NamedTemporaryFile(prefix="onnxop-build-", suffix=".log", delete=False) as log:
        log.write(output.encode())
    lines = output.splitlines()
    told = "\n".join(compiler_errors(lines, package) or lines[-60:])
    raise BuildError(f"{told}\n\n{package}: does not build; all that pip says is in {log.name}")


def _installer() -> list[str]:
    """The command that installs into this environment, in place of what is there."""
    if util.find_spec("pip") is not None:
        options = ["--force-reinstall", "--disable-pip-version-check"]
        return [sys.executable, "-m", "pip", "install", *options]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable, "--reinstall", "--no-cache"]
    raise BuildError(f"{sys.executable}: has neither pip nor uv; run python -m ensurepip")


def compiler_errors(output: Sequence[str], package: Path) -> list[str]:
    """The first three errors of a compiler's, with the line that each shows."""
    found: dict[str, list[str]] = {}
    for at, line in enumerate(output):
        if error := re.match(r"\s*(?:csrc/\.\./)?([^\s:]+)(:\d+:\d+: (?:fatal )?error: .*)", line):
            file = package / error[1]
            first = f"{file if file.exists() else error[1]}{error[2]}"
            found.setdefault(first, [first, *output[at + 1 : at + 3]])
    return [line for lines in list(found.values())[:3] for line in lines]


def test(package: Path, *, up_to_first_failure: bool = False) -> None:
    """Run the package's tests, their output going where ours goes.

    Raises:
        BuildError: a test failed.
    """
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    command += ["--exitfirst", "--tb=line"] if up_to_first_failure else []
    if subprocess.run(command, cwd=package, check=False).returncode:
        raise BuildError(f"{package}: its tests fail; their output is above")
