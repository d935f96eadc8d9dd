"""The machinery of packages: plain files, the same bytes in packages of all kinds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.rendering import ROOT, generate

TEMPLATES = ROOT / "templates"
FOLDERS = ("src/{{ package }}/_onnxop", "csrc/onnxop", "tests/onnxop")
MACHINERY = [
    file
    for folder in FOLDERS
    for file in sorted((TEMPLATES / folder).rglob("*"))
    if file.is_file() and "__pycache__" not in file.parts
]


@pytest.mark.parametrize("file", MACHINERY, ids=lambda file: str(file.relative_to(TEMPLATES)))
def test_it_is_no_template(file: Path) -> None:
    assert file.suffix != ".jinja"
    text = file.read_text(encoding="utf-8")
    assert not any(mark in text for mark in ("{%", "{#"))
    assert "{{ package }}" not in text


@pytest.mark.slow
@pytest.mark.parametrize("name", ["squared_distances", "topk"])
def test_packages_have_it_as_it_is(name: str, tmp_path: Path) -> None:
    """Packages without compiled code leave out csrc/ and nothing else."""
    package = tmp_path / "package"
    generate(ROOT / "tests" / "specs" / f"{name}.toml", package)
    (source,) = (package / "src").iterdir()
    parts = [part for part in FOLDERS if part != "csrc/onnxop" or (package / "csrc").exists()]
    found = {
        TEMPLATES / part / file.relative_to(folder): file.read_bytes()
        for part in parts
        for folder in [package / part.replace("{{ package }}", source.name)]
        for file in folder.rglob("*")
        if file.is_file()
    }
    wanted = [file for file in MACHINERY if any(file.is_relative_to(TEMPLATES / p) for p in parts)]
    assert found == {file: file.read_bytes() for file in wanted}


def test_it_is_linted_where_it_stands() -> None:
    command = [sys.executable, "-m", "ruff", "check", ".", "--show-files"]
    seen = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert {str(file) for file in MACHINERY if file.suffix == ".py"} <= {*seen.splitlines()}
