"""onnxop and its runtime installed from their wheels, away from the checkout, are what the checkout has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.golden.test_golden import files, generate
from tests.update.conftest import commit, edit

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
pytestmark = pytest.mark.everything


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory, environment: Environment) -> Path:
    """A folder that holds onnxop as pip installs its wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--target", str(folder / "site")]
    subprocess.run([*command, str(ROOT / "runtime"), str(ROOT)], check=True)
    return folder / "site"


def test_the_runtime_has_its_files(installed: Path) -> None:
    """Headers, sources and the gallery's specs included, and nothing else."""
    here, there = ROOT / "runtime" / "onnxop_runtime", installed / "onnxop_runtime"
    assert names_of(there) == names_of(here)


def names_of(folder: Path) -> set[str]:
    files = (file for file in folder.rglob("*") if file.is_file() and file.suffix != ".pyc")
    return {str(file.relative_to(folder)) for file in files}


def test_installed_wheel_makes_the_same_package(installed: Path, tmp_path: Path) -> None:
    generate(SPEC, tmp_path / "checkout")
    generate(SPEC, tmp_path / "wheel", PYTHONPATH=str(installed))
    code = "import onnxop; print(onnxop.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.startswith(str(installed))
    assert files(tmp_path / "checkout") == files(tmp_path / "wheel")


def test_installed_wheel_updates_without_a_network(installed: Path, tmp_path: Path) -> None:
    """A package of the checkout, by the wheel: git may reach no other machine."""
    package = tmp_path / "package"
    generate(SPEC, package)
    commit(package)
    edit(package / "ops" / "my_add.toml", "2a + b, element by element.", "Twice a, and b.")
    done = subprocess.run(
        [sys.executable, "-m", "onnxop", "update"],
        cwd=package,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(installed),
            "GIT_ALLOW_PROTOCOL": "file",
            "http_proxy": "http://127.0.0.1:9",
            "https_proxy": "http://127.0.0.1:9",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "ops/my_add.toml has changed" in done.stdout
    assert "Template" not in done.stdout  # the wheel's is the checkout's
    assert "Twice a, and b." in (package / "README.md").read_text(encoding="utf-8")
