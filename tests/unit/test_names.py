"""Names: what may be one, and how it is spelt elsewhere."""

import pytest

from onnxop import names


@pytest.mark.parametrize("name", ["a", "my_add", "_x", "A1", "match", "case", "int", "n" * 100])
def test_good(name: str) -> None:
    assert names.problem_with(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "is empty"),
        ("1a", "is not an identifier"),
        ("a-b", "is not an identifier"),
        ("a b", "is not an identifier"),
        ("a\n", "is not an identifier"),
        ("é", "is not an identifier"),
        ("lambda", "is a Python keyword"),
        ("None", "is a Python keyword"),
        ("__init__", "starts with two underscores"),
        ("n" * 101, "has more than 100 characters"),
    ],
)
def test_bad(name: str, why: str) -> None:
    assert (names.problem_with(name) or "").startswith(why)


@pytest.mark.parametrize("name", ["json", "torch", "numpy", "tests", "_x", "class", "a.b", "../a"])
def test_bad_package(name: str) -> None:
    assert names.problem_with_package(name)


def test_good_package() -> None:
    assert names.problem_with_package("my_add") is None


@pytest.mark.parametrize(
    ("name", "cpp"),
    [("a", "a"), ("double", "double_"), ("and", "and_"), ("EOF", "EOF_"), ("M_PI", "M_PI_")],
)
def test_cpp(name: str, cpp: str) -> None:
    assert names.cpp(name) == cpp


def test_free() -> None:
    assert names.free("a", []) == "a"
    assert names.free("a", ["a", "a_"]) == "a__"


@pytest.mark.parametrize(
    ("name", "camel"), [("my_add", "MyAdd"), ("asinh", "Asinh"), ("deform_conv2d", "DeformConv2d")]
)
def test_camel(name: str, camel: str) -> None:
    assert names.camel(name) == camel


@pytest.mark.parametrize(
    ("name", "snake"), [("Mul", "mul"), ("DeformConv", "deform_conv"), ("GRUCell", "gru_cell")]
)
def test_snake(name: str, snake: str) -> None:
    assert names.snake(name) == snake
