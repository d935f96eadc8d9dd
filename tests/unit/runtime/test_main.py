"""``python -m onnxop_runtime``: the options and paths for builds without setup.py."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from onnxop_runtime import __main__, __version__

FOLDER = Path(__main__.__file__).parent


@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("--folder", str(FOLDER)),
        ("--includes", f"-I{FOLDER / 'include'}"),
        ("--cmakedir", str(FOLDER / "include" / "cmake")),
        ("--version", __version__),
    ],
)
def test_what_it_prints(
    option: str, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["onnxop_runtime", option])
    try:
        __main__.main()
    except SystemExit as error:  # of argparse, for --version
        assert not error.code
    assert capsys.readouterr().out.strip() == text


def test_files_that_compilers_get_exist(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["onnxop_runtime", "--library"])
    __main__.main()
    options = capsys.readouterr().out.split()
    files = [option.partition("=")[2] or option.lstrip("@") for option in options]
    assert len(files) == 4
    assert all(Path(file.removeprefix("-I")).exists() for file in files)
