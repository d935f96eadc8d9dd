"""Specs that make one package: valid and invalid combinations."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from onnxop import cli
from onnxop.check.load import load_package, parse_package
from onnxop.errors import InvalidSpecError

SPEC = """\
[op]
schema = "{op}(Tensor x) -> Tensor"

[onnx]
opset = 13
mapping = "op.Neg(x)"

[kernel]
{kernel}
"""


def spec(op: str, kernel: str = 'elementwise = "-x"', package: str = "") -> str:
    return SPEC.format(op=op, kernel=kernel) + (f"\n[package]\n{package}\n" if package else "")


def refused(texts: dict[str, str], name: str = "") -> list[str]:
    with pytest.raises(InvalidSpecError) as caught:
        parse_package(texts, name)
    return [line.split("\n")[0] for line in caught.value.lines]


def test_several_specs_become_one_package() -> None:
    texts = {
        "b.toml": spec("two::minus", package='version = "2.0"'),
        "a.toml": spec("one::negated", package='name = "acme_ops"\nlicense = "MIT"'),
    }
    package_spec = parse_package(texts)
    assert [op.op for op in package_spec.ops] == ["one::negated", "two::minus"]
    assert package_spec.texts == texts
    package = package_spec.package
    assert (package.name, package.version, package.license) == ("acme_ops", "2.0", "MIT")
    assert package.description == ("The operators of acme_ops for PyTorch, ONNX and ONNX Runtime.")
    assert {op.package for op in package_spec.ops} == {package}


ROWS = """\
[op]
schema = "one::rows(Tensor table, Tensor index, Tensor[] masks) -> Tensor"

[onnx]
opset = 13
mapping = "op.Gather(table, index, axis=0)"

[kernel]
{kernel}

