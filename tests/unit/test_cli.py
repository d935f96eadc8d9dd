"""The command line where its output is not read, or has no place to go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from onnxop import cli

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
BAD = ROOT / "tests" / "bad_specs" / "package_name_stdlib.toml"
COMMANDS = [["schema"], ["check", str(SPEC)], ["new", str(SPEC)], ["--help"]]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS, ids=str)
@pytest.mark.parametrize("buffer", ["", "1"], ids=["buffered", "unbuffered"])
def test_output_that_nobody_reads(arguments: list[str], buffer: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "onnxop", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": buffer},
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert done.stderr == ""
    assert done.returncode == 141 or arguments == ["--help"]  # argparse need not mind
    assert (tmp_path / "my_add" / "ops" / "my_add.toml").exists() == (arguments[0] == "new")


def test_messages_that_nobody_reads(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "onnxop", "check", str(BAD)]
    done = subprocess.run(command, stdout=writer, stderr=writer, check=False)
    os.close(writer)
    assert done.returncode == 141


@pytest.mark.parametrize(
    ("redirection", "status", "told"),
    [(">/dev/full", 1, "output: No space left on device\n"), (">&-", 0, ""), ("2>&-", 0, "")],
)
def test_output_without_a_place(redirection: str, status: int, told: str) -> None:
    done = subprocess.run(
        ["sh", "-c", f'"$0" -m onnxop schema {redirection}', sys.executable],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (status, told)


@pytest.mark.parametrize(
    "command", [["check", ""], ["new", str(SPEC), ""], ["update", ""]], ids=str
)
def test_an_empty_path(command: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "onnxop", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "is empty; give a path, such as . for this folder" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("place", ["/proc/nobody/x", "/dev/null/x"])
def test_a_destination_where_nothing_can_be(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", str(SPEC), place]) == 1
    assert "; choose " in capsys.readouterr().err
