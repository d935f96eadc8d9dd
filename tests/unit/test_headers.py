"""The headers that kernels written by hand include: programs that compare them with plain sums."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

PROGRAMS = sorted((Path(__file__).parent / "headers").glob("*.cpp"))
CSRC = Path(__file__).parents[2] / "templates/csrc"
# As packages are compiled, but quickly.
FLAGS = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fwrapv"]


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_header(program: Path, tmp_path: Path) -> None:
    """The program says nothing where all is right."""
    made = tmp_path / program.stem
    command = ["g++", *FLAGS, "-fno-math-errno", "-fno-trapping-math", f"-I{CSRC}"]
    subprocess.run([*command, str(program), "-o", str(made)], check=True)
    done = subprocess.run([made], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
