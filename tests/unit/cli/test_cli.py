"""The command line when its output is not read, or cannot be written."""

from __future__ import annotations

import io
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from onnxop import cli
from onnxop.cli import output
from tests.tiers import nightly

ROOT = Path(__file__).resolve().parents[3]
SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
BAD = ROOT / "tests" / "bad_specs" / "autograd_word_misspelt.toml"
# A spec that needs no import of PyTorch, which takes longer than all else here.
PLAIN = b"""[op]
schema = "my_lib::f(Tensor x) -> Tensor"
[onnx]
domain = "my_lib"
[kernel]
elementwise = "x"
"""
COMMANDS = [["schema"], nightly(["check", "f.toml"]), ["new", "f.toml"], nightly(["--help"])]


@pytest.mark.slow
@pytest.mark.parametrize("arguments", COMMANDS, ids=str)
@pytest.mark.parametrize("buffer", ["", nightly("1")], ids=["buffered", "unbuffered"])
def test_output_that_nobody_reads(arguments: list[str], buffer: str, tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_bytes(PLAIN)
    reader, writer = os.pipe()
    os.close(reader)
    result = subprocess.run(
        [sys.executable, "-m", "onnxop", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONUNBUFFERED": buffer},
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert result.stderr == ""
    assert result.returncode == 141 or arguments == ["--help"]  # argparse need not mind
    assert (tmp_path / "f" / "ops" / "f.toml").exists() == (arguments[0] == "new")


@pytest.mark.nightly
@pytest.mark.slow
def test_messages_that_nobody_reads(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "onnxop", "check", str(BAD)]
    result = subprocess.run(command, stdout=writer, stderr=writer, check=False)
    os.close(writer)
    assert result.returncode == 141


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirection", "status", "message"),
    [(">/dev/full", 1, "output: No space left on device\n"), (">&-", 0, ""), ("2>&-", 0, "")],
)
def test_output_without_a_place(redirection: str, status: int, message: str) -> None:
    result = subprocess.run(
        ["sh", "-c", f'"$0" -m onnxop schema {redirection}', sys.executable],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (result.returncode, result.stderr) == (status, message)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [["check", ""], ["new", str(SPEC), ""], ["update", ""]], ids=str
)
def test_an_empty_path(command: list[str], tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, "-m", "onnxop", *command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 2
    assert "is empty; give a path, such as . for this folder" in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("place", ["/proc/nobody/x", "/dev/null/x"])
def test_a_destination_where_nothing_can_be(place: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["new", str(SPEC), place]) == 1
    assert "choose " in capsys.readouterr().err


def test_what_nothing_expected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check the sentence that says what was being done and how to report it; a traceback on demand
    only.
    """

    def fail() -> None:
        raise IndexError("out\nof range")

    monkeypatch.setattr("onnxop_runtime.specs.document.json_schema", fail)
    assert cli.main(["schema"]) == 70
    message = capsys.readouterr().err
    assert message.startswith(f"onnxop schema: failed at {__file__}:")
    assert " with IndexError: out of range\n" in message
    assert message.endswith("\n    ONNXOP_TRACEBACK=1 onnxop schema\n")
    monkeypatch.setenv("ONNXOP_TRACEBACK", "1")
    with pytest.raises(IndexError):
        cli.main(["schema"])


@pytest.mark.slow
@pytest.mark.parametrize("name", [b"\xc3\xa9 a.toml", b"b\xff.toml"], ids=["UTF-8", "no text"])
def test_a_path_that_the_locale_cannot_show(name: bytes, tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(name)).write_bytes(PLAIN)
    fine, missing = (
        subprocess.run(
            [os.fsencode(sys.executable), b"-m", b"onnxop", b"check", path],
            cwd=tmp_path,
            env={**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii"},
            capture_output=True,
            check=False,
        )
        for path in (name, b"no" + name)
    )
    assert fine.stdout.endswith(b".toml: my_lib::f is fine\n")
    assert b".toml: cannot be read" in missing.stderr and b"Traceback" not in missing.stderr


def from_stdin(*arguments: str, text: bytes, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "onnxop", *arguments]
    return subprocess.run(command, cwd=cwd, input=text, capture_output=True, check=False)


@pytest.mark.slow
def test_a_spec_from_standard_input(tmp_path: Path) -> None:
    text = SPEC.read_bytes()
    checked = from_stdin("check", "-", text=PLAIN, cwd=tmp_path)
    assert (checked.returncode, checked.stdout) == (0, b"-: my_lib::f is fine\n")
    bad = from_stdin("check", "-", text=text.replace(b"op.Mul", b"op.Mull"), cwd=tmp_path)
    assert bad.returncode == 1
    assert b"-:9: onnx.mapping: op.Mull is not an ONNX op" in bad.stderr
    twice = from_stdin("check", "-", "-", text=text, cwd=tmp_path)
    assert twice.stderr == b"-: is given twice; give it once\n"
    for arguments in (["new", "-", "made"], ["new", "--force", "-"]):
        result = from_stdin(*arguments, text=text, cwd=tmp_path)
        assert result.returncode == 0, result.stderr
    assert (tmp_path / "made/ops/my_add.toml").read_bytes() == text
    assert (tmp_path / "my_add/ops/my_add.toml").read_bytes() == text
    not_text = from_stdin("check", "-", text=b"\xff", cwd=tmp_path)
    assert not_text.stderr == b"-:1: not UTF-8; save the file as UTF-8\n"


def test_progress_in_a_log(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    times = iter([0.0, 9.0, 11.0, 11.0, 20.0, 22.0, 22.0])
    monkeypatch.setattr("onnxop.cli.output.time.monotonic", lambda: next(times))
    with output.progress() as tell:
        for text in ("early", "first", "soon", "second"):
            tell(text)
    assert capsys.readouterr().err == "first ...\nsecond ...\n"


def test_examples_of_help(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Check that every command shows two, with valid arguments."""

    def help_of(*command: str, run: Any = cli.main) -> str:
        with pytest.raises(SystemExit):
            run([*command, "--help"])
        return capsys.readouterr().out

    commands = re.findall(r"^    ([a-z]+)\b", help_of(), re.MULTILINE)
    assert {"check", "new", "scan", "schema"} <= {*commands}
    pages = [help_of(), help_of(run=cli.new), *(help_of(command) for command in commands)]
    monkeypatch.setattr(cli, "_run", lambda parser, arguments: not parser.parse_args(arguments))
    for page in pages:
        examples = page.partition("examples:\n")[2].partition("\n\n")[0].splitlines()
        assert len(examples) == 2, page
        for example in examples:
            program, *arguments = shlex.split(example.partition(" > ")[0])
            assert {"onnxop": cli.main, "onnxop-new": cli.new}[program](arguments) == 0


def shown_on_a_terminal(arguments: list[str], **env: str) -> str:
    reader, writer = pty.openpty()
    command = [sys.executable, "-m", "onnxop", *arguments]
    env = {**os.environ, "TERM": "xterm", "NO_COLOR": "", **env}
    subprocess.run(command, cwd=ROOT, env=env, stdout=writer, stderr=writer, check=False)
    os.close(writer)
    text = os.read(reader, 10_000).decode()
    os.close(reader)
    return text


@pytest.mark.nightly
@pytest.mark.slow
def test_colours_of_a_terminal() -> None:
    name = BAD.relative_to(ROOT)
    message = shown_on_a_terminal(["check", str(name)])
    assert message.startswith(f"\033[1m{name}:") and "\033[31m     " in message
    assert "\033" not in shown_on_a_terminal(["check", str(name)], NO_COLOR="1")


def test_completion(tmp_path: Path) -> None:
    pytest.importorskip("argcomplete")
    completions = tmp_path / "completions"
    env = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(completions),
        "COMP_LINE": "onnxop in",
        "COMP_POINT": "9",
    }
    subprocess.run([sys.executable, "-m", "onnxop"], env=env, check=True)
    assert completions.read_text().strip() == "inspect"


def test_streams_in_memory_and_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """Check an error of a file with streams that have no descriptor, and several calls without
    streams.
    """
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    monkeypatch.setattr(sys, "stderr", stream)

    def fails() -> int:
        raise OSError(28, "No space left on device", "model.onnx")

    assert output.with_output(fails)() == 1
    assert stream.getvalue() == "model.onnx: No space left on device\n"
    monkeypatch.setattr(sys, "stdout", None)
    for _ in range(2):
        assert output.with_output(lambda: 0)() == 0
        assert sys.stdout is None
