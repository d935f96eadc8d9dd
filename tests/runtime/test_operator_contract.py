"""What the runtime promises of every operator alike, tried on a package of each kind of kernel."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.packages.conftest import ROOT, Build, build, packages, warm
from tests.warm import Warm

__all__ = ["build", "packages", "warm"]  # fixtures

SUITE = Path(__file__).parent / "contract" / "suite.py"
SPECS = {
    "elementwise": ROOT / "reference_ops/my_add/ops/my_add.toml",
    "elementwise, of PyTorch's own": ROOT / "reference_ops/asinh/ops/asinh.toml",
    "source": ROOT / "tests/specs/rms_norm.toml",
    "source, with a reference": ROOT / "tests/specs/squared_distances.toml",
    "source, with lists": ROOT / "tests/specs/weighted_totals.toml",
    "composed": ROOT / "reference_ops/dynamic_resize/ops/dynamic_resize.toml",
    "composed, of several results": ROOT / "tests/specs/mean_and_spread.toml",
    "source, of torchvision's": ROOT / "reference_ops/deform_conv2d/ops/deform_conv2d.toml",
    "existing": ROOT / "tests/specs/topk.toml",
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", SPECS)
def test_contract(kind: str, build: Build, warm: Warm) -> None:
    package = build(SPECS[kind])
    files = os.pathsep.join(map(str, sorted((package / "tests").glob("test_*.py"))))
    options = ["-q", "-p", "no:cacheprovider", "-c", str(package / "pyproject.toml")]
    told = warm.checked(
        *("-m", "pytest", *options, f"--rootdir={package}", str(SUITE)),
        cwd=package,
        ONNXOP_CONTRACT=files,
    )
    assert " passed" in told
