"""The C++ of an op: its model, and files that clang-format leaves unchanged."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from onnxop.check import load
from onnxop.code.cpp import cpp_op, string
from onnxop_runtime.specs.names import problem_with_argument
from tests import rendering

ROOT = Path(__file__).parents[3]


def test_a_string_literal_is_escaped() -> None:
    text = 'f(x)\n\n"a\\b?" \u00e9'
    assert string(text) == '"f(x)\\n\\n\\"a\\\\b?\\" \\303\\251"'


SPEC = """
[op]
schema = "{namespace}::{op}({schema}) -> Tensor"
[onnx]
opset = 13
mapping = "op.Mul({a}, {b})"
[kernel]
elementwise = "{elementwise}"
"""


def spec(length: int) -> str:
    a, b, c, n, flag = (letter * length for letter in ("a", "b", "c", "n", "f"))
    arguments = f"Tensor {a}, Tensor {b}, float {c}=1.5, int {n}={-(2**63)}, *, bool {flag}=False"
    expression = f"{flag} ? {a} * {b} : {n} == 3 && {a} > {b} ? {c} : ({b} > {a} ? 1 : {a} - {b})"
    return SPEC.format(
        namespace="n" * min(length, 60),
        op="o" * min(length, 40),
        schema=arguments,
        a=a,
        b=b,
        elementwise=expression,
    )


def check_format(package: Path) -> None:
    files = [str(f) for f in sorted((package / "csrc").rglob("*")) if f.suffix in (".h", ".cpp")]
    files += [str(file) for file in sorted((package / "ops").rglob("*.h"))]
    style = f"--style=file:{ROOT / '.clang-format'}"
    command = ["clang-format", style, "--dry-run", "-Werror", *files]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang-format") is None, reason="needs clang-format")
@pytest.mark.parametrize("length", [2, 5, 14, 26, 40, 90])
def test_generated_code_is_as_clang_format_leaves_it(length: int, tmp_path: Path) -> None:
    path = tmp_path / "op.toml"
    path.write_text(spec(length))
    package = tmp_path / "package"
    rendering.generate(path, package)
    check_format(package)
    text = (package / "csrc" / f"{'o' * min(length, 40)}.cpp").read_text()
    description = " ".join(text.split())  # long names break lines
    assert ".default_value = int64_t{-9223372036854775807 - 1}}," in description
    assert ".default_value = false, .keyword_only = true}," in description


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang-format") is None, reason="needs clang-format")
def test_a_skeleton_is_as_clang_format_leaves_it(tmp_path: Path) -> None:
    path = tmp_path / "op.toml"
    schema = "m::f(Tensor x, Tensor? y=None, *, SymInt[2]? s=None, float[] w=[1.0], str t='a')"
    path.write_text(
        f'op.schema = "{schema} -> (Tensor a, Tensor b)"\n'
        'kernel.source = "kernel.h"\nkernel.backward = ["x", "y"]\n'
        '[onnx]\nopset = 18\ndomain = "m"\n[[samples]]\nx = "float32[2]"\n'
    )
    package = tmp_path / "package"
    rendering.generate(path, package)
    check_format(package)
    description = (package / "csrc" / "f.cpp").read_text()
    for line in (
        '    Argument{.name = "x", .type = "Tensor"},\n',
        '    Argument{.name = "y", .type = "Tensor?", .default_value = None()},\n',
        '    Argument{.name = "s", .type = "SymInt[2]?", .default_value = None(), .keyword_only = true},\n',
        '    Argument{.name = "w", .type = "float[]", .default_value = kReals<1.0>, .keyword_only = true},\n',
        '    Argument{.name = "t", .type = "str", .default_value = "a", .keyword_only = true},\n',
        '    Result{.name = "a", .dtype = kAnyDtype, .grad = "grad_a"},\n',
    ):
        assert line in description


MOST_ARGUMENTS = 60
"""Fewer than PyTorch allows an operator."""
ELEMENTWISE = """
op.schema = "m::f({schema}) -> Tensor"
kernel.elementwise = "{elementwise}"
[onnx]
opset = 13
mapping = "op.Sum({arguments})"
"""


def header(arguments: list[str], folder: Path) -> Path:
    """Return the header of the sum of these arguments, half of them numbers."""
    folder.mkdir(exist_ok=True)
    path, package = folder / "op.toml", folder / f"package_of_{len(arguments)}"
    middle = (len(arguments) + 1) // 2
    tensors = [f"Tensor {name}" for name in arguments[:middle]]
    numbers = [f"float {name}=1.0" for name in arguments[middle:]]
    schema, elementwise = ", ".join([*tensors, *numbers]), " + ".join(arguments)
    path.write_text(
        ELEMENTWISE.format(schema=schema, elementwise=elementwise, arguments=", ".join(arguments)),
        encoding="utf-8",
    )
    rendering.generate(path, package)
    return package / "csrc" / "f.h"


@pytest.mark.nightly
@pytest.mark.parametrize("numbers", [False, True], ids=["tensors", "numbers"])
def test_an_argument_may_have_any_name_in_the_header(numbers: bool, tmp_path: Path) -> None:
    text = header(["x", "number"], tmp_path).read_text(encoding="utf-8")
    identifiers = dict.fromkeys(re.findall(r"\b[A-Za-z]\w*\b", text))
    names = [name for name in identifiers if not problem_with_argument(name)]
    names = names[::-1] if numbers else names
    include = ROOT / "runtime" / "onnxop_runtime" / "include"
    for start in range(0, len(names), MOST_ARGUMENTS):
        file = header(names[start : start + MOST_ARGUMENTS], tmp_path / str(start))
        command = ["g++", "-std=c++20", "-fsyntax-only", "-x", "c++", f"-I{include}", str(file)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr


TYPES = """
op.schema = "m::f(Tensor x, Tensor y, bool flag=True) -> {returns}"
kernel.source = "kernel.h"
{onnx}

[[samples]]
x = "float32[2]"
y = "int32[2]"
"""
MAPPING = "onnx.opset = 13\nonnx.mapping = '''{}'''"


def dtypes(returns: str, onnx: str, folder: Path) -> list[str]:
    """Return the dtype of each output."""
    path = folder / "op.toml"
    path.write_text(TYPES.format(returns=returns, onnx=onnx), encoding="utf-8")
    return [result.dtype for result in cpp_op(load.load(path)).results]


@pytest.mark.parametrize(
    ("returns", "mapping", "expected"),
    [
        ("Tensor", "op.Exp(x)", [""]),
        ("Tensor", "op.ArgMax(x)", ["Dtype::int64"]),
        ("Tensor", "op.Greater(x, 0.0)", ["Dtype::boolean"]),
        ("Tensor", "op.Neg(y)", ["Dtype::int32"]),
        ("Tensor", "op.Exp(x) if flag else op.Cast(x, to=7)", ["kAnyDtype"]),
        ("(Tensor, Tensor)", "op.TopK(x, [1])", ["", "Dtype::int64"]),
        (
            "(Tensor a, Tensor b)",
            "op.Cast(x, to=10), op.Neg(y)",
            ["Dtype::float16", "Dtype::int32"],
        ),
    ],
)
def test_dtypes_that_the_mapping_tells(
    returns: str, mapping: str, expected: list[str], tmp_path: Path
) -> None:
    assert dtypes(returns, MAPPING.format(mapping), tmp_path) == expected


def test_dtypes_that_infer_is_to_say(tmp_path: Path) -> None:
    assert dtypes("(Tensor, Tensor)", 'onnx.domain = "m"', tmp_path) == ["kAnyDtype"] * 2
