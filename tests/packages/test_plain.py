"""Plain calls of `torch.onnx.export`: they use the rules of imported packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop import cli
from tests.programs import program
from tests.tiers import nightly
from tests.warm import Warm

DOUBLED = """
[op]
schema = "plain::doubled(Tensor x) -> Tensor"

[onnx]
opset = 13
mapping = "op.Add(x, x) if rank(x) > 1 else [x][rank(x)]"

[kernel]
python = "x + x"

[[samples]]
x = "float32[2, 3]"
"""

SHIFTED = """
[op]
schema = "plain::shifted(Tensor x, Tensor w) -> Tensor"

[onnx]
opset = 13
domain = "plain"
mapping = "op.Add(x, op.Reshape(w, [1, w.shape[0]]))"

[kernel]
python = "x + w.reshape([1, -1])"

[[samples]]
x = "float32[2, 3]"
w = "float32[3]"
"""

RULE = """
[op]
schema = "aten::special_i0e(Tensor self) -> Tensor"

[onnx]
opset = 13
mapping = "op.{op}(self)"

[package]
name = "{name}"
"""


def new(folder: Path, name: str, *specs: str) -> str:
    """Make a package that needs no compiler; return the folder of its modules."""
    files = []
    for number, spec in enumerate(specs):
        file = folder / f"{name}_{number}.toml"
        file.write_text(spec, encoding="utf-8")
        files.append(str(file))
    assert cli.main(["new", *files, str(folder / name), "--name", name]) == 0
    return str(folder / name / "src")


@pytest.mark.parametrize("strict", ["", nightly("1")], ids=["stock", "strict"])
def test_exports(warm: Warm, tmp_path: Path, strict: str) -> None:
    source = new(tmp_path, "plain_op", DOUBLED, SHIFTED)
    variables = {"PYTHONPATH": source, "ONNXOP_STRICT": strict}
    warm.checked("-c", program("plain/exports"), cwd=tmp_path, **variables)


@pytest.mark.nightly
def test_two_packages(warm: Warm, tmp_path: Path) -> None:
    sources = [
        new(tmp_path, name, RULE.format(name=name, op=op))
        for name, op in (("first_rule", "Neg"), ("second_rule", "Abs"))
    ]
    path = ":".join(sources)
    warm.checked("-c", program("plain/two_packages"), cwd=tmp_path, PYTHONPATH=path)


@pytest.mark.nightly
def test_registered_rules(warm: Warm, tmp_path: Path) -> None:
    warm.checked("-c", program("plain/registered"), cwd=tmp_path)
