"""The package of ops of real models: its own tests, and small models of real shapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.conftest import ROOT, Build
from tests.packages.test_packages import PYTEST, at_the_ends
from tests.programs import program
from tests.warm import Warm

pytestmark = pytest.mark.nightly  # builds vision_ops

MODELS = program("vision_ops/models")


def test_its_own_quick_tests(vision_ops: Path, warm: Warm) -> None:
    assert " passed" in warm.checked(*PYTEST, "-m", "quick", cwd=vision_ops)


@pytest.mark.everything
def test_its_own_tests(vision_ops: Path, warm: Warm) -> None:
    assert " passed" in warm.checked(*PYTEST, "-k", at_the_ends(vision_ops), cwd=vision_ops)


@pytest.mark.parametrize(
    "dynamo",
    [False, pytest.param(True, marks=pytest.mark.everything)],
    ids=["TorchScript", "dynamo"],
)
def test_models(dynamo: bool, vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Run models in stock ONNX Runtime and with the package's library, at other sizes than at
    export.
    """
    calls = f"for kind in (EncoderLayer, RotatedHead, Mamba): check(kind, {dynamo})\nprint('done')"
    output = warm.checked("-W", "ignore", "-c", f"{MODELS}\n{calls}", cwd=tmp_path)
    assert output.splitlines()[-1] == "done"


HOSTS = program("vision_ops/hosts")


def test_hosts_agree(vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check inputs that one host might refuse while another computes them, or another number, in
    silence.
    """
    assert warm.checked("-W", "ignore", "-c", HOSTS, cwd=tmp_path).splitlines()[-1] == "done"


MAMBA = program("vision_ops/mamba")


def test_as_mamba_calls_it(vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check selective_scan by the paper's formula: dtypes, groups, gradients, states, decoding,
    exports.
    """
    assert warm.checked("-W", "ignore", "-c", MAMBA, cwd=tmp_path).splitlines()[-1] == "done"


ANGLES = program("vision_ops/angles")


def test_angles_have_one_sign(vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check that nms_rotated and roi_align_rotated turn boxes in the same direction, also by
    default.
    """
    assert warm.checked("-W", "ignore", "-c", ANGLES, cwd=tmp_path).splitlines()[-1] == "done"


OFFSETS = program("vision_ops/offsets")


def test_offsets_of_the_border_start_as_in_torchvision(
    build: Build, warm: Warm, tmp_path: Path
) -> None:
    """Check what the page of deform_conv2d says of gradients where a training starts."""
    build(ROOT / "reference_ops" / "deform_conv2d" / "ops" / "deform_conv2d.toml")
    assert warm.checked("-W", "ignore", "-c", OFFSETS, cwd=tmp_path).splitlines()[-1] == "done"


STOCK = program("vision_ops/stock")


@pytest.mark.everything
def test_the_page_says_what_stock_runs(vision_ops: Path, warm: Warm, tmp_path: Path) -> None:
    """Check the first opset at which ONNX Runtime loads the standard nodes, by dtype, through
    TorchScript.
    """
    output = warm.checked("-W", "ignore", "-c", STOCK, tmp_path / "model.onnx", cwd=vision_ops)
    rows = [line for line in output.splitlines() if line.startswith("|")]
    assert len(rows) == 6
    assert "\n".join(rows) in (ROOT / "reference_ops" / "README.md").read_text("utf-8")
