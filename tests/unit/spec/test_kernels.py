"""[kernel] → a kernel or problems, for any table."""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxop.check.load import load
from onnxop.errors import InvalidSpecError
from onnxop.kernel.composed import Composed
from onnxop.kernel.kernel_kinds import Kernel, Source
from onnxop.schema.signature import parse
from onnxop.spec import derivatives, kernel_table
from onnxop.spec.tables import Tables
from onnxop_runtime.specs import document
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.signature import outline

FOLDER = Path("no-such-folder")


def schema_of(text: str) -> OpSchema:
    problems = Problems()
    schema = parse(text, problems)
    assert schema is not None, [problem.message for problem in problems]
    return schema


SCHEMA = schema_of("m::f(Tensor a, Tensor? b=None, float alpha=1.0, int[2] sizes=[1, 2]) -> Tensor")


def read(
    tree: dict[str, Any], schema: OpSchema | None, folder: Path, problems: Problems
) -> Kernel | None:
    tables = Tables(document.read(tree, Problems()), problems, folder)
    derivatives.parse_formulas(tables, schema)
    return kernel_table.parse_kernel(tables, schema)


def messages(tree: dict[str, Any], schema: OpSchema | None = SCHEMA) -> list[str]:
    problems = Problems()
    read(tree, schema, FOLDER, problems)
    return [problem.message for problem in problems]


def test_without_a_table_there_is_no_kernel() -> None:
    assert read({}, SCHEMA, FOLDER, Problems()) is None


@pytest.mark.parametrize("place", ["kernel.h", "ops/kernel.h"])
def test_source_beside_the_spec(place: str, tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    (tmp_path / place).write_text("// mine\n")
    kernel = read({"kernel": {"source": "kernel.h"}}, SCHEMA, tmp_path, Problems())
    assert kernel == Source("kernel.h", "// mine\n", (), is_given=True)


def test_source_in_ops_comes_first(tmp_path: Path) -> None:
    (tmp_path / "ops").mkdir()
    (tmp_path / "ops" / "kernel.h").write_text("// in ops\n")
    (tmp_path / "kernel.h").write_text("// beside\n")
    kernel = read({"kernel": {"source": "kernel.h"}}, SCHEMA, tmp_path, Problems())
    assert isinstance(kernel, Source) and kernel.text == "// in ops\n"


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("", "infer, compute and backward"),
        ("// infer(x), compute(out, x)\n/* void\nbackward(x) */", "infer, compute and backward"),
        ("OutputSpec infer(TensorMeta x); void computes();", "compute and backward"),
        ("template <class T> auto infer(T x); void compute(); void\nbackward ();", ""),
        ('#pragma once\n# include "all_kernels.h"\n', ""),
    ],
)
def test_a_header_without_a_kernel(text: str, missing: str, tmp_path: Path) -> None:
    (tmp_path / "kernel.h").write_text(text)
    problems = Problems()
    table = {"source": "kernel.h", "backward": ["a"]}
    read({"kernel": table}, SCHEMA, tmp_path, problems)
    reported = [problem.message.partition(", of which")[0] for problem in problems]
    assert reported == ([f"{tmp_path / 'kernel.h'} has no function {missing}"] if missing else [])


def test_a_link_that_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "kernel.h").symlink_to("gone.h")
    problems = Problems()
    read({"kernel": {"source": "kernel.h"}}, SCHEMA, tmp_path, problems)
    (problem,) = problems
    assert "kernel.h cannot be read: No such file or directory" in problem.message


def test_source_to_be_written(tmp_path: Path) -> None:
    table = {"source": "kernel.h", "backward": ["b", "a"]}
    kernel = read({"kernel": table}, SCHEMA, tmp_path, Problems())
    assert kernel == Source("kernel.h", None, ("b", "a"))


def test_arguments_of_an_outline() -> None:
    """Check an outline of a wrong schema: its names may be anything, and its types unknown."""
    schema = outline("m::f(Tensr a, str b+*, bool[] c[) -> Tensor")
    assert schema is not None
    assert len(messages({"kernel": {"elementwise": "a"}}, schema)) == 2
    assert messages({"kernel": {"source": "kernel.h", "backward": ["a"]}}, schema) == [
        (
            "argument c[ is of type bool[], which the TorchScript exporter does not trace; write "
            "Tensor[], or int[], in its place"
        )
    ]


