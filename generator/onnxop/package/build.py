"""Build of a package: installs it into the current environment, and runs its tests."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path

from onnxop_runtime.installer import has_pip, missing_headers

from ..errors import BuildError


def namesake(package: str, ops: Sequence[str]) -> str | None:
    """Return the unrelated distribution of the package's name that pip would replace, or None."""
    try:
        distribution = metadata.distribution(package.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return None
    operators = {entry.name for entry in distribution.entry_points if entry.group == "onnxop.ops"}
    has_these = bool(operators & {op.replace("::", ".") for op in ops})
    return None if has_these else f"{distribution.name} {distribution.version}"


def install(package: Path) -> None:
    """Build and install the package without downloading anything. Raise `BuildError` with the
    compilers' errors, or else the end of pip's output, and the log file's path.
    """
    command = [*installer(), "--no-build-isolation", "--no-deps", str(package.resolve())]
    process = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if not process.returncode:
        return
    output = process.stdout.decode(errors="replace").strip()
    with tempfile.NamedTemporaryFile(prefix="onnxop-build-", suffix=".log", delete=False) as log:
        log.write(output.encode())
    lines = output.splitlines()
    shown = "\n".join(compiler_errors(lines, package) or lines[-60:])
    raise BuildError(f"{shown}\n\n{package}: does not build; pip's whole output is in {log.name}")


def installer() -> list[str]:
    """Return the command that installs into this environment, and replaces what is there."""
    if has_pip():
        options = ["--force-reinstall", "--disable-pip-version-check"]
        return [sys.executable, "-m", "pip", "install", *options]
    if uv := shutil.which("uv"):
        return [uv, "pip", "install", "--python", sys.executable, "--reinstall", "--no-cache"]
    raise BuildError(f"{sys.executable}: has neither pip nor uv; run python -m ensurepip")


def check_can_build(*, has_kernels: bool = True) -> None:
    """Raise `BuildError` if this environment has no installer, or, for kernels, no C++ compiler or
    no headers of Python.
    """
    installer()
    if not has_kernels:
        return
    compiler = os.environ.get("CXX", "").split() or ["c++"]
    names = dict.fromkeys([compiler[-1], "c++", "g++", "clang++"])
    if not any(shutil.which(name) for name in names):
        raise BuildError(
            f"no C++ compiler is found ({', '.join(names)}); install g++ or clang++, or name one "
            "in CXX"
        )
    if message := missing_headers():
        raise BuildError(message)


def compiler_errors(output: Sequence[str], package: Path) -> list[str]:
    """Return the compiler's first three errors, each with the source line that it shows."""
    errors: dict[str, list[str]] = {}
    for at, line in enumerate(output):
        if error := re.match(r"\s*(?:csrc/\.\./)?([^\s:]+)(:\d+:\d+: (?:fatal )?error: .*)", line):
            file = package / error[1]
            first = f"{file if file.exists() else error[1]}{error[2]}"
            errors.setdefault(first, [first, *output[at + 1 : at + 3]])
    return [line for lines in list(errors.values())[:3] for line in lines]


def test(package: Path, *, up_to_first_failure: bool = False) -> None:
    """Run the package's tests, and show their output. Raise `BuildError` if one fails."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    if up_to_first_failure:
        command += ["--exitfirst", "--tb=line"]
    if subprocess.run(command, cwd=package, check=False).returncode:
        raise BuildError(f"{package}: its tests fail; their output is above")
