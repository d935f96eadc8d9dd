"""Exports of ops whose inputs are what models pass: weights, constants, and results of
other nodes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop import cli
from tests.programs import program
from tests.warm import Warm

# The mapping reads the sizes and the rank of both tensors.
LENGTHEN = """
[op]
schema = "sized::lengthen(Tensor x, Tensor w, float scale=1.0) -> Tensor"

[onnx]
opset = 13
mapping = '''
rows = op.Reshape(w, [w.shape[0], 1]) if rank(w) == 1 else [1.0, 2.0][rank(w)]
return op.Mul(op.Mul(x, rows), scale * rank(x) / rank(x))
'''

[kernel]
python = "x * w.reshape([-1, 1]) * scale"

[[samples]]
x = "float32[4, 3]"
w = "float32[4]"
"""


COLUMNS = """
[op]
schema = "sized::columns(Tensor x) -> Tensor"

[onnx]
opset = 13
mapping = "op.Mul(x, op.Cast(op.Constant(value_int=x.shape[2]), to=1))"

[kernel]
python = "x * x.shape[2]"

[[samples]]
x = "float32[2, 3, 4]"
"""


ROWS = """
[op]
schema = "sized::rows(Tensor x) -> Tensor"

[onnx]
opset = 13
mapping = '''
half = op.Expand(0.5, [x.shape[0], 2])
rows = op.Reshape(x, [x.shape[0], -1])
return op.Mul(op.Concat(rows, half, axis=1), x.shape[rank(x) - 1])
'''

[kernel]
python = '''
rows = x.reshape(x.shape[0], -1)
return torch.cat([rows, torch.full([x.shape[0], 2], 0.5)], 1) * x.shape[-1]
'''

[[samples]]
x = "float32[n=2, 3, w=4]"
"""


@pytest.fixture
def source(tmp_path: Path) -> str:
    """Return the folder of a package's modules; the package needs no compiler."""
    specs = {"lengthen": LENGTHEN, "columns": COLUMNS, "rows": ROWS}
    files = [tmp_path / f"{name}.toml" for name in specs]
    for file, text in zip(files, specs.values(), strict=True):
        file.write_text(text, encoding="utf-8")
    package = tmp_path / "sized"
    assert cli.main(["new", *map(str, files), str(package), "--name", "sized"]) == 0
    return str(package / "src")


@pytest.mark.nightly
def test_weights_and_results(warm: Warm, source: str, tmp_path: Path) -> None:
    warm.checked("-c", program("exported_inputs/weights"), cwd=tmp_path, PYTHONPATH=source)


@pytest.mark.nightly
def test_subclass_of_function(warm: Warm, source: str, tmp_path: Path) -> None:
    warm.checked("-c", program("exported_inputs/subclass"), cwd=tmp_path, PYTHONPATH=source)


def test_results_with_a_dynamic_axis(warm: Warm, source: str, tmp_path: Path) -> None:
    warm.checked("-c", program("exported_inputs/reshaped"), cwd=tmp_path, PYTHONPATH=source)


@pytest.mark.nightly
def test_sizes_that_are_passed_on(warm: Warm, source: str, tmp_path: Path) -> None:
    warm.checked("-c", program("exported_inputs/passed_on"), cwd=tmp_path, PYTHONPATH=source)


@pytest.mark.nightly
def test_the_line_of_the_model(warm: Warm, source: str, tmp_path: Path) -> None:
    warm.checked("-c", program("exported_inputs/model_line"), cwd=tmp_path, PYTHONPATH=source)
