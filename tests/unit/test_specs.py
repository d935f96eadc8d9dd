"""Refusals of `onnxop_runtime.register`, with place, fact and remedy; they register nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from onnxop_runtime import register, registry, unregister
from onnxop_runtime.registered import SpecError, register_trusted, tables
from onnxop_runtime.specs.document import Document, keys_of
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
    "table": (changed(("[package]", "[pakage]")), "9: pakage: unknown table pakage; did you mean package?"),
    "key": (op('schema = "aten::asinh"\ndocs = 1'), "3: op.docs: unknown key docs; did you mean doc?"),
    "key of onnx": (onnx("opsett = 9"), "6: onnx.opsett: unknown key opsett; did you mean opset?"),
    "type": (onnx("opset = 9.5"), "6: onnx.opset: expected an integer, found a float"),
    "boolean": (
        onnx('opset = true\nmapping = "op.Asinh(self)"'),
        "6: onnx.opset: expected an integer, found a boolean",
    ),
    "items": (
        op('schema = "aten::asinh"\nrequires = [1]'),
        "3: op.requires: expected an array of strings, found an array",
    ),
    "no op": ("[onnx]\nopset = 9\n", 'op: missing; add [op] with schema = "aten::asinh"'),
    "no onnx": ('[op]\nschema = "aten::asinh"\n', "onnx: missing; add [onnx]"),
    "no schema": (op(""), '1: op.schema: missing; add schema = "aten::asinh"'),
    "value alone": ("op = 3\nonnx = 4\n", "1: op: expected a table, found an integer; write [op]"),
    "TOML": ('[op]\nschema = "aten::asinh\n', "not valid TOML: Illegal character"),
    "no mapping": (onnx(""), '5: onnx.mapping: missing; add mapping = "op.Asinh(self)", or domain = "my_lib"'),
    "no opset": (onnx('mapping = "op.Asinh(self)"'), "5: onnx.opset: the exporters write opsets 9 to "),
    "opset": (
        onnx('opset = 3\nmapping = "op.Asinh(self)"'),
        "6: onnx.opset: the exporters write opsets 9 to ",
    ),
    "domain": (
        onnx('domain = "ai.onnx.ml"'),
        "6: onnx.domain: 'ai.onnx.ml' is a reserved domain; use a name such as my_lib",
    ),
    "op type": (
        onnx('domain = "acme"\nop_type = "my add"'),
        "7: onnx.op_type: 'my add' is not allowed; write letters",
    ),
    "version": (onnx('domain = "acme"\nversion = 0'), "7: onnx.version: 0 is not allowed; write 1 to 1000"),
    "two rules": (
        onnx('decomposed = true\nopset = 9\nmapping = "op.Asinh(self)"'),
        "8: onnx.mapping: decomposed already defines the operator in ONNX; remove one of the two",
    ),
    "kernel": (
        f'{SPEC}\n[kernel]\nelementwise = "asinh(self)"\n',
        "19: kernel: a spec with a kernel needs a package; run onnxop new SPEC",
    ),
    "namespace": (op('schema = "asinh"'), "2: op.schema: 'asinh' is not an operator's name; write aten::asinh, for example"),
    "name": (op('schema = "aten::"'), "2: op.schema: 'aten::' is not an operator's name; write aten::asinh"),
    "attribute": (
        op('schema = "aten::add.__class__"'),
        "2: op.schema: aten::add has no overload __class__; write one of aten::add.Tensor, ",
    ),
    "operator": (
        op('schema = "aten::asinhh"'),
        "2: op.schema: PyTorch has no operator aten::asinhh; import the module that registers it",
    ),
    "overload": (
        op('schema = "aten::median.dimm"'),
        "2: op.schema: aten::median has no overload dimm; write one of aten::median.default, ",
    ),
    "signature": (
        op('schema = "aten::asinh(Tensor x) -> Tensor"'),
        "2: op.schema: aten::asinh has another signature; write aten::asinh(Tensor self) -> Tensor",
    ),
    "returns": (
        op('schema = "aten::asinh(Tensor self) -> Tensor[]"'),
        "2: op.schema: aten::asinh has another signature; write ",
    ),
    "in place": (op('schema = "aten::asinh_"'), "2: op.schema: aten::asinh_ writes into its arguments; write "),
    "no tensor": (
        op('schema = "aten::is_nonzero"'),
        "2: op.schema: aten::is_nonzero returns no tensor; ",
    ),
    "module": (
        op('schema = "aten::asinh"\nrequires = ["no_such_module"]'),
        "3: op.requires: no_such_module is not imported; import it first",
    ),
    "mapping": (
        changed(("op.Asinh(self)", "op.Asin(self, slef)")),
        "7: onnx.mapping: slef is neither an argument nor assigned before; did you mean self?",
    ),
    "lines": (
        changed(('mapping = "op.Asinh(self)"', THRICE.format("op.Asn(x)"))),
        "9: onnx.mapping: op.Asn is not an ONNX op; did you mean op.",
    ),
    "opset of an op": (
        changed(('mapping = "op.Asinh(self)"', THRICE.format("op.Gelu(x)"))),
        "9: onnx.mapping: op.Gelu does not exist at opset 9; it came with opset 20: write opset = 20",
    ),
    "opset of a choice": (
        changed(("op.Asinh(self)", "op.Gelu(self) if opset >= 12 else self")),
        "7: onnx.mapping: op.Gelu does not exist at opset 12; it came with opset 20: write opset = 20",
    ),
    "size": (SPEC + "#" * 1_000_000, "has more than 1000000 characters; give an op spec in TOML"),
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
def test_refused(spec: str, why: str) -> None:
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


def test_every_key_of_a_spec_is_known() -> None:
    """Check the generator's keys: each is used, ignored as it does not concern the rule, or refused with a kernel."""
    assert (
        {*keys_of(())}
        == {*tables._KEYS, *tables._OF_PACKAGES}
        == {field.name for field in fields(Document)} - {"keys"}
    )
    for table in ("op", "onnx"):
        assert {*keys_of((table,))} == {*tables._KEYS[table]}
    assert {*keys_of(("kernel",))} == {*tables._KEYS["kernel"], *tables._COMPILED}


