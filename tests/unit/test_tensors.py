"""`[[samples]]` and `[[errors]]` → values of the arguments."""

from typing import Any

import pytest

from onnxop import schema, tensors
from onnxop.errors import Problems
from onnxop.tensors import Literal, RandomTensor

SCHEMA = schema.parse(
    "m::f(Tensor a, Tensor b, float x=1.0, int n=1, bool f=True) -> Tensor", Problems()
)
B: dict[str, Any] = {"b": [1.0]}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("float32[1, 3]", RandomTensor("float32", (1, 3))),
        (" int8 [ 2 ]", RandomTensor("int8", (2,))),
        ("bool[]", RandomTensor("bool", ())),
        ("float16[2, 0,]", RandomTensor("float16", (2, 0))),
        ({"dtype": "float64", "shape": []}, RandomTensor("float64", ())),
        (
            {"dtype": "float32", "shape": [2], "low": -1, "high": 1.5},
            RandomTensor("float32", (2,), -1, 1.5),
        ),
        ([[1, 2.5], [3, 4]], Literal("[[1, 2.5], [3, 4]]", "float32", (2, 2))),
        ([], Literal("[]", "float32", (0,))),
        ([[], []], Literal("[[], []]", "float32", (2, 0))),
        ([True], Literal("[True]", "bool", (1,))),
        ([float("inf"), 1e30], Literal('[float("inf"), 1e30]', "float32", (2,))),
    ],
)
def test_tensor(raw: Any, value: tensors.SampleValue) -> None:
    problems = Problems()
    single = schema.parse("m::f(Tensor a) -> Tensor", problems)
    assert tensors.read_sample({"a": raw}, single, (), problems)["a"] == value
    assert not problems


@pytest.mark.parametrize(("name", "raw"), [("x", 1), ("x", 2.5), ("n", -3), ("f", False)])
def test_scalar(name: str, raw: float) -> None:
    problems = Problems()
    sample = {"a": [1.0], **B, name: raw}
    assert tensors.read_sample(sample, SCHEMA, (), problems)[name] == Literal(repr(raw))
    assert not problems


@pytest.mark.parametrize(
    ("changes", "fact"),
    [
        ({"a": "float32"}, "not a tensor; write dtype[shape]"),
        ({"a": "float32[1 2]"}, "the shape is a list of sizes"),
        ({"a": "float32[1\t2]"}, "the shape is a list of sizes"),
        ({"a": "float32[1,,2]"}, "the shape is a list of sizes"),
        ({"a": f"float32[{'9' * 5000}]"}, "the shape is a list of sizes"),
        ({"a": "float32[100000, 100000]"}, "the shape has more than"),
        ({"a": "float[1]"}, "unknown dtype float; did you mean float32?"),
        ({"a": "complex64[1]"}, "unknown dtype complex64"),
        ({"a": 1.0}, "argument a is of type Tensor"),
        ({"a": [[1], [1, 2]]}, "a literal tensor needs rows of one length"),
        ({"a": [1, [2]]}, "a literal tensor needs rows of one length"),
        ({"a": [1, True]}, "a literal tensor holds numbers only"),
        ({"a": ["x"]}, "a literal tensor holds numbers only"),
        ({"a": [2**63]}, "9223372036854775808 does not fit in 64 bits"),
        ({"a": {}}, "missing; write { dtype"),
        ({"a": {"dtype": "float32", "shape": [True]}}, "a size, 0 or more, is expected, not True"),
        ({"a": {"dtype": "float32", "shape": 2}}, "an array is expected, not 2"),
        ({"a": {"dtype": "float32", "shape": [2], "low": float("nan")}}, "low and high must be"),
        ({"a": {"dtype": "float32", "shape": [2], "low": 10**400}}, "low and high must be"),
        ({"a": {"dtype": "float32", "shape": [2], "low": 2, "high": 1}}, "low = 2 is above"),
        ({"x": "1"}, "argument x is of type float; write x = 0.5"),
        ({"x": True}, "argument x is of type float; write x = 0.5"),
        ({"n": 1.0}, "argument n is of type int; write n = 1"),
        ({"n": 2**64}, "18446744073709551616 does not fit"),
        ({"f": 1}, "argument f is of type bool; write f = true"),
        ({"c": 1}, "the schema has no argument c"),
        ({"a": "float32[2]", "b": "float64[2]"}, "b is of float64, but a is of float32"),
        ({"a": "float32[2]", "b": "float32[3]"}, "the shape [3] of b does not broadcast"),
    ],
)
def test_problems(changes: dict[str, Any], fact: str) -> None:
    problems = Problems()
    tensors.read_sample({"a": [1.0], **B, **changes}, SCHEMA, ("samples", 0), problems)
    assert next(iter(problems)).message.startswith(fact)


def test_missing_arguments() -> None:
    problems = Problems()
    tensors.read_sample({}, SCHEMA, ("samples", 0), problems)
    assert [problem.path for problem in problems] == [("samples", 0, "a"), ("samples", 0, "b")]


def test_refused_calls_may_hold_anything() -> None:
    problems = Problems()
    table = {"a": "complex64[2]", "x": [1.0], "raises": "TypeError", "match": "x"}
    values = tensors.read_error(table, SCHEMA, ("errors", 0), problems)
    assert values == {"a": RandomTensor("complex64", (2,)), "x": Literal("[1.0]", "float32", (1,))}
    assert not problems
