"""Build of a package's kernels with AddressSanitizer, for ``pytest --sanitize``."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def build(package: Path, folder: Path) -> dict[str, str]:
    """Build a package in an empty folder; return the environment of a process that imports it.
    Raise UsageError if the compiler has no AddressSanitizer, or the package does not build.
    """
    preloaded = [_library(name) for name in ("libasan.so", "libstdc++.so")]
    sources, site = folder / "sources", folder / "site"
    ignored = shutil.ignore_patterns("build", ".git", "*.egg-info", ".venv", "__pycache__", "*.so")
    shutil.copytree(package, sources, ignore=ignored)
    command = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps"]
    if all(importlib.util.find_spec(name) for name in ("pybind11", "setuptools")):
        command.append("--no-build-isolation")
    command += ["--target", str(site), str(sources)]
    environment = {**os.environ, "ONNXOP_SANITIZE": "address"}
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if result.returncode:
        output = f"{result.stdout}{result.stderr}"
        raise pytest.UsageError(f"--sanitize: the package does not build\n{output}")
    return {
        "PYTHONPATH": os.pathsep.join([str(site), *os.environ.get("PYTHONPATH", "").split()]),
        # Python is not instrumented: the sanitizer must be preloaded, and Python's leaks ignored.
        "LD_PRELOAD": " ".join(preloaded),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
    }


def _library(name: str) -> str:
    """Return the path of a library of the compiler."""
    compiler = shlex.split(os.environ.get("CXX", "g++"))[-1]
    command = [compiler, f"-print-file-name={name}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    path = result.stdout.strip()
    if not os.path.isabs(path):
        raise pytest.UsageError(
            f"--sanitize needs gcc with AddressSanitizer: {compiler} has no {name}"
        )
    return path
