"""Sizes of a sample's tensors: names, arithmetic, and what is no size."""

from __future__ import annotations

import pytest

from onnxop_runtime.specs import named_sizes
from onnxop_runtime.specs.named_sizes import Size
from onnxop_runtime.specs.problems import Problems

PATH = ("samples", 0, "x")


def read(text: str) -> list[Size]:
    problems = Problems()
    read_sizes = named_sizes.read_list(text, PATH, 0, problems)
    assert read_sizes is not None, [problem.message for problem in problems]
    return read_sizes


def shape(text: str, **values: int) -> tuple[int, ...] | None:
    """Return the shape of sizes that have no problem."""
    problems = Problems()
    dimensions = named_sizes.shape(read(text), values, PATH, problems)
    assert not problems
    return dimensions


def problem(text: str, **values: int) -> str:
    """Return the only problem of a list of sizes with these values."""
    problems = Problems()
    read_sizes = named_sizes.read_list(text, PATH, 0, problems)
    if read_sizes is not None:
        assert named_sizes.shape(read_sizes, values, PATH, problems) is None
    [only] = problems
    return only.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2, 3", (2, 3)),
        ("2, 3,", (2, 3)),
        ("", ()),
        ("n, n + 1", (5, 6)),
        ("(n + 1) // 2, n % 2, n * 2 - 1", (3, 1, 9)),
        ("- n + 6", (1,)),
        ("n=7, n", (7, 5)),
    ],
)
def test_shapes(text: str, expected: tuple[int, ...]) -> None:
    values = {"n": 7 if "=" in text else 5}
    expected = tuple(7 if "=" in text else size for size in expected)
    assert shape(text, **values) == expected


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("n.shape", "'n.shape' is not a size"),
        ("2, , 3", " is not a size"),
        ("n / 2", "'n / 2' is not a size"),
        ("2 ** 3", "'2 ** 3' is not a size"),
        ("if=2", "'if=2' is not a size"),
        ("9" * 19, "is not a size"),
        ("n - 6", "the size is -1; write one from 0 to"),
        ("1 // (n - 5)", "the size divides by 0"),
        (", ".join("1" for _ in range(17)), "the shape has more than 16 dimensions"),
        ("10000, 1001", "or 10,000,000 elements; write a smaller one"),
    ],
)
def test_what_is_no_size(text: str, fact: str) -> None:
    assert fact in problem(text, n=5)


def test_a_dimension_of_zero_allows_large_ones() -> None:
    assert shape("0, 1000000000") == (0, 1_000_000_000)


def test_a_problem_marks_its_size() -> None:
    problems = Problems()
    assert named_sizes.read_list("2,  n.x", PATH, 8, problems) is None
    [only] = problems
    assert (only.path, only.offset, only.length) == (PATH, 12, 3)


def test_a_name_has_one_value() -> None:
    problems = Problems()
    assert named_sizes.defined(read("n=2, m=3, n=2"), problems) == {"n": 2, "m": 3}
    assert not problems
    named_sizes.defined(read("n=2, n=4"), problems)
    assert [p.message for p in problems] == [
        "n is 4 here, and 2 elsewhere in the sample; give it one value"
    ]


def test_unknown_names() -> None:
    problems = Problems()
    named_sizes.check_names(read("height, widht + b"), ["height", "width"], problems)
    assert [p.message for p in problems] == [
        "no size of the sample is named b; give one that name, as in b=2",
        "no size of the sample is named widht; did you mean width?",
    ]
