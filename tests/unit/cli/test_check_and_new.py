"""`onnxop check` and `onnxop new` tell the same problems of the same specs, all of them at once."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from onnxop import cli
from tests.programs import program

SPEC = """\
[op]
schema = "{schema}"

[onnx]
{onnx}
"""
RULE = 'opset = 13\nmapping = "{mapping}"'


def spec(
    schema: str = "one::negated(Tensor x) -> Tensor",
    mapping: str = "op.Neg(x)",
    kernel: str = 'elementwise = "-x"',
    tables: str = "",
) -> str:
    text = SPEC.format(schema=schema, onnx=RULE.format(mapping=mapping))
    return f"{text}\n[kernel]\n{kernel}\n{tables}"


def existing(name: str, mapping: str, tables: str = "") -> str:
    return SPEC.format(schema=name, onnx=RULE.format(mapping=mapping)) + tables


def decomposed(name: str, needs: str) -> str:
    return SPEC.format(schema=name, onnx=f'decomposed = ["{needs}"]')


MINUS = "two::minus(Tensor x) -> Tensor"
PYTHON = 'python = "x.sum()"'
OPENVINO = '[package]\nname = "my_ops"\nruntimes = ["onnxruntime", "openvino"]\n'
RAISES_NOTHING = '[[errors]]\nx = "float32[2]"\nraises = "ValueError"\n'
ENDS = "python = '''\nif n > 1:\n    x = x + torch.zeros([10**9, n]).sum()\nreturn -x\n'''"
ALL_AT_ONCE = """\
[autograd]
x = "grud"

[[samples]]
x = "float32[n]"

[package]
version = "x y"
"""

CASES = {
    "two of one operator": ([spec(), spec()], ["b:op.schema"]),
    "a wrong mapping of the second": (
        [spec(), spec(mapping="op.Not(x)")],
        ["b:op.schema", "b:onnx.mapping"],
    ),
    "a wrong kernel of the second": (
        [spec(), spec(kernel='elementwise = "-y"')],
        ["b:op.schema", "b:kernel.elementwise"],
    ),
    "the same wrong results": (
        [spec(kernel=PYTHON), spec(kernel=PYTHON)],
        ["a:onnx.mapping", "b:op.schema", "b:onnx.mapping"],
    ),
    "the same sample that raises": (
        [existing("aten::flip", "op.Neg(self)", '[[samples]]\nself = "float32[2]"\ndims = [4]\n')]
        * 2,
        ["a:samples[0]", "b:op.schema", "b:samples[0]"],
    ),
    "the same error case": (
        [spec(kernel='python = "-x"', tables=RAISES_NOTHING)] * 2,
        ["a:errors[0]", "b:op.schema", "b:errors[0]"],
    ),
    "what it needs has another problem": (
        [decomposed("aten::asinh", "aten::erf"), existing("aten::erf", "op.Erff(self)")],
        ["b:onnx.mapping"],
    ),
    "what it needs is missing": (
        [decomposed("aten::asinh", "aten::erf")],
        ["a:onnx.decomposed[0]"],
    ),
    "a runtime without a kernel": (
        [existing("aten::asinh", "op.Asinh(self)", OPENVINO)],
        ["a:package.runtimes"],
    ),
    "one kernel's file": (
        [spec(kernel='source = "k.h"'), spec(MINUS, kernel='source = "k.h"')],
        ["b:kernel.source"],
    ),
    "everything": (
        [
            spec(mapping="op.Nag(x)", kernel='python = "-y"', tables=ALL_AT_ONCE),
            spec(MINUS.replace("Tensor x", "Tensr x")),
            spec("three::f(Tensor x) -> Tensor", "op.Not(x)", tables='[package]\nlicense = "??"\n'),
        ],
        [
            *("a:onnx.mapping", "a:kernel.python", "a:autograd.x", "a:samples[0].x"),
            *("a:package.version", "b:op.schema", "c:onnx.mapping", "c:package.license"),
        ],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_same_problems(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    texts, keys = CASES[name]
    files = [f"{letter}.toml" for letter, _ in zip("abc", texts, strict=False)]
    for file, text in zip(files, texts, strict=True):
        (tmp_path / file).write_text(text, encoding="utf-8")
    assert cli.main(["check", *files]) == 1
    checked = capsys.readouterr().err
    has_name = len(files) == 1
    assert cli.main(["new", *([] if has_name else ["--name", "my_ops"]), *files]) == 1
    assert capsys.readouterr().err == checked
    heads = [line.split(": ")[:2] for line in checked.splitlines() if not line.startswith(" ")]
    assert [f"{place[0]}:{key}" for place, key in heads] == keys
    assert sorted(path.name for path in tmp_path.iterdir()) == files


def test_a_part_of_a_package(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that a spec of a package may need one that is not checked with it."""
    (tmp_path / "ops").mkdir()
    (tmp_path / ".copier-answers.yml").touch()
    asinh, erf = (tmp_path / "ops" / file for file in ("asinh.toml", "erf.toml"))
    asinh.write_text(decomposed("aten::asinh", "aten::erf"), encoding="utf-8")
    assert cli.main(["check", str(asinh)]) == 1
    assert "the package has no spec of aten::erf" in capsys.readouterr().err
    erf.write_text(existing("aten::erf", "op.Erf(self)"), encoding="utf-8")
    assert cli.main(["check", str(asinh)]) == 0


def test_a_kernel_that_ends_the_process(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that later calls, which PyTorch was not asked for, have no problems of their own."""
    (tmp_path / "a.toml").write_text(
        spec(
            "one::f(Tensor x, int n=1) -> Tensor",
            kernel=ENDS,
            tables='[[samples]]\nx = "float32[2]"\nn = 2\n' + '[[samples]]\nx = "float32[3]"\n',
        ),
        encoding="utf-8",
    )
    assert cli.main(["check", str(tmp_path / "a.toml")]) == 1
    [message] = [
        line for line in capsys.readouterr().err.splitlines() if not line.startswith("    ")
    ]
    assert "kernel.python: this " in message and "sample 1" in message


IMPORTS = program("check_and_new/imports")


@pytest.mark.parametrize("command", [["check"], ["new", "--name", "my_ops"]])
def test_keys_and_types_come_first(command: list[str], tmp_path: Path) -> None:
    """Check that the faults of TOML, keys and types of all specs are told together, by the reader
    alone.
    """
    texts = {
        "a.toml": spec(mapping="op.Nag(x)"),
        "b.toml": spec().replace("opset = 13", 'opset = "13"'),
        "c.toml": "[op\n",
        "d.toml": spec().replace("[kernel]", "[kernels]"),
    }
    for file, text in texts.items():
        (tmp_path / file).write_text(text, encoding="utf-8")
    run = [sys.executable, "-c", IMPORTS, *command, *texts]
    answer = subprocess.run(run, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert answer.stdout == "1 []\n", answer.stderr
    heads = [line.partition(":")[0] for line in answer.stderr.splitlines() if line[0] != " "]
    assert heads == ["b.toml", "c.toml", "d.toml"]
