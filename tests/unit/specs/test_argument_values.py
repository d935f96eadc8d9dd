"""Values of a sample's arguments: each type, and the message for a value of another type."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from onnxop_runtime.specs import argument_values
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.problems import Problems
from onnxop_runtime.specs.tensors import SAMPLE, Literal

PATH = ("samples", 0, "a")


def parsed(raw: object, argument_type: str, *, is_error: bool = False) -> Any:
    """Return the value of an argument ``a``, which must have no problem."""
    problems = Problems()
    value = argument_values.parse_value(
        raw, Argument("a", argument_type), PATH, problems, is_error=is_error
    )
    assert not problems, [problem.message for problem in problems]
    return value


def problem(raw: object, argument_type: str, *, is_error: bool = False) -> str:
    problems = Problems()
    value = argument_values.parse_value(
        raw, Argument("a", argument_type), PATH, problems, is_error=is_error
    )
    assert value is None
    [only] = problems
    return only.message


@pytest.mark.parametrize(
    ("raw", "argument_type", "expression"),
    [
        (2, "float", "2.0"),
        (2, "int", "2"),
        (2, "Scalar", "2"),
        (0.5, "Scalar", "0.5"),
        (True, "bool", "True"),
        ("mean", "str", '"mean"'),
        ([1, 2], "int[]", "[1, 2]"),
        ([1, 2], "float[2]", "[1.0, 2.0]"),
        (3, "int[2]", "[3, 3]"),
        ([], "int[2]", "[]"),
        ("float32", "ScalarType", "torch.float32"),
        (float("inf"), "float", 'float("inf")'),
    ],
)
def test_plain_values(raw: object, argument_type: str, expression: str) -> None:
    value = parsed(raw, argument_type)
    assert isinstance(value, Literal)
    assert value.expression == expression


@pytest.mark.parametrize(
    ("raw", "argument_type", "fact"),
    [
        (0.5, "int", "argument a is of type int; write a = 1"),
        (True, "int", "argument a is of type int; write a = 1"),
        (1, "bool", "argument a is of type bool; write a = true"),
        ([1, 2, 3], "int[2]", "argument a is of type int[2]; write a = [1, 1]"),
        (1, "int[]", "argument a is of type int[]; write a = [1, 1]"),
        ("long", "ScalarType", "is not a dtype of samples"),
        (2**63, "int", "does not fit in 64 bits; write a float, such as 1e20"),
        ("x" * 201, "str", "no text of 200 printable characters at most"),
        ("\x07", "str", "no text of 200 printable characters at most"),
    ],
)
def test_values_of_another_type(raw: object, argument_type: str, fact: str) -> None:
    assert fact in problem(raw, argument_type)


def test_a_tensor() -> None:
    value = parsed("float32[2, 3]", "Tensor")
    assert value.dtype == "float32"
    assert [size.text for size in value.sizes] == ["2", "3"]


def test_a_list_of_tensors_with_a_missing_one() -> None:
    first, second = parsed(["float32[2]", "None"], "Tensor?[]")
    assert first.dtype == "float32"
    assert second == Literal("None")


def test_an_item_of_a_list_has_its_own_path() -> None:
    problems = Problems()
    raw = ["float32[2]", "float31[2]"]
    assert argument_values.parse_value(raw, Argument("a", "Tensor[]"), PATH, problems) is None
    assert [problem.path for problem in problems] == [(*PATH, 1)]


def test_an_error_case_takes_any_type() -> None:
    assert parsed("float32[2]", "int", is_error=True).dtype == "float32"
    assert parsed(0.5, "int", is_error=True).expression == "0.5"
    assert parsed("complex64[2]", "Tensor", is_error=True).dtype == "complex64"


def test_a_sample_takes_no_complex_tensor() -> None:
    assert "complex64" in problem("complex64[2]", "Tensor")


@pytest.mark.parametrize(
    ("argument_type", "example"),
    [
        ("int", "1"),
        ("float[3]", "[0.5, 0.5, 0.5]"),
        ("Tensor", SAMPLE),
        ("bool[]", "[true, true]"),
    ],
)
def test_examples_are_valid(argument_type: str, example: str) -> None:
    assert argument_values.example(Argument("a", argument_type)) == example
    parsed(tomllib.loads(f"a = {example}")["a"], argument_type)
