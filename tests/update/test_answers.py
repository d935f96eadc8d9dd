"""Updates of packages whose specs end differently: the answers keep the spec unchanged."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from onnxop.package.template import ANSWERS
from tests.update.conftest import SPEC, Checkout, commit, edit, snapshot


@pytest.mark.nightly
@pytest.mark.parametrize(
    "end",
    [
        pytest.param("\n\t\n \n\n\n", marks=pytest.mark.everything),
        "# {{ a }} {% b \x85\u2028\u2029 no line",
    ],
    ids=ascii,
)
def test_packages_are_updated_whatever_their_spec_ends_in(
    end: str, first: Checkout, tmp_path: Path
) -> None:
    spec = tmp_path / "spec.toml"
    spec.write_text(SPEC.read_text(encoding="utf-8") + end, encoding="utf-8", newline="")
    package = tmp_path / "package"
    assert first.run("new", spec, package, cwd=tmp_path).returncode == 0
    assert (package / "ops" / "my_add.toml").read_bytes() == spec.read_bytes()
    commit(package)
    first.python.checked("-m", "copier", "update", "--defaults", cwd=package)
    for command, answer in ("diff", ""), ("update", "Nothing to do: the package is up to date\n"):
        result = first.run(command, cwd=package)
        assert (result.returncode, result.stdout) == (0, answer)


def test_copier_stops_where_the_data_is_too_old(
    package: Path, first: Checkout, tmp_path: Path
) -> None:
    later = first.copy(tmp_path / "later")
    later.edit("copier.yml", "schema != 1 ", "schema != 2 ")
    later.edit("copier.yml", "not of form 1", "not of form 2")
    later.edit("generator/onnxop/code/data.py", "SCHEMA = 1", "SCHEMA = 2")
    assert later.run("fetch", cwd=package).returncode == 0
    commit(package)
    before = snapshot(package)
    command = [sys.executable, "-m", "copier", "update", "--defaults"]
    result = subprocess.run(command, cwd=package, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == (
        "ValueError: Validation error for question 'schema': the recorded data is not of form 2, which "
        "this template reads; nothing was written; run onnxop update"
    )
    assert snapshot(package) == before


@pytest.mark.parametrize("number", ["0", "null", "'1'"])
def test_a_number_that_no_onnxop_records(number: str, package: Path, first: Checkout) -> None:
    edit(package / ANSWERS, "schema: 1\n", f"schema: {number}\n")
    commit(package)
    for command in ("update", "diff", "fetch"):
        result = first.run(command, cwd=package)
        assert result.returncode == 1
        assert f"{ANSWERS}: its schema is " in result.stdout
        assert ", which no onnxop records; restore it: " in result.stdout
