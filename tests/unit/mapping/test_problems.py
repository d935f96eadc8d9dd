"""Problems of mappings, as data with a place."""

from __future__ import annotations

import ast

from onnxop_runtime.mapping import allowed, problems
from onnxop_runtime.mapping.problems import CodeSpan, MappingProblem


def texts(mapping: str, *parameters: str) -> list[str]:
    return [str(problem) for problem in allowed.problems(ast.parse(mapping).body, parameters)]


def test_a_problem_is_a_fact_with_a_remedy() -> None:
    assert str(MappingProblem("it is wrong", "mend it")) == "it is wrong; mend it"
    assert str(MappingProblem("it is wrong", "")) == "it is wrong"


def test_a_place_is_added_once() -> None:
    first, second = CodeSpan(1, 0, 1, 3), CodeSpan(2, 0, 2, 3)
    error = problems.error("it is wrong").at(first).at(second)
    assert [problem.span for problem in error.problems] == [first]


def test_the_span_of_a_node() -> None:
    (statement,) = ast.parse("return op.Abs(x)", mode="exec").body
    assert problems.span_of(statement) == CodeSpan(1, 0, 1, 16)


def test_similar_names() -> None:
    assert problems.did_you_mean("Abss", ["Abs", "Neg"], "op.") == "did you mean op.Abs?"
    assert problems.did_you_mean("Something", ["Abs"]) == ""


def test_allowed_code_has_no_problems() -> None:
    assert texts("y = op.Abs(x)\nreturn y + 1.0", "x") == []


def test_what_is_not_allowed_has_a_remedy() -> None:
    (loop, missing) = texts("while x:\n    x = op.Neg(x)", "x")
    assert loop == "this is not allowed here; write for i in range(n), or op.Loop"
    assert missing.startswith("every branch must end with a return; ")
    (name,) = texts("return op.Abs(z)", "x")
    assert "z" in name
