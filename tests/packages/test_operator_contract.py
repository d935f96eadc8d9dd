"""The runtime's promises for every operator, tested on an operator of each kind of kernel."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.packages.conftest import SEVERAL, SPECS, Build, name_of
from tests.programs import program
from tests.warm import Warm

SUITE = Path(__file__).parent / "contract" / "suite.py"
ALONE = {name_of(spec): spec for spec in SPECS if spec not in SEVERAL}
# Packages of one operator, and operators of many_ops.
KINDS = {
    "elementwise": "my_add",
    "elementwise, of PyTorch's own": "asinh",
    "source": "rms_norm",
    "source, with a reference": "squared_distances",
    "source, with lists": "weighted_totals",
    "composed": "dynamic_resize",
    "composed, of several results": "mean_and_spread",
    "source, of PyTorch's own": "aminmax",
    "source, of torchvision's": "deform_conv2d",
    "existing": "topk",
}
# These take long; `poe nightly` has their own tests, of aminmax those of the library, and those of
# models.
RARE = {"deform_conv2d", "asinh", "aminmax", "squared_distances"}


def tier(name: str) -> list[pytest.MarkDecorator]:
    if name in RARE:
        return [pytest.mark.everything]
    return [] if name == "my_add" else [pytest.mark.nightly]


EACH_KIND = [pytest.param(kind, marks=tier(name)) for kind, name in KINDS.items()]


@pytest.mark.slow
@pytest.mark.parametrize("kind", EACH_KIND)
def test_contract(kind: str, build: Build, request: pytest.FixtureRequest, warm: Warm) -> None:
    name = KINDS[kind]
    if name in ALONE:
        package = build(ALONE[name])
        (file,) = (package / "tests").glob("test_*.py")
    else:
        package = request.getfixturevalue("many_ops")
        file = package / "tests" / f"test_{name}.py"
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:first_calls"]  # which the own tests make
    options += ["-c", str(package / "pyproject.toml")]
    output = warm.checked(
        *("-m", "pytest", *options, f"--rootdir={SUITE.parent}", str(SUITE)),
        cwd=package,
        ONNXOP_CONTRACT=str(file),
    )
    assert " passed" in output


TWICE = program("operator_contract/twice")
IN_THREADS = program("operator_contract/in_threads")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["my_add", "dynamic_resize"])
def test_import_twice(name: str, packages: Warm, tmp_path: Path) -> None:
    assert packages.checked("-c", TWICE.replace("package", name), cwd=tmp_path) == "done\n"


@pytest.mark.slow
@pytest.mark.usefixtures("packages")
def test_import_in_threads(environment: Environment, tmp_path: Path) -> None:
    assert environment.checked("-W", "error", "-c", IN_THREADS, cwd=tmp_path) == "done\n"
