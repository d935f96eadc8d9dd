"""C++ lines: broken where clang-format accepts it, for names of any length."""

import shutil
import subprocess
from pathlib import Path

import pytest

from onnxop import cppcode, load, render
from onnxop.cppcode import WIDTH

TEMPLATES = Path(__file__).parents[2] / "templates"


def test_call() -> None:
    assert cppcode.call("f(", ["a", "b"], ");", indent=2) == ["  f(a, b);"]
    long = ["a" * 50, "b" * 50, "c"]
    assert cppcode.call("function(", long, ");", indent=2) == [
        f"  function({long[0]},",
        f"           {long[1]},",
        "           c);",
    ]
    wider = ["a" * 70, "b"]
    assert cppcode.call("const auto a_rather_long_name = function(", wider, ");", indent=2) == [
        "  const auto a_rather_long_name = function(",
        f"      {wider[0]},",
        "      b);",
    ]
    assert cppcode.call("f(", [], ")") == ["f()"]


def test_strings() -> None:
    assert cppcode.strings("short", indent=4) == ['    "short"']
    text = "f(x)\n\n" + "word " * 40 + "end\nlast \u00e9 line"
    lines = cppcode.strings(text, indent=8)
    assert max(map(len, lines)) <= WIDTH - 2
    assert lines[0] == '        "f(x)\\n\\n"'
    assert lines[-1] == '        "last \\303\\251 line"'
    assert "".join(line.strip()[1:-1] for line in lines) == cppcode.string(text)[1:-1]


def test_comment() -> None:
    assert cppcode.comment("one line") == ["// one line"]
    lines = cppcode.comment("word " * 30 + "n" * 120)
    assert len(lines) == 3
    assert lines[-1] == f"// {'n' * 120}"


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


@pytest.mark.skipif(shutil.which("clang-format") is None, reason="needs clang-format")
@pytest.mark.parametrize("length", [2, 5, 8, 11, 14, 18, 22, 26, 30, 40, 60, 90])
def test_generated_code_is_as_clang_format_leaves_it(length: int, tmp_path: Path) -> None:
    path = tmp_path / "op.toml"
    path.write_text(spec(length))
    package = tmp_path / "package"
    render.render(load.load(path), {}, package)
    files = sorted((package / "csrc").iterdir())
    style = f"--style=file:{TEMPLATES / '.clang-format'}"
    command = ["clang-format", style, "--dry-run", "-Werror", *map(str, files)]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    # `name = Compute<T>(name)` and `get<T>("name", default)` are one word each for clang-format.
    if length <= 22:
        lines = [line for file in files for line in file.read_text().splitlines()]
        assert max(map(len, lines)) <= WIDTH
    binding = (package / "csrc" / "python_binding.cpp").read_text()
    assert "int64_t{-9223372036854775807 - 1}" in binding
