"""`onnxop run`: commands whose exports use rules, and the lines about their files."""

from __future__ import annotations

import shutil
import stat
import sys
from pathlib import Path

import pytest

from onnxop import cli
from tests.tiers import nightly
from tests.warm import Warm

PROGRAMS = Path(__file__).parent.parent / "programs" / "run"

RULE = """
[op]
schema = "aten::special_i0e(Tensor self) -> Tensor"

[onnx]
opset = 13
mapping = "op.{op}(self)"
"""

OWN = """
[op]
schema = "of_run::scaled(Tensor x, float scale) -> Tensor"

[onnx]
opset = 13
mapping = "op.Mul(x, scale)"

[kernel]
python = "x * scale"

[[samples]]
x = "float32[2, 3]"
scale = 2.0
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a model, a script that exports it, and a wrong rule."""
    for file in PROGRAMS.glob("*.py"):
        shutil.copy(file, tmp_path)
    (tmp_path / "wrong.toml").write_text(RULE.format(op="Neg"), encoding="utf-8")
    return tmp_path


def run(
    warm: Warm, folder: Path, *arguments: str, status: int = 0, source: Path | None = None
) -> list[str]:
    """Run ``onnxop run`` with one more folder of modules and programs, and return the lines of its
    output.
    """
    variables = {"PYTHONPATH": str(source or folder), "PATH": f"{folder}:/usr/bin:/bin"}
    result = warm.run("-m", "onnxop", "run", *arguments, cwd=folder, **variables)
    assert result.returncode == status, result.stdout
    return result.stdout.splitlines()


def line(lines: list[str]) -> str:
    """Return the only line about an export."""
    (about,) = (text for text in lines if text.startswith("onnxop: "))
    return about.removeprefix("onnxop: ")


@pytest.mark.parametrize("exporter", ["dynamo", nightly("torchscript")])
def test_a_script_with_rules(warm: Warm, folder: Path, exporter: str) -> None:
    lines = run(warm, folder, "--gallery", "--verify", "--", "exporting.py", exporter, "dynamic")
    assert f"the command ran as __main__ ['{exporter}', 'dynamic']" in lines
    shown = {"dynamo": "dynamo", "torchscript": "TorchScript"}[exporter]
    assert line(lines).startswith(
        f"model.onnx ({shown}): rules aten::special_i0e (gallery); right: PyTorch's values, worst absolute error "
    )
    assert line(lines).endswith(", also at x[3, 3]")


@pytest.mark.nightly
def test_run_starts_a_module(warm: Warm, folder: Path) -> None:
    lines = run(warm, folder, "--with", "wrong.toml", "--", "-m", "exporting", "saved")
    assert "the command ran as __main__ ['saved']" in lines
    assert line(lines) == "saved.onnx (dynamo): rules aten::special_i0e (wrong.toml)"


def test_wrong_values(warm: Warm, folder: Path) -> None:
    lines = run(warm, folder, "--with", "wrong.toml", "--verify", "--", "exporting.py", "dynamic")
    fact = "6 of 6 elements differ by more than 1e-05 + 0.0001 * |expected|"
    assert f"; WRONG: output 0: {fact}; at x[3, 3]: output 0: 9 of 9 elements differ" in line(lines)


@pytest.mark.nightly
def test_run_reports_an_export_to_a_stream(warm: Warm, folder: Path) -> None:
    lines = run(warm, folder, "--gallery", "--verify", "--", "exporting.py", "stream")
    assert line(lines).startswith("a stream (dynamo): rules aten::special_i0e (gallery); right: ")


@pytest.mark.nightly
def test_a_file_that_the_command_changes(warm: Warm, folder: Path) -> None:
    lines = run(warm, folder, "--gallery", "--verify", "--", "exporting.py", "broken")
    assert "; right: " in line(lines)
    assert "; the command then changed the file: WRONG: ONNX Runtime does not load it" in line(
        lines
    )


