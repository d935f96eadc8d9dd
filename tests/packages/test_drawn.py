"""Tests of the drawn calls of a package's tests: faults that no sample meets must be found."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.conftest import Environment, Shared
from tests.warm import Warm

FAULTS = Path(__file__).parent / "faults"
HEADER = (FAULTS / "scaled.h").read_text(encoding="utf-8")
# The kernel has a fault of this name if the variable FAULT says so.
NAMES = sorted({*re.findall(r'is\("([^"]+)"\)', HEADER)} - {"subnormals are 0"})
RETURNED = "return y if bias is None else op.Add(y, bias)"
MAPPINGS = {
    "the mapping clips": f"y = op.Clip(y, -300.0, 300.0)\n    {RETURNED}",
    "the mapping reshapes": f"y = op.Reshape(y, [-1, 4]) if bias is None else y\n    {RETURNED}",
    "the mapping ignores the bias": "return y",
}
DRAWN = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "drawn", "--draws-seed=1"]


@pytest.fixture(scope="module")
def scaled(environment: Environment, shared: Shared, warm: Warm) -> Path:
    """Return the folder of the package whose kernel may have a fault, installed."""

    def make(package: Path) -> None:
        warm.checked("-m", "onnxop", "new", FAULTS / "scaled.toml", package, cwd=shared.folder)
        environment.install(package)

    return shared.once("scaled", make)


@pytest.mark.everything
def test_the_right_kernel_passes(scaled: Path, environment: Environment) -> None:
    result = environment.run(*DRAWN, cwd=scaled)
    assert result.returncode == 0, result.stdout
    assert "drawn calls (--draws-seed=1), against the reference" in result.stdout
    for name in ("float16", "bfloat16", "int64", "empty", "odd", "square", "large", "NaN"):
        assert re.search(rf"faults::scaled, calls: .*\b{name} [1-9]", result.stdout), result.stdout


@pytest.mark.everything
@pytest.mark.parametrize("fault", NAMES)
def test_a_fault_is_found(fault: str, scaled: Path, environment: Environment) -> None:
    result = environment.run(*DRAWN, cwd=scaled, FAULT=fault)
    assert result.returncode != 0, result.stdout


@pytest.mark.everything
@pytest.mark.parametrize("fault", MAPPINGS)
def test_a_fault_of_the_mapping_is_found(
    fault: str, scaled: Path, environment: Environment, tmp_path: Path
) -> None:
    script = "import importlib.util; print(importlib.util.find_spec('scaled').origin)"
    installed = Path(environment.checked("-c", script, cwd=tmp_path).strip()).parent
    shutil.copytree(installed, tmp_path / "scaled")
    module = tmp_path / "scaled" / "_scaled.py"
    before = module.read_text(encoding="utf-8")
    assert before.count(RETURNED) == 1
    module.write_text(before.replace(RETURNED, MAPPINGS[fault]), encoding="utf-8")
    result = environment.run(*DRAWN, cwd=scaled, PYTHONPATH=str(tmp_path))
    assert result.returncode == 1, result.stdout
    assert "ONNX Runtime: the result is" in result.stdout
