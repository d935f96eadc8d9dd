"""The base classes of packages' tests: what they find in a right operator, and in a wrong one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import ROOT
from tests.programs import program

VALUES = "test_entry_points_agree or test_writes or test_gradients_where_wanted_only"
"""Some of the tests that take no time."""


@pytest.mark.nightly
@pytest.mark.slow
def test_a_wrong_kernel_fails_tests_that_name_it(tmp_path: Path) -> None:
    file = tmp_path / "test_scaled.py"
    file.write_text(program("testing/suite"), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-W", "ignore", file.name]
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [*command, "-k", VALUES, "--tb=line"],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    failed = re.findall(r"FAILED test_scaled.py::(\w+)::(\w+)", done.stdout)
    wrong = "test_entry_points_agree", "test_writes"
    assert failed == [("TestWrong", name) for name in wrong], done.stdout