@pytest.mark.nightly
def test_the_status_is_the_commands(warm: Warm, folder: Path) -> None:
    lines = run(warm, folder, "--gallery", "--", "exporting.py", "exit", status=7)
    assert line(lines) == "model.onnx (dynamo): rules aten::special_i0e (gallery)"
    lines = run(warm, folder, "--gallery", "--", "exporting.py", "raise", status=1)
    assert line(lines) == "model.onnx (dynamo): rules aten::special_i0e (gallery)"
    position = lines.index("Traceback (most recent call last):")
    assert lines[position + 1].startswith(f'  File "{folder}/exporting.py"') or lines[
        position + 1
    ].startswith('  File "exporting.py"')
    assert "RuntimeError: of the command" in lines
    run(warm, folder, "--", "exporting.py", status=1)  # the exporter has no rule


@pytest.mark.nightly
def test_processes_of_the_command(warm: Warm, folder: Path) -> None:
    (folder / "own_op.toml").write_text(OWN, encoding="utf-8")
    package = folder / "own_op"
    assert cli.main(["new", f"{package}.toml", str(package), "--name", "own_op"]) == 0
    options = ["--with", "own_op", "--gallery", "--verify"]
    options += ["--replace", "net.Scaled=own_op.scaled"]
    lines = run(
        warm, folder, *options, "--", sys.executable, "exporting.py", "net", source=package / "src"
    )
    about = line(lines)
    assert "of_run::scaled (own_op)" in about
    assert "; replaced net.Scaled.apply (1); right: " in about


@pytest.mark.nightly
def test_replacements(warm: Warm, folder: Path) -> None:
    options = ["--gallery", "--verify", "--replace"]
    command = ["--", "exporting.py", "net", "dynamic"]
    lines = run(warm, folder, *options, "net.Scaled=torch.mul(x, scale)", *command)
    assert "; replaced net.Scaled.apply (1); right: " in line(lines)
    lines = run(warm, folder, *options, "net.Scaled=torch.mul(x, 3 * scale)", *command)
    assert "; replaced net.Scaled.apply (1); WRONG: " in line(lines)
    lines = run(warm, folder, *options, "net.Scaled=torch.mul", "--", "exporting.py")
    assert "onnxop: --replace net.Scaled: no export called it" in lines


@pytest.mark.nightly
def test_a_console_script(warm: Warm, folder: Path) -> None:
    script = folder / "export-it"
    script.write_text("#!/usr/bin/env python3\nimport exporting\nexporting.main()\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    lines = run(warm, folder, "--gallery", "--", "export-it", "torchscript")
    assert line(lines) == "model.onnx (TorchScript): rules aten::special_i0e (gallery)"
    script.write_text("#!/opt/other/bin/python3.99\nimport exporting\n")
    lines = run(warm, folder, "--", "export-it", status=1)
    assert "belongs to /opt/other/bin/python3.99, not to " in lines[-1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--", "no-such-command"], "no-such-command: there is no such command; write the name"),
        nightly(
            ["--with", "no_such", "--", "exporting.py"],
            "--with no_such: there is no module no_such",
        ),
        nightly(["--with", "no.toml", "--", "exporting.py"], "no.toml: cannot be read"),
        (["--replace", "net.Nope=torch.mul", "--", "exporting.py"], "--replace net.Nope: net has"),
        nightly(
            ["--replace", "net.Scaled", "--", "exporting.py"],
            "--replace net.Scaled: write the dotted",
        ),
        nightly(
            ["--replace", "net.Scaled=torch.mul(y)", "--", "exporting.py"], "uses y, but the param"
        ),
    ],
)
def test_what_cannot_run(warm: Warm, folder: Path, arguments: list[str], message: str) -> None:
    lines = run(warm, folder, *arguments, status=1)
    assert message in lines[-1]
    assert not (folder / "model.onnx").exists()
