"""Texts of a spec in a package's Python: what they hold does not end their string."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tests import rendering

TEXTS = [
    'a """ b',
    '"""',
    'ends with "',
    "it's",
    "ends with \\",
    "\\N{DASH} \\x4",
    "''' {{ 7 * 7 }} {% raw %} {0} %s",
    "# noqa",
]
SPEC = """
[op]
schema = {schema}
arguments = {{ x = {note} }}
[onnx]
opset = 18
mapping = "op.Neg(x)"
[kernel]
python = "-x"
[[samples]]
x = "float32[2, 3]"
"""


def test_a_docstring_shows_defaults_as_they_are(tmp_path: Path) -> None:
    defaults = ", ".join(f"str a{index}={text!r}" for index, text in enumerate(TEXTS))
    schema = f"my_lib::f(Tensor x, {defaults}) -> Tensor"
    spec = tmp_path / "f.toml"
    note = json.dumps(TEXTS[0])
    spec.write_text(SPEC.format(schema=json.dumps(schema), note=note), encoding="utf-8")

    rendering.generate(spec, tmp_path / "package")

    module = ast.parse((tmp_path / "package/src/f/_f.py").read_text(encoding="utf-8"))
    functions = [part for part in module.body if isinstance(part, ast.FunctionDef)]
    (function,) = (part for part in functions if part.name == "f")
    said = " ".join((ast.get_docstring(function) or "").split())
    assert f"x: {TEXTS[0]}." in said
    for index, text in enumerate(TEXTS):
        assert f"a{index}: a string; {text!r} by default." in said
    assert [ast.literal_eval(default) for default in function.args.defaults] == TEXTS


OPSET = """
[op]
schema = "my_lib::f(Tensor x, Tensor opset) -> Tensor"
[onnx]
opset = 18
mapping = "op.Add(x, opset)"
[kernel]
elementwise = "x + opset"
"""


@pytest.mark.slow
def test_an_argument_may_be_named_opset(tmp_path: Path) -> None:
    (tmp_path / "f.toml").write_text(OPSET, encoding="utf-8")
    rendering.generate(tmp_path / "f.toml", tmp_path / "package")
    module = ast.parse((tmp_path / "package/src/f/_f.py").read_text(encoding="utf-8"))
    functions = [part for part in module.body if isinstance(part, ast.FunctionDef)]
    (rule,) = (part for part in functions if part.name == "to_onnx")
    assert [argument.arg for argument in rule.args.args] == ["op", "x", "opset"]
    assert not rule.args.kwonlyargs