[[samples]]
table = "float32[3, 4]"
index = [0, 2]
masks = ["bool[3]", "int8[2]"]
{more}
"""
INTEGERS_AND_FLOATS = """
[[samples]]
table = "float32[3, 4]"
index = "int64[0]"
masks = ["float32[3]"]
"""


@pytest.mark.parametrize(
    "kernel", ["python = 'table[index]'", "source = 'r.h'\npython = 'table[index]'"]
)
def test_integers_have_no_gradients(kernel: str) -> None:
    (op,) = parse_package({"a.toml": ROWS.format(kernel=kernel, more="")}).ops
    assert op.integer_tensors == ("index", "masks")
    assert op.kernel_gradients + op.reference_gradients == ("table",)
    (op,) = parse_package({"a.toml": ROWS.format(kernel=kernel, more=INTEGERS_AND_FLOATS)}).ops
    assert op.integer_tensors == ("index",)
    assert op.kernel_gradients + op.reference_gradients == ("table", "masks")


def test_an_elementwise_kernel_has_gradients_of_floats() -> None:
    """Integers in the samples are not all that the kernel supports: formulas and autograd hold for
    floats.
    """
    sample = '\n[autograd]\nx = "-grad"\n\n[[samples]]\nx = "int64[3]"\n'
    (op,) = parse_package({"a.toml": spec("one::negated") + sample}).ops
    assert op.integer_tensors == () and op.derivatives.keys() == {"x"}
    (op,) = parse_package(
        {"a.toml": spec("one::negated") + sample.replace('x = "-grad"', "", 1)}
    ).ops
    assert op.reference_gradients == ("x",)


def test_a_name_is_given_beside_them() -> None:
    texts = {"a.toml": spec("one::negated"), "b.toml": spec("two::wheel")}
    assert parse_package(texts, "acme_ops").package.name == "acme_ops"
    assert refused(texts) == [
        (
            "--name: missing; a package of several operators needs a name: give --name my_ops, or write "
            'name = "my_ops" under [package] in one of the specs'
        )
    ]
    (message,) = refused(texts, "wheel")
    assert message.startswith("the name: 'wheel' is that of a module")
    assert message.endswith('; write name = "my_ops" under [package] in one of the specs')


def test_a_wrong_name_is_that_of_the_option(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.toml").write_text(spec("one::negated"), encoding="utf-8")
    assert cli.main(["new", str(tmp_path / "a.toml"), "--name", "my ops"]) == 1
    message = capsys.readouterr().err
    assert (
        message.startswith("--name: 'my ops' is not an identifier") and "choose another" in message
    )


def test_two_names_of_a_package_are_refused() -> None:
    texts = {
        "a.toml": spec("one::negated", package='name = "acme_ops"'),
        "b.toml": spec("two::minus", package='name = "other_ops"'),
    }
    assert refused(texts) == [
        "ops/b.toml:12: package.name: name is 'acme_ops' in ops/a.toml; remove one of the two"
    ]


def test_a_spec_given_twice(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(spec("one::negated"), encoding="utf-8")
    for paths in ([tmp_path / "a.toml"] * 2, [tmp_path, tmp_path / "a.toml"]):
        with pytest.raises(InvalidSpecError, match=r"a\.toml: is given twice; give it once"):
            load_package(paths, "my_ops", is_new=True)


def test_a_name_beside_that_of_a_spec(tmp_path: Path) -> None:
    """Check that a new package refuses a second name, and that specs rename an existing package."""
    text = spec("one::negated", package='name = "acme_ops"')
    file = tmp_path / "a.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidSpecError) as caught:
        load_package([file], "other_ops", is_new=True)
    (message,) = (line.split("\n")[0] for line in caught.value.lines)
    assert message == (
        f"{file}:12: package.name: acme_ops here, but other_ops was asked for; remove one of the two"
    )
    package_spec = parse_package({"a.toml": text}, "other_ops")
    assert (package_spec.package.name, package_spec.explicit_name) == ("acme_ops", "acme_ops")


TOO = (
    "too; keep one, or give one a name of its own, as in "
    'name = "..." under [op], or op_type = "..." under [onnx]'
)


def test_one_node_of_several_operators() -> None:
    node = 'op.Neg(x)"\ndomain = "dd"\nop_type = "Same"'
    operators = {"a": "one::negated", "b": "two::minus", "c": "one::third"}
    texts = {f"{n}.toml": spec(op).replace('op.Neg(x)"', node) for n, op in operators.items()}
    assert refused(texts, "acme_ops") == [
        f"ops/{file}.toml:8: onnx.op_type: ops/a.toml has the node dd::Same, {TOO}" for file in "bc"
    ]


def test_one_operator_in_several_specs() -> None:
    texts = {f"{name}.toml": spec("one::negated") for name in "abc"}
    assert refused(texts, "acme_ops") == [
        f"ops/{file}.toml:2: op.schema: ops/a.toml has the operator one::negated, {TOO}"
        for file in "bc"
    ]


@pytest.mark.parametrize(("other", "name"), [("two::my_neg", "my_neg"), ("two::MyNeg", "MyNeg")])
def test_one_name_twice(other: str, name: str) -> None:
    texts = {"a.toml": spec("one::my_neg"), "b.toml": spec(other)}
    fact = f"op.schema: ops/a.toml has the name {name}, {TOO}"
    assert refused(texts, "acme_ops") == [f"ops/b.toml:2: {fact}"]


def test_an_operator_called_as_another_s_gradients() -> None:
    texts = {
        "a.toml": spec("one::neg", 'python = "-x"'),
        "b.toml": spec("one::neg_backward", 'python = "-x"'),
    }
    assert refused(texts, "acme_ops") == [
        f"ops/b.toml:2: op.schema: ops/a.toml has the name neg_backward, {TOO}"
    ]
    assert parse_package(texts | {"a.toml": spec("one::neg")}, "acme_ops")


def test_one_kernel_s_file_twice() -> None:
    source = 'source = "kernel.h"'
    texts = {"a.toml": spec("one::negated", source), "b.toml": spec("two::minus", source)}
    assert refused(texts, "acme_ops") == [
        f"ops/b.toml:9: kernel.source: ops/a.toml has the kernel's file kernel.h, {TOO}"
    ]


def test_every_spec_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(spec("one::negated").replace("op.Neg", "op.Nag"))
    (tmp_path / "b.toml").write_text(spec("two::minus").replace("Tensor x", "Tensr x"))
    wrong = {"c.toml": "[op\n", "d.toml": spec("three::neg").replace("opset", "opst")}
    for name, text in wrong.items():
        (tmp_path / name).write_text(text)

    def faulty() -> set[str]:
        """Return the files that the messages name."""
        with pytest.raises(InvalidSpecError) as caught:
            load_package([tmp_path], "my_ops", is_new=True)
        return {line.split(":")[0].rpartition("/")[2] for line in caught.value.lines}

    assert faulty() == {"c.toml", "d.toml"}  # TOML, keys and types come first
    for name in wrong:
        (tmp_path / name).unlink()
    assert faulty() == {"a.toml", "b.toml"}


def test_a_folder_without_specs(tmp_path: Path) -> None:
    with pytest.raises(
        InvalidSpecError, match="has no op spec; give a folder of .toml files, or files"
    ):
        load_package([tmp_path], is_new=True)


@pytest.mark.slow
def test_check_of_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Check that specs are compared with each other, also if listed singly, and need no package
    name yet.
    """
    (tmp_path / "a.toml").write_text(spec("one::negated"), encoding="utf-8")
    (tmp_path / "b.toml").write_text(spec("two::minus"), encoding="utf-8")
    assert cli.main(["check", str(tmp_path)]) == 0
    assert capsys.readouterr().out == (
        f"{tmp_path}/a.toml: one::negated is fine\n{tmp_path}/b.toml: two::minus is fine\n"
    )
    (tmp_path / "b.toml").write_text(spec("two::negated"), encoding="utf-8")
    for paths in ([tmp_path], [tmp_path / "b.toml", tmp_path / "a.toml"]):
        assert cli.main(["check", *map(str, paths)]) == 1
        assert " has the name negated, too" in capsys.readouterr().err
    (tmp_path / "package" / "ops").mkdir(parents=True)
    (tmp_path / "package" / "pyproject.toml").touch()
    (tmp_path / "package" / "ops" / "f.toml").write_text(spec("one::f"), encoding="utf-8")
    assert cli.main(["check", str(tmp_path / "package")]) == 0
    assert capsys.readouterr().out == f"{tmp_path}/package/ops/f.toml: one::f is fine\n"
    (tmp_path / "other").mkdir()
    (tmp_path / "b.toml").rename(tmp_path / "other" / "b.toml")
    paths = [tmp_path / "other" / "b.toml", tmp_path / "a.toml"]
    assert cli.main(["check", *map(str, paths)]) == 0
    assert capsys.readouterr().out == (
        f"{paths[0]}: two::negated is fine\n{paths[1]}: one::negated is fine\n"
    )


