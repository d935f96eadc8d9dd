"""The opsets at which no ONNX Runtime runs a mapping."""

from __future__ import annotations

import json
from pathlib import Path

from onnxop.check.load import load, notes
from tests import runtime_ops

SPEC = """
[op]
schema = "my_lib::f(Tensor x) -> Tensor"
[onnx]
opset = {opset}
mapping = "{mapping}"
[kernel]
python = "x"
[[samples]]
x = "float32[2, 3, 1, 1]"
"""


def test_opsets_without_a_kernel(tmp_path: Path) -> None:
    path = tmp_path / "f.toml"
    path.write_text(SPEC.format(opset=21, mapping="op.Abs(op.GlobalLpPool(x))"), encoding="utf-8")
    (note,) = notes(load(path))
    assert note.startswith("at opsets 22 to 25 ONNX Runtime has no kernel of GlobalLpPool, in no")
    chosen = "op.GlobalLpPool(x) if opset < 22 else op.Abs(x)"
    for mapping in (chosen, "op.Abs(x)"):
        path.write_text(SPEC.format(opset=21, mapping=mapping), encoding="utf-8")
        assert not notes(load(path))


def test_the_table_has_what_onnx_has() -> None:
    """A newer onnx has newer ops: poe runtimes tries them."""
    ops = json.loads(runtime_ops.TABLE.read_text(encoding="utf-8"))["ops"]
    wanted = {(schema.name, str(schema.since_version)) for schema in runtime_ops.schemas()}
    assert wanted <= {(name, since) for name, versions in ops.items() for since in versions}


def test_the_table_is_written_as_it_is_read() -> None:
    text = runtime_ops.TABLE.read_text(encoding="utf-8")
    read = json.loads(text)
    assert runtime_ops.text(read["newest"], read["ops"]) == text
