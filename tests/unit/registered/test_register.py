"""Refusals of `onnxop_runtime.register`, with place, fact and remedy; they register nothing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from onnxop_runtime import register, unregister
from onnxop_runtime.operator import registry
from onnxop_runtime.operator.model import Operator
from onnxop_runtime.registered import SpecError, register_trusted
from tests.programs import program

SPEC = """[op]
schema = "aten::asinh"
doc = "The inverse hyperbolic sine."

[onnx]
opset = 9
mapping = "op.Asinh(self)"

[package]
name = "anything"

[[samples]]
self = "float32[3]"

[[errors]]
self = 3
raises = "TypeError"
"""
THRICE = "mapping = '''\nx = op.Asinh(self)  # µ\nreturn {}\n'''"


def changed(*pairs: tuple[str, str]) -> str:
    text = SPEC
    for before, after in pairs:
        assert before in text
        text = text.replace(before, after)
    return text


def op(line: str) -> str:
    return changed(('schema = "aten::asinh"', line))


def onnx(line: str) -> str:
    return changed(('opset = 9\nmapping = "op.Asinh(self)"', line))


REFUSED = {
    "table": (changed(("[package]", "[pakage]")), "9: pakage: unknown key pakage; did you mean package?"),
    "key": (op('schema = "aten::asinh"\ndocs = 1'), "3: op.docs: unknown key docs; did you mean doc?"),
    "key of onnx": (onnx("opsett = 9"), "6: onnx.opsett: unknown key opsett; did you mean opset?"),
    "type": (onnx("opset = 9.5"), "6: onnx.opset: expected an integer, got 9.5; write opset = 13"),
    "boolean": (
        onnx('opset = true\nmapping = "op.Asinh(self)"'),
        "6: onnx.opset: expected an integer, got True; write opset = 13",
    ),
    "items": (
        op('schema = "aten::asinh"\nrequires = [1]'),
        '3: op.requires[0]: expected a string, got 1; write requires = "text"',
    ),
    "no op": ("[onnx]\nopset = 9\n", '1: op: missing; add [op] with schema = "my_lib::my_add(Tensor a, Tensor b) -> Tensor"'),
    "no onnx": ('[op]\nschema = "aten::asinh"\n', "1: onnx: missing; add [onnx] with opset and mapping"),
    "no schema": (op(""), '1: op.schema: missing; add schema = "my_lib::my_add(Tensor a, Tensor b) -> Tensor"'),
    "value alone": ("op = 3\nonnx = 4\n", "1: op: expected a table, got 3; write one key = value per line under [op]"),
    "TOML": ('[op]\nschema = "aten::asinh\n', "2: not valid TOML: illegal character '\\n'; write one key = value per line, with strings in closed quotes, unde"),
    "no mapping": (onnx(""), '5: onnx.mapping: missing; add mapping = "op.Add(op.Mul(a, 2.0), b)", or domain = "my_lib" for one node of a do'),
    "no opset": (onnx('mapping = "op.Asinh(self)"'), "5: onnx.opset: missing; add opset = 13"),
    "opset": (
        onnx('opset = 3\nmapping = "op.Asinh(self)"'),
        "6: onnx.opset: the exporters write opsets 9 to ",
    ),
    "domain": (
        onnx('domain = "ai.onnx.ml"'),
        "6: onnx.domain: the domain 'ai.onnx.ml' is reserved for ONNX, ONNX Runtime or PyTorch; write another, such as ",
    ),
    "op type": (
        onnx('domain = "acme"\nop_type = "my add"'),
        "7: onnx.op_type: the op type 'my add' is not an identifier (ASCII letters, digits and _, not starting with a d",
    ),
    "version": (onnx('domain = "acme"\nversion = 0'), "7: onnx.version: expected 1 to 1000, got 0; write 1, for example"),
    "two rules": (
        onnx('decomposed = true\nopset = 9\nmapping = "op.Asinh(self)"'),
        "8: onnx.mapping: decomposed already defines the operator in ONNX; remove one of the two",
    ),
    "kernel": (
        f'{SPEC}\n[kernel]\nelementwise = "asinh(self)"\n',
        "19: kernel: a spec with a kernel needs a package; run onnxop new SPEC",
    ),
    "namespace": (op('schema = "asinh"'), "2: op.schema: the schema has no namespace; write my_lib::my_add(Tensor a) -> Tensor, with a name of your own f"),
    "name": (op('schema = "aten::"'), "2: op.schema: the operator name '' is empty; choose another"),
    "attribute": (
        op('schema = "aten::add.__class__"'),
        "2: op.schema: the overload '__class__' starts with two underscores, which Python and C++ reserve; choose anoth",
    ),
    "operator": (
        op('schema = "aten::asinhh"'),
        "2: op.schema: PyTorch has no operator aten::asinhh; did you mean asinh? A new operator needs a namespace of yo",
    ),
    "overload": (
        op('schema = "aten::median.dimm"'),
        "2: op.schema: aten::median has no overload dimm; write aten::median, aten::median.dim or aten::median.dim_valu",
    ),
    "signature": (
        op('schema = "aten::asinh(Tensor x) -> Tensor"'),
        "2: op.schema: the registered aten::asinh has another signature; write aten::asinh(Tensor self) -> Tensor, or i",
    ),
    "returns": (
        op('schema = "aten::asinh(Tensor self) -> Tensor[]"'),
        "2: op.schema: the registered aten::asinh has another signature; write aten::asinh(Tensor self) -> Tensor, or i",
    ),
    "in place": (op('schema = "aten::asinh_"'), "2: op.schema: the operator name 'asinh_' ends with an underscore, PyTorch's mark of an in-place operator, whic"),
    "no tensor": (
        op('schema = "aten::is_nonzero"'),
        "2: op.schema: the operator returns bool, but ONNX has only tensors: it cannot be exported",
    ),
    "module": (
        op('schema = "aten::asinh"\nrequires = ["no_such_module"]'),
        "3: op.requires[0]: no_such_module is not imported; import it first",
    ),
    "mapping": (
        changed(("op.Asinh(self)", "op.Asin(self, slef)")),
        "7: onnx.mapping: slef is neither an argument nor assigned before; did you mean self?",
    ),
    "lines": (
        changed(('mapping = "op.Asinh(self)"', THRICE.format("op.Asn(x)"))),
        "9: onnx.mapping: op.Asn is not an ONNX op at opset 9; did you mean op.Asin?",
    ),
    "opset of an op": (
        changed(('mapping = "op.Asinh(self)"', THRICE.format("op.Gelu(x)"))),
        "9: onnx.mapping: op.Gelu does not exist at opset 9; it came with opset 20: write opset = 20",
    ),
    "opset of a choice": (
        changed(("op.Asinh(self)", "op.Gelu(self) if opset >= 12 else self")),
        "7: onnx.mapping: op.Gelu does not exist at opset 12; it came with opset 20: write opset = 20",
    ),
    "size": (SPEC + "#" * 1_000_000, "has more than 1000000 bytes; give an op spec in TOML"),
    "way out": (
        changed(("op.Asinh(self)", "op.__init__")),
        "7: onnx.mapping: ",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    before = registry.operators()
    yield
    assert registry.operators() == before


@pytest.mark.parametrize(("spec", "why"), REFUSED.values(), ids=REFUSED)
def test_a_wrong_spec_is_refused(spec: str, why: str) -> None:
    with pytest.raises(SpecError) as raised:
        register(spec)
    lines = str(raised.value).split("<text>:")[1:]
    assert any(line.strip().startswith(why) for line in lines), raised.value


def test_all_of_a_spec_is_told_at_once() -> None:
    with pytest.raises(SpecError) as raised:
        register(
            changed(("doc =", "docs ="), ("opset = 9", "opset = '9'"), ("[package]", "[pack]"))
        )
    assert [(p.line, p.key) for p in raised.value.problems] == [
        (3, "op.docs"),
        (6, "onnx.opset"),
        (9, "pack"),
    ]


def test_a_folder_of_specs_is_registered(tmp_path: Path) -> None:
    (tmp_path / "asinh.toml").write_text(SPEC)
    (tmp_path / "acosh.toml").write_text(SPEC.replace("asinh", "acosh").replace("Asinh", "Acosh"))
    made = register(tmp_path)
    assert [str(operator) for operator in made] == ["aten::acosh", "aten::asinh"]
    unregister(made)
    (tmp_path / "wrong.toml").write_text(SPEC.replace("doc", "docs"))
    (tmp_path / "twice.toml").write_text(SPEC)
    with pytest.raises(SpecError) as raised:
        register(str(tmp_path))
    assert [str(problem).split("\n")[0] for problem in raised.value.problems] == [
        f"{tmp_path}/wrong.toml:3: op.docs: unknown key docs; did you mean doc?",
    ]
    (tmp_path / "wrong.toml").unlink()
    with pytest.raises(SpecError) as raised:
        register(str(tmp_path))
    twice = "op.schema: aten::asinh.default has two specs; remove one of them"
    assert str(raised.value).startswith(f"{tmp_path}/twice.toml:2: {twice}\n")


def test_what_is_no_spec_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "latin = 1.toml").write_bytes(b"# \xe4\n")
    (tmp_path / "long.toml").write_text("#" * 3_000_000)
    os.mkfifo(tmp_path / "pipe.toml")
    for source, why in (
        (
            tmp_path / "empty",
            f"{tmp_path}/empty: has no op spec; give a folder of .toml files, or files",
        ),
        (
            "no.toml",
            "no.toml: cannot be read: No such file or directory; give the path of an op spec",
        ),
        (
            tmp_path / "latin = 1.toml",
            f"{tmp_path}/latin = 1.toml:1: not UTF-8; save the file as UTF-8",
        ),
        (tmp_path / "long.toml", f"{tmp_path}/long.toml: has more than 1000000 bytes; give"),
        (
            tmp_path / "pipe.toml",
            f"{tmp_path}/pipe.toml: cannot be read: it is not a plain file; give",
        ),
        ("/dev/zero", "/dev/zero: cannot be read: it is not a plain file; give the path of an op"),
    ):
        with pytest.raises(SpecError) as raised:
            register(source)
        assert str(raised.value).startswith(why)
    with pytest.raises(TypeError, match="register takes the path or the text of a spec, not int"):
        register(3)  # type: ignore[arg-type]


def _added_to(before: Sequence[Operator]) -> list[Operator]:
    return [operator for operator in registry.operators() if operator not in before]


def test_a_second_registration_replaces_the_first() -> None:
    before = registry.operators()
    first, second = register(SPEC), register(SPEC)
    assert _added_to(before) == second  # replaces the first
    unregister(first)
    assert _added_to(before) == second
    unregister(second)
    unregister(second)
    [one] = register(SPEC)
    unregister(one)


@pytest.mark.parametrize(
    ("operators", "named"),
    [
        ("aten::x", "'aten::x'"),
        (["aten::x"], "'aten::x'"),
        ([3], "3"),
        (None, "None"),
        ({"aten::x": 1}, "{'aten::x': 1}"),
        (b"x", "b'x'"),
    ],
)
def test_what_unregister_does_not_take(operators: Any, named: str) -> None:
    message = f"unregister takes the operators that register returned, not {named}"
    with pytest.raises(TypeError, match=re.escape(message)):
        unregister(operators)


def test_composed_ones_are_for_whom_they_are_trusted_by() -> None:
    kron = Path(str(sys.modules["onnxop_runtime"].__path__[0]), "gallery/aten/kron.toml")
    with pytest.raises(
        SpecError, match=r"kron.toml:\d+: kernel: a spec with a kernel needs a package"
    ):
        register(kron)
    with pytest.raises(
        SpecError, match="<spec 1>:19: kernel: a spec with a kernel needs a package"
    ):
        register_trusted([f'{SPEC}\n[kernel]\nelementwise = "asinh(self)"\n'])


LIGHT = program("specs/light")


@pytest.mark.slow
def test_it_imports_nothing_of_the_generator() -> None:
    command = [sys.executable, "-W", "ignore", "-c", LIGHT, SPEC]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout == "[]\n"
