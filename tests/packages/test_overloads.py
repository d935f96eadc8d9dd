"""Several overloads of one operator in one package, and overloads without a spec."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.rendering import generate
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
PROGRAM = """
import sys

import onnxruntime
import overloads
import torch
from torch.nn.functional import interpolate

x, y = torch.rand(4, 5), torch.rand(1, 4, 1)
calls = {
    "median": (lambda x: x.median(), x, 1.0),
    "median.dim": (lambda x: x.median(1).values, x, 2.0),
    "squeeze": (lambda x: x.squeeze(), y, y.squeeze()),
    "squeeze.dim": (lambda x: x.squeeze(0), y, y.squeeze(0)),
    "squeeze.dims": (lambda x: x.squeeze((0, 2)), y, 3.0),
}
if sys.argv[1] == "TorchScript":  # dynamo decomposes it
    calls["upsample"] = (lambda x: interpolate(x, size=1, mode="nearest-exact"), y, 4.0)
    calls["scaled"] = (lambda x: interpolate(x, scale_factor=1.7, mode="nearest-exact"), y, 5.0)


class Model(torch.nn.Module):
    def __init__(self, call):
        super().__init__()
        self.call = call

    def forward(self, x):
        return self.call(x)


for name, (call, argument, wanted) in calls.items():
    overloads.export(Model(call), (argument,), "m.onnx", dynamo=sys.argv[1] == "dynamo", input_names=["x"])
    [actual] = onnxruntime.InferenceSession("m.onnx").run(None, {"x": argument.numpy()})
    actual = torch.from_numpy(actual)
    torch.testing.assert_close(actual, torch.as_tensor(wanted).expand(call(argument).shape), msg=name)
assert {str(op) for op in overloads.package.operators} == {
    "aten::median", "aten::median.dim", "aten::squeeze.dims", "aten::_upsample_nearest_exact1d.vec"
}
assert overloads.MedianDim(1)(x)[0].shape == (4,)
"""


@pytest.mark.parametrize("exporter", ["TorchScript", "dynamo"])
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
