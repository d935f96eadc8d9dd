"""Updates of packages whose specs end differently: the answers keep the spec unchanged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.update.conftest import SPEC, commit


@pytest.mark.parametrize(
    "end",
    [
        pytest.param("\n\t\n \n\n\n", marks=pytest.mark.everything),
        "# {{ a }} {% b \x85\u2028\u2029 no line",
    ],
    ids=ascii,
)
def test_packages_are_updated_whatever_their_spec_ends_in(end: str, tmp_path: Path) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC.read_text(encoding="utf-8") + end, encoding="utf-8", newline="")
    onnxop = [sys.executable, "-m", "onnxop"]
    package = tmp_path / "package"
    subprocess.run([*onnxop, "new", spec, package], stdout=subprocess.DEVNULL, check=True)
    assert (package / "ops" / "my_add.toml").read_bytes() == spec.read_bytes()
    commit(package)
    copier = [sys.executable, "-m", "copier", "update", "--defaults"]
    subprocess.run(copier, cwd=package, capture_output=True, check=True)
    for command in (["diff"], ["update"]):
        result = subprocess.run(
            [*onnxop, *command], cwd=package, capture_output=True, text=True, check=False
        )
        answer = "" if command == ["diff"] else "Nothing to do: the package is up to date\n"
        assert (result.returncode, result.stdout, result.stderr) == (0, answer, "")
