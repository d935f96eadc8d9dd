"""The rules of torchvision's operators, on boxes outside of images, empty ones and ones with
swapped corners.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs import program
from tests.warm import Warm

pytestmark = pytest.mark.nightly

PROGRAM = program("torchvision_gallery/program")
FEW = [("TorchScript", 9), ("TorchScript", 17), ("dynamo", 22)]
MANY = [
    *(("TorchScript", opset) for opset in (11, 15, 16, 18, 19, 20, 21, 22, 23)),
    *(("dynamo", opset) for opset in (18, 19, 20, 21, 23, 24, 25)),
]


@pytest.mark.parametrize(
    ("exporter", "opset"),
    [*FEW, *(pytest.param(*one, marks=pytest.mark.everything) for one in MANY)],
)
def test_hostile_boxes(exporter: str, opset: int, warm: Warm, tmp_path: Path) -> None:
    command = ["-W", "ignore", "-c", PROGRAM, exporter, str(opset)]
    result = warm.run(*command, cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    output = result.stdout.splitlines()
    assert "done" in output
    assert "the model uses result result1 of" in output[-1], output[-1]


def test_the_gallery_needs_no_torchvision(warm: Warm, tmp_path: Path) -> None:
    program = "import sys, onnxop_runtime.gallery; print('torchvision' in sys.modules)"
    result = warm.run("-W", "ignore", "-c", program, cwd=tmp_path)
    assert result.stdout.splitlines()[-1] == "False", result.stdout
