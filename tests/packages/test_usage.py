"""Tests of a package's tests: an operator is used as models use it, and each argument has an
effect.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.test_packages import PYTEST
from tests.warm import Warm

pytestmark = pytest.mark.nightly

SPECS = Path(__file__).parent / "usage"
FORMS = [
    f"{exporter}-{domain}"
    for domain in ("standard nodes", "usage")
    for exporter in ("dynamo", "TorchScript")
]


def made(name: str, folder: Path, warm: Warm) -> Path:
    """Return the package of a spec, which needs no build."""
    package = folder / name
    warm.checked("-m", "onnxop", "new", SPECS / f"{name}.toml", package, cwd=folder)
    return package


def output_of(package: Path, warm: Warm, chosen: str) -> str:
    arguments = [*PYTEST, "-k", chosen, "-rA"]
    return warm.run(*arguments, cwd=package, PYTHONPATH=str(package / "src")).stdout


def test_an_argument_that_all_forget(tmp_path: Path, warm: Warm) -> None:
    package = made("forgets", tmp_path, warm)
    output = output_of(package, warm, "have_effects or roundtrip")
    assert "usage::forgets: no result and no gradient changes with scale; compute with it" in output
    assert "1 failed" in output
    tests = package / "tests" / "test_forgets.py"
    remedy = 'without_effect = ["scale"]'
    assert remedy in output
    text = tests.read_text("utf-8")
    tests.write_text(
        text.replace("    operator = OP\n", f"    operator = OP\n    {remedy}\n"), "utf-8"
    )
    assert "1 passed" in output_of(package, warm, "have_effects")
    tests.write_text(
        text.replace("    operator = OP\n", '    operator = OP\n    without_effect = ["size"]\n')
    )
    assert "usage::forgets has no argument size" in output_of(package, warm, "have_effects")


def test_an_argument_that_the_mapping_forgets(tmp_path: Path, warm: Warm) -> None:
    package = made("half_forgets", tmp_path, warm)
    assert "failed" not in output_of(package, warm, "have_effects or roundtrip")
    output = output_of(package, warm, "uses_in")
    for form in FORMS:
        assert f"usage::half_forgets, {form}:\n  scale=1.5: ONNX Runtime: output 0: " in output
    assert "w as a Parameter" not in output


def test_weights_that_are_folded(tmp_path: Path, warm: Warm) -> None:
    package = made("squeezes", tmp_path, warm)
    assert "4 passed" in output_of(package, warm, "uses_in")
