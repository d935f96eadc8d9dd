"""onnxop and onnxop-runtime: one version, and the parts of the runtime that work without
dependencies.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import onnxop
import onnxop_runtime
from onnxop_runtime.installer import pip_install

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "runtime"
ASINH = ROOT / "reference_ops" / "asinh" / "ops" / "asinh.toml"


def macro() -> str:
    """Return the template that names the runtime version that packages require."""
    return (ROOT / "templates" / "macros" / "runtime.jinja").read_text(encoding="utf-8")


def test_one_version() -> None:
    assert onnxop.__version__ == onnxop_runtime.__version__
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert f"onnxop-runtime=={onnxop.__version__}" in project["dependencies"]


@pytest.mark.slow
def test_the_processes_of_pytest_write_bytecode() -> None:
    """Check it where PYTHONDONTWRITEBYTECODE is set, too: each would compile all tests and PyTorch
    again.
    """
    code = "import sys, tests.conftest; print(sys.dont_write_bytecode)"
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == "False\n"


@pytest.mark.parametrize("folder", [ROOT, RUNTIME])
def test_both_are_for_the_pythons_that_packages_have_wheels_for(folder: Path) -> None:
    template = (ROOT / "templates" / "pyproject.toml.jinja").read_text(encoding="utf-8")
    of_wheels = [f"{major}.{minor}" for major, minor in re.findall(r'"cp(3)(\d+)-\*"', template)]
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    language = "Programming Language :: Python :: 3."
    classified = [text for text in project["classifiers"] if text.startswith(language)]
    assert [text.rpartition(" ")[2] for text in classified] == of_wheels
    assert project["requires-python"] == f">={of_wheels[0]}"


def test_packages_are_made_for_this_runtime() -> None:
    (text,) = re.findall(r'requirement = "(.*)"', macro())
    assert Requirement(text).specifier.contains(onnxop_runtime.__version__, prereleases=True)
    assert re.findall(r"api = (\d+)", macro()) == [str(onnxop_runtime.API)]


@pytest.mark.parametrize(
    ("missing", "code", "message"),
    [
        ("torch", "onnxop_runtime.Package", "onnxop_runtime.Package needs torch, which is not"),
        ("onnx", "onnxop_runtime.export", "onnxop_runtime.export needs onnx, which is not"),
    ],
)
def test_what_is_missing_is_named(missing: str, code: str, message: str) -> None:
    hidden = f"import sys; sys.modules[{missing!r}] = None; import onnxop_runtime; {code}"
    result = subprocess.run(
        [sys.executable, "-c", hidden], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    last = result.stderr.splitlines()[-1]
    assert last.startswith(f"ModuleNotFoundError: {message}")
    assert last.endswith(f"run {pip_install()} {missing}")


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    ("missing", "code", "message"),
    [
        ("onnxscript", "export(torch.nn.ReLU(), (torch.ones(1),))", "export needs onnxscript,"),
        (
            "pytest",
            "testing.ElementwiseTests",
            "onnxop_runtime.testing.ElementwiseTests needs pytest,",
        ),
        ("onnxruntime", "verify(torch.nn.ReLU(), (torch.ones(1),))", "verify needs onnxruntime,"),
    ],
)
def test_what_a_call_misses_is_named(missing: str, code: str, message: str) -> None:
    hidden = f"import sys; sys.modules[{missing!r}] = None; import torch, onnxop_runtime as it, onnxop_runtime.testing; it.{code}"
    result = subprocess.run(
        [sys.executable, "-c", hidden], capture_output=True, text=True, check=False
    )
    assert f"Error: {message}" in result.stderr.splitlines()[-1], result.stderr


@pytest.mark.nightly
@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [["inspect", "aten::asinh"], ["check", str(ASINH)]], ids=lambda command: command[0]
)
def test_a_command_names_every_distribution_of_onnxruntime(command: list[str]) -> None:
    hidden = "import sys; sys.modules['onnxruntime'] = None; from onnxop.cli import main; sys.exit(main(sys.argv[1:]))"
    result = subprocess.run(
        [sys.executable, "-c", hidden, *command], capture_output=True, text=True, check=False
    )
    assert result.returncode == 1
    assert "onnxruntime, which is not installed; run" in result.stderr
    assert "onnxruntime, onnxruntime-gpu and onnxruntime-openvino" in result.stderr


@pytest.mark.parametrize("option", ["--folder", "--includes", "--cmakedir", "--library"])
def test_where_the_runtime_is(option: str) -> None:
    """Check that it needs the standard library only."""
    result = subprocess.run(
        [sys.executable, "-S", "-m", "onnxop_runtime", option],
        env={**os.environ, "PYTHONPATH": str(RUNTIME)},
        capture_output=True,
        text=True,
        check=True,
    )
    paths = [re.sub(r"^(-I|@|-Wl,--version-script=)", "", path) for path in result.stdout.split()]
    assert paths
    assert all(Path(path).exists() for path in paths), paths
