"""A package of C++ installs as anything else does; what is built is small and links nothing of PyTorch."""

from __future__ import annotations

import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.packages.conftest import ROOT, Build
from tests.regenerate import generate

SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
COMPOSED = ROOT / "tests" / "specs" / "quick_gelu.toml"
SYSTEM = re.compile(r"(libstdc\+\+|libgcc_s|libc|libm|libmvec|libdl|ld-linux-[-\w]+)\.so\.\d+")
BY_ITSELF = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("_kernel", sys.argv[1])
try:
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
except ImportError as error:
    print(error)
"""


@pytest.fixture
def libraries(build: Build, environment: Environment) -> list[Path]:
    """Those of my_add: for PyTorch and Python, and for ONNX Runtime."""
    build(SPEC)
    return sorted(environment.folder.glob("lib/*/site-packages/my_add/*.so"))


def test_libraries_link_the_system_alone(libraries: list[Path]) -> None:
    assert len(libraries) == 2
    for library in libraries:
        told = output("readelf", "--wide", "--dynamic", "--sections", library)
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", told)
        assert needed
        assert all(SYSTEM.fullmatch(name) for name in needed), needed
        assert "RUNPATH" not in told
        assert ".symtab" not in told  # which is for debuggers, and half of the file


def test_a_kernel_without_pytorch_says_so(libraries: list[Path]) -> None:
    (kernel,) = (library for library in libraries if library.name.startswith("_kernel"))
    assert output(sys.executable, "-S", "-c", BY_ITSELF, kernel) == (
        "PyTorch is not loaded: import torch first\n"
    )


@pytest.mark.everything
def test_builds_where_there_is_no_pytorch(tmp_path: Path) -> None:
    """As pip does by default, in an environment that has nothing."""
    generate(SPEC, tmp_path / "package")
    venv.create(tmp_path / "bare", with_pip=True)
    python = tmp_path / "bare" / "bin" / "python"
    output(python, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", tmp_path, tmp_path / "package")
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size < 1_000_000


@pytest.mark.everything
@pytest.mark.parametrize("spec", [SPEC, COMPOSED], ids=["compiled", "composed"])
def test_old_setuptools_are_told(tmp_path: Path, spec: Path) -> None:
    generate(spec, tmp_path / "package")
    command = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    output(sys.executable, *command, "--target", tmp_path / "old", "setuptools==65.5.0")
    done = subprocess.run(
        [sys.executable, "setup.py", "--version"],
        cwd=tmp_path / "package",
        env={"PYTHONPATH": str(tmp_path / "old")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    (told,) = done.stderr.splitlines()
    assert told.startswith("setuptools 65.5.0 is older than 77; run pip install")


def output(*command: str | Path) -> str:
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return done.stdout
