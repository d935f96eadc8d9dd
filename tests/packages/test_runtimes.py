"""The libraries built here, in other releases of ONNX Runtime."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from tests.conftest import Shared
from tests.packages.conftest import Build
from tests.programs import PATH, program
from tests.tools import runtime_ops
from tests.warm import Warm

pytestmark = pytest.mark.everything

SPECS = Path(__file__).resolve().parents[1] / "specs"

# The first supported release, two between, and the newest.
RELEASES = ["==1.17.0", "==1.20.0", "==1.24.1", ""]
TOO_OLD = "==1.16.3"
NEEDS_OLD_NUMPY = {"==1.16.3", "==1.17.0"}

# Models that ONNX Runtime 1.17 reads, PyTorch's values, and the libraries. Each model is in the
# package's domain and in another, as exported and with wrong functions, which only a session
# without the kernel runs.
EXPORT = program("runtimes/export")

# Nodes with two outputs that omit either.
ABSENT = program("runtimes/absent")

# Prints only what ran on stdout.
RUN = program("runtimes/run")

# Models that lack a kernel, a dtype of it, an opset or an IR version in earlier releases.
SHIPPED = program("runtimes/shipped")
FIRST = {  # with libraries, if any, and without
    "relu": [17],
    "later": [21],
    "format": [18],
    "cos": [29],
    "native": [17, 17],
    "alone": [17],
    "deform": [25],
    "bent": [17, 25],
}

# Which of the folders' models load, following their READMEs, and without libraries.
LOAD = program("runtimes/load")

REFUSED = program("runtimes/refused")


def run(*command: str | Path, python_path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        env={**os.environ, "PYTHONPATH": str(python_path)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="session")
def cases(packages: Warm, build: Build, shared: Shared) -> Path:
    """Return a folder with models, values and the libraries' paths."""
    return shared.once("models", partial(export, packages, build))


def export(packages: Warm, build: Build, folder: Path) -> None:
    folder.mkdir()
    packages.checked("-W", "ignore", "-c", EXPORT, folder, cwd=folder, PYTHONPATH=PATH)
    build(SPECS / "max_last.toml")
    packages.checked("-c", ABSENT, folder, cwd=folder)


def installed(release: str, folder: Path) -> Path:
    """Return a folder with the release and a NumPy that it supports."""
    wanted = [f"onnxruntime{release}", *(["numpy<2"] if release in NEEDS_OLD_NUMPY else [])]
    pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--no-deps", "--only-binary", ":all:", "--target", str(folder)]
    result = run(*pip, *options, *wanted, python_path=folder)
    if result.returncode and sys.version_info[:2] != (3, 11):
        pytest.skip(f"{' '.join(wanted)} does not install on this Python: {result.stderr}")
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release[2:] or "newest")
def test_one_library_serves(cases: Path, tmp_path: Path, release: str) -> None:
    result = run("-c", RUN, cases, python_path=installed(release, tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    version, _, count = result.stdout.splitlines()[-1].partition(" ")
    assert version.startswith(release[2:])
    assert count == "8"


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release[2:] or "newest")
def test_the_table_of_ops(tmp_path: Path, release: str) -> None:
    """Check the table of ops and dtypes against each release."""
    version, runs = runtime_ops.tried(installed(release, tmp_path / "runtime"), tmp_path)
    minor = int(version.split(".")[1])
    ops = json.loads(runtime_ops.TABLE.read_text(encoding="utf-8"))["ops"]
    known = {f"{op} {key}": since for op, keys in ops.items() for key, since in keys.items()}
    assert known.keys() <= runs.keys()
    wrong = [key for key, since in known.items() if bool(runs[key]) != ((since or 999) <= minor)]
    assert wrong == []


@pytest.fixture(scope="session")
def deployed(packages: Warm, shared: Shared) -> Path:
    """Return a folder with the outputs of ``onnxop ship``."""
    return shared.once("deployed", partial(deploy, packages))


def deploy(packages: Warm, folder: Path) -> None:
    made = folder / "made"
    made.mkdir(parents=True)
    packages.checked("-W", "ignore", "-c", SHIPPED, cwd=folder, PYTHONPATH=PATH)
    for name in FIRST:
        packages.checked("-m", "onnxop", "ship", f"{name}.onnx", made / name, cwd=folder)


def test_what_ship_says(deployed: Path) -> None:
    for name, first in FIRST.items():
        readme = (deployed / "made" / name / "README.md").read_text(encoding="utf-8")
        assert [int(n) for n in re.findall(r"1\.(\d+) and later", readme)] == first, readme


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: release[2:] or "newest")
def test_what_ship_says_of_a_release(deployed: Path, tmp_path: Path, release: str) -> None:
    """Check that models run since the release that the README names, and in none before."""
    result = run("-c", LOAD, deployed / "made", python_path=installed(release, tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    version, loaded = json.loads(result.stdout.splitlines()[-1])
    minor = int(version.split(".")[1])
    for name, first in FIRST.items():
        without = first[-1] if name != "alone" else 999
        assert loaded[name] == [first[0] <= minor, without <= minor], name


def test_an_older_one_is_refused(cases: Path, tmp_path: Path) -> None:
    result = run("-c", REFUSED, cases, python_path=installed(TOO_OLD, tmp_path))
    sentence = "needs ONNX Runtime 1.17 or later, but this is 1.16.3"
    assert result.stdout.count(sentence) == 8, result.stdout + result.stderr
