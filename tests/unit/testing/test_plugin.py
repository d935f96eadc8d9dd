"""The pytest plugin of packages, in a run of pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import atexit, gc

atexit.register(lambda: print("frozen at the end:", gc.get_freeze_count()))

def test_imported_modules_are_frozen():
    assert gc.get_freeze_count() > 1000
"""


def test_nothing_is_frozen_when_python_ends(tmp_path: Path) -> None:
    """Check it: extension modules tell of objects that are not freed, Triton's in 27 lines."""
    (tmp_path / "test_program.py").write_text(PROGRAM, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "onnxop_runtime.testing.plugin"]
    result = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
    assert result.stdout.splitlines()[-1] == "frozen at the end: 0"
