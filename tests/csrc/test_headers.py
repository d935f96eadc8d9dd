"""The headers that kernels written by hand include: programs that compare them with plain sums."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# As packages are compiled, but quickly.
FLAGS = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fwrapv"]


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("name", ["matrix", "reduce"])
def test_header(name: str, tmp_path: Path) -> None:
    """The program says nothing where all is right."""
    made, source = tmp_path / name, ROOT / "tests" / "csrc" / f"{name}.cpp"
    command = ["g++", *FLAGS, "-fno-math-errno", "-fno-trapping-math"]
    command += [f"-I{ROOT / 'templates' / 'csrc'}", str(source), "-o", str(made)]
    subprocess.run(command, check=True)
    done = subprocess.run([made], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
