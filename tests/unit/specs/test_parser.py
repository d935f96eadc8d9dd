"""The text of a schema, in parts with their positions."""

from __future__ import annotations

import pytest

from onnxop_runtime.specs.parser import outlined, place_of, read_head, read_signature
from onnxop_runtime.specs.problems import Problems

SCHEMA = "my_lib::scale.out(Tensor x, *, float by=1.5) -> (Tensor y, Tensor)"


def test_the_head_of_a_schema_is_its_name() -> None:
    head = read_head(SCHEMA)
    assert (head["ns"], head["name"], head["overload"]) == ("my_lib", "scale", "out")


def test_signature() -> None:
    problems = Problems()
    parsed = read_signature(SCHEMA, problems)
    assert parsed is not None and not problems
    assert [(part.type, part.name, part.keyword_only) for part in parsed.arguments] == [
        ("Tensor", "x", False),
        ("float", "by", True),
    ]
    assert parsed.arguments[1].default == "1.5"
    assert [part.name for part in parsed.results] == ["y", ""]
    mark = parsed.arguments[0].place
    assert SCHEMA[mark["offset"] :].startswith("x")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("my_lib::scale", "the schema is not of the form name(arguments) -> results"),
        ("my_lib::scale(Tensor) -> Tensor", "'Tensor' is not an argument"),
        ("my_lib::scale(Tensor x) -> Tensor, Tensor", "is not a list of results"),
    ],
)
def test_wrong_schemas(schema: str, message: str) -> None:
    problems = Problems()
    assert read_signature(schema, problems) is None
    (problem,) = problems
    assert message in problem.message


def test_arguments_of_a_schema_that_is_wrong_elsewhere() -> None:
    parts = outlined("scale(Tensor x, int n=2) -")
    assert parts is not None
    assert [part.name for part in parts] == ["x", "n"]
    assert outlined("scale") is None


def test_place_of() -> None:
    mark = place_of("by", SCHEMA)
    assert SCHEMA[mark["offset"] :][: mark["length"]] == "by"
    assert place_of("nothing", SCHEMA) == {}