def test_a_fake_kernel() -> None:
    table = {"python": "a", "fake": "a.new_empty(new_dynamic_size(), 2)"}
    kernel = read({"kernel": table}, SCHEMA, FOLDER, Problems())
    assert isinstance(kernel, Composed) and kernel.fake is not None
    assert kernel.fake.makes_sizes and not kernel.function.makes_sizes


def test_modules_of_requires() -> None:
    tree = {
        "op": {"requires": ["torchvision.ops"]},
        "kernel": {"python": "torchvision.ops.sigmoid_focal_loss(a, a)"},
    }
    kernel = read(tree, SCHEMA, FOLDER, Problems())
    assert isinstance(kernel, Composed) and kernel.function.modules == ("torchvision",)


WORDS = ["a", "b", "alpha", "sizes", "c", "", "a b", "kernel.h", "../a.h", "tensor.h", "2 * a", "("]
VALUES = st.one_of(
    st.sampled_from(WORDS),
    st.text(max_size=20),
    st.none() | st.booleans() | st.integers() | st.floats(),
    st.lists(st.sampled_from(WORDS) | st.integers(), max_size=4),
    st.dictionaries(st.sampled_from(WORDS), st.integers(), max_size=2),
)
KEYS = st.sampled_from(["elementwise", "source", "backward", "python", "fake", "pythn"])


@pytest.mark.slow
@given(
    table=VALUES | st.dictionaries(KEYS, VALUES, max_size=4),
    autograd=VALUES,
    requires=VALUES,
    schema=st.sampled_from([None, SCHEMA, outline("m::f(Tensr a, bool[] b(, str c*+)")]),
)
def test_problems_of_any_table_have_messages(
    table: Any, autograd: Any, requires: Any, schema: OpSchema | None
) -> None:
    tree = {"kernel": table, "autograd": autograd, "op": {"requires": requires}}
    for message in messages(tree, schema):
        assert message


SPEC = """\
[op]
schema = "m::f(Tensor a, Tensor? b=None, float alpha=1.0, *, int n=2) -> Tensor"
[onnx]
opset = 13
mapping = "op.Neg(a)"
[kernel]
python = {}
"""
PIECES = [
    *("a", "b", "alpha", "n", "c", "torch.", "relu", "F.", "math.", "(", ")", "[", "]", "{", "}"),
    *(
        "\n",
        "\n    ",
        "\t",
        "\r\n",
        "\\",
        "'",
        '"',
        "'''",
        "f'",
        "#",
        ":",
        ",",
        "=",
        "+=",
        ":=",
        "*",
    ),
    *(
        "**",
        "@",
        "<<",
        "...",
        " if ",
        " else ",
        " for ",
        " in ",
        " not ",
        "lambda ",
        "return ",
        "-",
    ),
    *("if ", "for ", "while ", "with ", "raise ", "assert ", "del ", "import ", "def ", "class "),
    *("break", "yield ", "await ", "async ", "global ", "try:", "1", "2.5", "1j", "é", "\u2028"),
    *("._x", ".shape", "ValueError", "None", "True", "\ufeff", "\x0c", "0x", "9" * 40, ";", "->"),
]
TEXTS = st.one_of(
    st.lists(st.sampled_from(PIECES), max_size=12).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=8).map(lambda p: f"c = a\n{''.join(p)}\nreturn c"),
    st.text(max_size=40),
)


@pytest.mark.slow
@given(text=TEXTS)
def test_any_python_kernel_compiles_or_is_refused(text: str) -> None:
    """Check that any Python kernel is refused with a message, or compiles."""
    quoted = "".join(f"\\U{ord(char):08x}" for char in text if not 0xD800 <= ord(char) < 0xE000)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "spec.toml")
        path.write_text(SPEC.format(f'"{quoted}"'), encoding="utf-8")
        try:
            kernel = load(path).kernel
        except InvalidSpecError as error:
            assert all(line.startswith(f"{path}:") for line in error.lines)
            return
    assert isinstance(kernel, Composed)
    body = "\n".join(f"    {line}" for line in kernel.function.body.split("\n"))
    compile(f"def f(a, b=None, alpha=1.0, *, n=2):\n{body}\n", "kernel", "exec")
