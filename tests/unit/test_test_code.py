"""A spec's samples → Python code: as ruff leaves it, and drawing what the spec says."""

import importlib.util
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import torch
from jinja2 import Environment, FileSystemLoader

from onnxop.load import load
from onnxop.spec import Refusal, Spec
from onnxop.tensors import Literal, RandomTensor, SampleValue
from onnxop.test_code import test_code as code_of  # under its own name pytest would call it

TEMPLATES = Path(__file__).parent.parent.parent / "templates" / "tests"
LONG = "a_very_long_name_of_an_argument_that_leaves_little_room"
ROWS = [[float(column) for column in range(18)] for _ in range(2)]
VALUES: list[dict[str, SampleValue]] = [
    {"a": RandomTensor("float32", (2, 3), (3, 3)), "n": Literal("[2, 3]"), "b": Literal("None")},
    {"a": RandomTensor("float32", (2,), (3,), 0.1, 20.0), "mode": Literal('"text"')},
    {"a": RandomTensor("int64", (), ()), "b": Literal("1.5", "float64", (), False)},
    {"a": RandomTensor("float32", (10**6,) * 13, (10**6 + 1,) * 13)},
    {"a": RandomTensor("float32", (10**6,) * 3, (10**6 + 1,) * 3, -1, 1)},
    {LONG: RandomTensor("float32", (1, 3, 10, 10), (1, 4, 11, 11)), "b": Literal("1")},
    {LONG: RandomTensor("float32", (1, 3, 10), (1, 4, 11))},
    {"a": Literal(str(ROWS[0]), "float32", (18,))},
    {"a": Literal(str(ROWS[0]), "float64", (18,), False)},
    {"a": Literal(str(ROWS), "float32", (2, 18)), "n": Literal(str(list(range(40))))},
    {"a": Literal(str(ROWS), "int32", (2, 18), False), "n": Literal(f'"{"word " * 30}"')},
    {"a": Literal("[0, 1]", "int32", (2,), False), "b": Literal("[0, 1]", "int64", (2,))},
    {"a": Literal(str([ROWS, ROWS]), "float32", (2, 2, 18))},
    {"a": Literal("[]", "float32", (0,)), "n": Literal("[]")},
]
# Those that just fit a line, and those that just do not.
VALUES += [{"a": Literal(str([7] * n))} for n in range(24, 32)]
VALUES += [{"a": Literal(str([7] * n), "int64", (n,))} for n in range(24, 32)]
VALUES += [{"a": Literal(str([7] * n), "int8", (n,), False)} for n in range(16, 32)]
VALUES += [{"a": Literal('"' + "x" * n + '"')} for n in range(70, 86)]
VALUES += [{"a": RandomTensor("float32", (2,) * n, (3,) * n)} for n in range(5, 17)]


SPEC = """\
[op]
schema = "m::f(Tensor a) -> Tensor"

[onnx]
opset = 13
mapping = "op.Neg(a)"

[kernel]
elementwise = "-a"
"""


@cache
def spec() -> Spec:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "spec.toml")
        path.write_text(SPEC)
        return load(path)


def module_of(samples: list[dict[str, SampleValue]], *refusals: Refusal) -> str:
    """The generated tests/samples.py."""
    given = replace(spec(), samples=tuple(samples), refusals=refusals)
    context = {name: _text(value) for name, value in code_of(given).items()}
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("samples.py.jinja").render(op="m::f", **context)


def _text(value: Any) -> Any:
    return "\n".join(value) if isinstance(value, list) else value


def samples_of(folder: Path, samples: list[dict[str, SampleValue]]) -> list[Any]:
    """What the generated module calls SAMPLES."""
    path = folder / "samples_of_a_test.py"
    path.write_text(module_of(samples))
    found_spec = importlib.util.spec_from_file_location(path.stem, path)
    assert found_spec is not None and found_spec.loader is not None
    module = importlib.util.module_from_spec(found_spec)
    sys.modules[path.stem] = module  # dataclasses look there for the types of their fields
    try:
        found_spec.loader.exec_module(module)
    finally:
        del sys.modules[path.stem]
    found: list[Any] = module.SAMPLES
    return found


def test_ruff_leaves_it(tmp_path: Path) -> None:
    refusals = [Refusal(values, "RuntimeError", "text") for values in (*VALUES, {})]
    path = tmp_path / "samples.py"
    path.write_text(module_of(VALUES, *refusals))
    for command in (["format", "--diff"], ["check"]):
        found = subprocess.run(
            [
                sys.executable,
                "-m",
                "ruff",
                *command,
                "--isolated",
                "--config=line-length=100",
                path,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        assert found.returncode == 0, found.stdout


def test_mypy_is_content(tmp_path: Path) -> None:
    (tmp_path / "samples.py").write_text(module_of(VALUES[:3]))
    command = [sys.executable, "-m", "mypy", "--strict", "samples.py"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_samples(tmp_path: Path) -> None:
    samples = samples_of(tmp_path, VALUES[:3])
    assert [sample.can_grow for sample in samples] == [True, True, False]
    assert [sample.axes() for sample in samples] == [{"a": {0: "a_0"}}, {"a": {0: "a_0"}}, {}]
    first, second, third = (sample.arguments() for sample in samples)
    assert (first["a"].shape, first["n"], first["b"]) == ((2, 3), [2, 3], None)
    assert second["mode"] == "text" and bool((second["a"] > 0).all())
    assert (third["a"].dtype, third["b"].dtype) == (torch.int64, torch.float64)
    assert samples[0].arguments(larger=True)["a"].shape == (3, 3)


def test_draws_are_the_same_each_time(tmp_path: Path) -> None:
    one, other = (samples_of(tmp_path, VALUES[:1])[0].arguments() for _ in range(2))
    assert torch.equal(one["a"], other["a"])


@pytest.mark.parametrize(
    ("values", "title"),
    [
        (VALUES[0], "a float32[2, 3], n [2, 3], b None"),
        (VALUES[11], "a int32 [0, 1], b [0, 1]"),
        (VALUES[9], f"a float32[2, 18], n {list(range(40))}"),
        ({"a": Literal(str([7] * 100))}, f"a {str([7] * 100)[:195]}..."),
    ],
)
def test_titles(values: dict[str, SampleValue], title: str, tmp_path: Path) -> None:
    names = [sample.name for sample in samples_of(tmp_path, [values, values])]
    assert names == [title, f"{title} (2)"]
    assert len(title) <= 200


def test_titles_are_all_different(tmp_path: Path) -> None:
    """A long one is cut, and could then be that of another with a number behind."""
    words = [f'"{"x" * 500}"', f'"{"x" * 400}"', f'"{"x" * 300}"', f'"{"x" * 194}... (2)"']
    names = [s.name for s in samples_of(tmp_path, [{"a": Literal(word)} for word in words])]
    assert len(set(names)) == len(names)