def test_each_is_checked_against_onnx() -> None:
    """Check that ONNX's answer for one operator does not serve the next."""
    texts = {
        "a.toml": spec("one::negated"),
        "b.toml": spec("two::inverted").replace("op.Neg(x)", "op.Not(x)"),
    }
    (message,) = refused(texts, "acme_ops")
    assert message.startswith(
        "ops/b.toml:6: onnx.mapping: ONNX refuses op.Not: X typestr: T, has unsupported type: tensor(float)"
    )


OVERLOAD = """\
[op]
schema = "aten::{overload}"
{name}

[onnx]
opset = 13
mapping = "op.Identity(self)"

[[samples]]
self = "float32[2]"
"""


def test_overloads_of_one_operator() -> None:
    """Check that each overload has its own name, which makes it another operator."""
    texts = {
        "a.toml": OVERLOAD.format(overload="squeeze", name=""),
        "b.toml": OVERLOAD.format(overload="squeeze.dim", name='name = "squeeze_dim"')
        + "dim = 0\n",
    }
    package_spec = parse_package(texts, "acme_ops")
    assert [(op.schema.public_name, op.class_name, op.op_type) for op in package_spec.ops] == [
        ("squeeze", "Squeeze", "squeeze"),
        ("squeeze_dim", "SqueezeDim", "squeeze_dim"),
    ]
    texts["b.toml"] = texts["b.toml"].replace('name = "squeeze_dim"\n', "")
    assert refused(texts, "acme_ops")[0] == (
        f"ops/b.toml:2: op.schema: ops/a.toml has the name squeeze, {TOO}"
    )


def test_a_name_that_cannot_be() -> None:
    [own] = refused(
        {"a.toml": spec("one::negated").replace("\n\n[onnx]", '\nname = "b"\n\n[onnx]', 1)}
    )
    assert own == (
        "ops/a.toml:3: op.name: a new operator has the name in its schema; remove the "
        "line, and write one::b there"
    )
    [kept] = refused({"a.toml": OVERLOAD.format(overload="squeeze", name='name = "export"')})
    assert kept.startswith("ops/a.toml:3: op.name: the name 'export' is reserved for")


BOTH = 'runtimes = ["onnxruntime", "openvino"]'


@pytest.mark.slow
@pytest.mark.parametrize("package", ["", 'license = "MIT"', BOTH])
def test_one_more_runtime(tmp_path: Path, package: str) -> None:
    (tmp_path / "neg.toml").write_text(spec("my_lib::neg", package=package), "utf-8")
    assert cli.main(["new", "--runtime", "openvino", f"{tmp_path}/neg.toml", f"{tmp_path}/p"]) == 0
    made = (tmp_path / "p" / "ops" / "neg.toml").read_text("utf-8")
    assert made.count(BOTH) == 1 and package in made
    assert "openvino=True" in (tmp_path / "p" / "setup.py").read_text("utf-8")
    assert load_package([tmp_path / "p"], is_new=False).package.runtimes[1:] == ("openvino",)
    project = tomllib.loads((tmp_path / "p" / "pyproject.toml").read_text("utf-8"))
    assert (
        "openvino" in project["build-system"]["requires"]
    )  # pip's isolated build has nothing more
    assert "libopenvino*" in project["tool"]["cibuildwheel"]["linux"]["repair-wheel-command"]
    assert "| `openvino_extension` |" in (tmp_path / "p" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("package", ["", BOTH])
def test_a_runtime_of_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], package: str
) -> None:
    text = spec("my_lib::neg", 'python = "-x"', package)
    (tmp_path / "neg.toml").write_text(text, "utf-8")
    options = [] if package else ["--runtime", "openvino"]
    assert cli.main(["new", *options, f"{tmp_path}/neg.toml", f"{tmp_path}/p"]) == 1
    assert "none of the operators has a C++ kernel to build" in capsys.readouterr().err
