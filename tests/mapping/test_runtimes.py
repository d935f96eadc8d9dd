"""The ONNX Runtime releases that run a mapping, by opset."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest

from onnxop.check.load import load, notes
from onnxop.check.runtimes import needs
from tests.tools import runtime_ops

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
    assert note.startswith(
        "onnx.mapping: at opsets 22 to 25 ONNX Runtime has no kernel of GlobalLpPool, in any"
    )
    chosen = "op.GlobalLpPool(x) if opset < 22 else op.Abs(x)"
    for mapping in (chosen, "op.Abs(x)"):
        path.write_text(SPEC.format(opset=21, mapping=mapping), encoding="utf-8")
        assert not notes(load(path))


# Two nested functions, and an unknown node.
MODEL = """<ir_version: {ir}, opset_import: ["" : {opset}, "a" : 1, "com.microsoft" : 1]>
g ({dtype}[2] x) => ({dtype}[2] y) {{ u = a.outer (x)
[named] y = {last} (u) }}
<domain: "a", opset_import: ["" : {opset}, "a" : 1]>
outer (x) => (y) {{ z = Add (x, x)
y = a.inner (z) }}
<domain: "a", opset_import: ["" : {inner}]>
inner (x) => (y) {{ y = Cos (x) }}"""
PLAIN = {"ir": 8, "opset": 18, "inner": 18, "dtype": "float", "last": "Relu"}


@pytest.mark.parametrize(
    ("changes", "release", "lacking"),
    [
        ({}, 17, ""),
        ({"ir": 10}, 18, "IR version 10, since 1.18"),
        ({"ir": 10, "opset": 22, "inner": 22}, 21, "opset 22, since 1.21"),
        ({"dtype": "double"}, 29, "Cos of opset 18 in double (that of u), since 1.29"),
        ({"dtype": "int8"}, 21, "Add of opset 18 in int8 (that of z__1), since 1.21"),
        ({"inner": 13}, 30, "its dtypes, in 1.30, earlier ones are unknown"),
        ({"last": "Swish", "opset": 24, "inner": 24}, 24, "opset 24, since 1.24"),
        (
            {"last": "com.microsoft.Gelu"},
            30,
            "com.microsoft::Gelu (named), in 1.30, earlier ones are unknown",
        ),
        ({"opset": 99, "inner": 99}, 30, "opset 99, in 1.30, earlier ones are unknown"),
    ],
)
def test_the_first_release_of_a_model(
    changes: dict[str, object], release: int, lacking: str
) -> None:
    """Functions count unless a library computes their nodes."""
    model = onnx.parser.parse_model(MODEL.format(**PLAIN | changes))
    need = needs(model, (), 30)
    assert (need.first, need.lacking(release - 1)) == (release, lacking)
    assert str(need) == f"1.{release} and later{f' ({lacking})' * bool(lacking)}"
    if changes in ({"dtype": "double"}, {"dtype": "int8"}):
        assert str(needs(model, {("a", "outer")}, 30)) == "1.17 and later"


def test_nodes_of_other_domains_alone() -> None:
    text = """<ir_version: 8, opset_import: ["a" : 1]>
    g (float[2] x) => (float[2] y) { y = a.outer (x) }"""
    model = onnx.parser.parse_model(text)
    assert str(needs(model, {("a", "outer")}, 30)) == "1.17 and later"


def test_the_words_for_a_release() -> None:
    text = MODEL.format(**PLAIN | {"dtype": "double", "ir": 10, "last": "Cos"})
    message = needs(onnx.parser.parse_model(text), (), 30).lacking(20)
    assert message == "Cos of opset 18 in double (that of u and named), since 1.29"
    assert needs(onnx.parser.parse_model(text), (), 20).first == 20  # which runs it


def test_the_table_has_what_onnx_has() -> None:
    """Fail for a newer onnx with newer ops: poe runtimes tries them."""
    ops = json.loads(runtime_ops.TABLE.read_text(encoding="utf-8"))["ops"]
    wanted = {(schema.name, str(schema.since_version)) for schema in runtime_ops.schemas()}
    assert wanted <= {(name, since) for name, versions in ops.items() for since in versions}


def test_the_table_is_written_as_it_is_read() -> None:
    text = runtime_ops.TABLE.read_text(encoding="utf-8")
    read = json.loads(text)
    assert runtime_ops.text(read["newest"], read["ops"]) == text
