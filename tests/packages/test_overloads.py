"""Several overloads of one operator in one package, and overloads without a spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs import program
from tests.rendering import generate
from tests.tiers import nightly
from tests.warm import Warm

SPEC = """
[op]
schema = "{schema}"
{name}

[onnx]
opset = 13
mapping = '''
{mapping}
'''

[[samples]]
{sample}
"""
X = 'self = "float32[4, 5]"'
# Each mapping adds its own number, which tells it from the others.
SPECS = {
    "median": ("aten::median", "", "op.ReduceMean(self, keepdims=0) * 0.0 + 1.0", X),
    "median_dim": (
        "aten::median.dim",
        "median_dim",
        (
            "values, indices = op.TopK(self, [1], axis=dim, largest=0)\n"
            "return op.Squeeze(values, [dim]) * 0.0 + 2.0, op.Squeeze(indices, [dim])"
        ),
        f"{X}\ndim = 1",
    ),
    "squeeze_dims": (
        "aten::squeeze.dims",
        "squeeze_dims",
        "op.Squeeze(self, dim) * 0.0 + 3.0",
        'self = "float32[1, 4, 1]"\ndim = [0, 2]',
    ),
    "upsample": (
        "aten::_upsample_nearest_exact1d.vec",
        "upsample",
        (
            "rounded = scale_factors is not None and scale_factors[0] != 1.7\n"
            "value = 4.0 if output_size is not None else 6.0 if rounded else 5.0\n"
            "return op.Gather(input, [0], axis=2) * 0.0 + value"
        ),
        'input = "float32[2, 3, 4]"\noutput_size = [1]',
    ),
}
PROGRAM = program("overloads/program")


@pytest.mark.parametrize("exporter", [nightly("TorchScript"), "dynamo"])
def test_overloads_in_one_package(warm: Warm, tmp_path: Path, exporter: str) -> None:
    specs, package = tmp_path / "specs", tmp_path / "overloads"
    specs.mkdir()
    for stem, (schema, name, mapping, sample) in SPECS.items():
        named = f'name = "{name}"' if name else ""
        text = SPEC.format(schema=schema, name=named, mapping=mapping, sample=sample)
        text += '\n[package]\nname = "overloads"\n' * (stem == "median")
        (specs / f"{stem}.toml").write_text(text, encoding="utf-8")
    generate(specs, package)
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    tests = {file.name for file in (package / "tests").iterdir()}
    names = ("median", "median_dim", "squeeze_dims", "upsample")
    assert tests == {f"test_{name}.py" for name in names}
    command = ("-W", "ignore", tmp_path / "program.py", exporter)
    warm.checked(*command, cwd=tmp_path, PYTHONPATH=str(package / "src"))
