"""The page's table of ready replacements, with the libraries' own code and random weights."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Shared
from tests.documents import read
from tests.programs import program
from tests.warm import Warm

pytestmark = pytest.mark.everything
ROW = re.compile(
    r"^\| [^|]* \| `([\w.]+)` \| `(vision_ops\.[^`]*)` \| (both|TorchScript) \|$", re.MULTILINE
)
ROWS = {
    original: (replacement, exporters)
    for original, replacement, exporters in ROW.findall(read("docs/howto/other-exporters.md"))
}
DETECTRON2 = "ONNXOP_DETECTRON2"
"""The variable with the folder that detectron2 is installed in: no index has it, and its build
takes minutes.
"""


def case_of(original: str) -> str:
    """Return the function of the program that makes a model for a row."""
    library, *path = original.split(".")
    if library == "transformers":
        return path[1]
    return {"mmcv": "mmcv", "nms": "detectron2_nms", "roi_align_rotated": "detectron2_roi_align"}[
        path[1] if library == "detectron2" else library
    ]


def install_libraries(folder: Path) -> None:
    """Install the libraries into a folder of their own."""
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("needs uv, which installs the libraries")
    command = [uv, "pip", "install", "-q", "--python", sys.executable, "--target", str(folder)]
    subprocess.run([*command, "transformers>=5.24", "mmcv-lite==2.2.0"], check=True)


@pytest.fixture(scope="session")
def libraries(shared: Shared) -> Path:
    """Return the folder with transformers and mmcv."""
    return shared.once("ready_libraries", install_libraries)


def test_the_page_has_rows() -> None:
    assert {original.partition(".")[0] for original in ROWS} == {
        "transformers",
        "mmcv",
        "detectron2",
    }


@pytest.mark.usefixtures("vision_ops")
@pytest.mark.parametrize("original", ROWS)
def test_a_replacement_of_the_page_is_right(
    original: str, packages: Warm, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    if original.startswith("detectron2."):
        folder = os.environ.get(DETECTRON2) or pytest.skip(f"needs detectron2, in {DETECTRON2}")
    else:
        folder = str(request.getfixturevalue("libraries"))
    check_case(case_of(original), original, folder, packages, tmp_path)


@pytest.mark.usefixtures("vision_ops")
def test_a_whole_model(libraries: Path, packages: Warm, tmp_path: Path) -> None:
    """Check a model that sorts its queries by scores, which differ by more than rounding."""
    original = "transformers.models.rt_detr.modeling_rt_detr.MultiScaleDeformableAttention"
    check_case("rt_detr_whole", original, str(libraries), packages, tmp_path)


def check_case(case: str, original: str, folder: str, packages: Warm, tmp_path: Path) -> None:
    """Export a case's model with the replacement of a row, and compare it with PyTorch."""
    replacement, exporters = ROWS[original]
    # The environment's own packages come first.
    code = f"import sys\nsys.path.append({folder!r})\n{program('ready_replacements')}"
    arguments = case, original, replacement, exporters
    output = packages.checked("-W", "ignore", "-c", code, *arguments, cwd=tmp_path)
    operator = replacement.partition("(")[0].removeprefix("vision_ops.")
    lines = [line for line in output.splitlines() if line.startswith(f"['{operator}']")]
    assert len(lines) == (2 if exporters == "both" else 1), output
