"""onnxop installed from its wheel, away from the checkout, does what the checkout does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.golden.test_golden import files, generate

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "reference_ops" / "my_add" / "op.toml"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory, environment: Environment) -> Path:
    """A folder that holds onnxop as pip installs its wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
    command += ["--disable-pip-version-check", "--target", str(folder / "site"), str(ROOT)]
    subprocess.run(command, check=True)
    return folder / "site"


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
