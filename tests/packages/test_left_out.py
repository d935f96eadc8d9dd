"""A result that a mapping omits: models that do not use it export, others raise."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.programs import program
from tests.rendering import generate
from tests.tiers import nightly
from tests.warm import Warm

SPEC = """
[op]
schema = "aten::kthvalue"

[onnx]
opset = 13
mapping = '''
values, indices = op.TopK(self, [k], axis=dim, largest=0)
value = op.Slice(values, [k - 1], [k], [dim])
return (value if keepdim else op.Squeeze(value, [dim])), None
'''

[package]
name = "values_alone"

[[samples]]
self = "float32[n=4, 5]"
k = 2
"""

PROGRAM = program("left_out/program")


@pytest.mark.parametrize("exporter", ["torchscript", nightly("dynamo")])
def test_a_result_that_is_left_out(warm: Warm, tmp_path: Path, exporter: str) -> None:
    spec, package = tmp_path / "kthvalue.toml", tmp_path / "values_alone"
    spec.write_text(SPEC)
    generate(spec, package)
    command = ("-W", "ignore", "-c", PROGRAM, tmp_path / "model.onnx", exporter)
    output = warm.checked(*command, cwd=tmp_path, PYTHONPATH=str(package / "src"))
    assert output.splitlines()[-1].replace("aten::", "") == (
        "the model uses result indices of kthvalue, but the mapping leaves it out; use only the other "
        "results, or return indices from the spec's mapping, too"
    )