def test_a_folder(tmp_path: Path) -> None:
    (tmp_path / "asinh.toml").write_text(SPEC)
    (tmp_path / "acosh.toml").write_text(SPEC.replace("asinh", "acosh").replace("Asinh", "Acosh"))
    made = register(tmp_path)
    assert [str(operator) for operator in made] == ["aten::acosh", "aten::asinh"]
    unregister(made)
    (tmp_path / "wrong.toml").write_text(SPEC.replace("doc", "docs"))
    (tmp_path / "twice.toml").write_text(SPEC)
    with pytest.raises(SpecError) as raised:
        register(str(tmp_path))
    assert [str(problem) for problem in raised.value.problems] == [
        (
            f"{tmp_path}/twice.toml:2: op.schema: aten::asinh.default has two specs; remove one of "
            "them"
        ),
        f"{tmp_path}/wrong.toml:3: op.docs: unknown key docs; did you mean doc?",
    ]


def test_paths(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "latin = 1.toml").write_bytes(b"# \xe4\n")
    (tmp_path / "long.toml").write_text("#" * 3_000_000)
    os.mkfifo(tmp_path / "pipe.toml")
    for source, why in (
        (
            tmp_path / "empty",
            f"{tmp_path}/empty: the folder has no spec; give the path of a .toml file",
        ),
        ("no.toml", "no.toml: cannot be read: [Errno 2] No such file or directory"),
        (tmp_path / "latin = 1.toml", f"{tmp_path}/latin = 1.toml: cannot be read: 'utf-8' codec"),
        (tmp_path / "long.toml", f"{tmp_path}/long.toml: has more than 1000000 characters; give"),
        (
            tmp_path / "pipe.toml",
            f"{tmp_path}/pipe.toml: cannot be read: not a regular file; give",
        ),
        ("/dev/zero", "/dev/zero: cannot be read: not a regular file; give the path of a .toml"),
    ):
        with pytest.raises(SpecError) as raised:
            register(source)
        assert str(raised.value).startswith(why)
    with pytest.raises(TypeError, match="register takes the path or the text of a spec, not int"):
        register(3)  # type: ignore[arg-type]


def test_twice() -> None:
    first, second = register(SPEC), register(SPEC)
    assert registry.operators() == second  # replaces the first
    unregister(first)
    assert registry.operators() == second
    unregister(second)
    unregister(second)
    [one] = register(SPEC)
    unregister(one)
    with pytest.raises(TypeError, match="unregister takes what register returned, not 3"):
        unregister([3])  # type: ignore[list-item]


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
