"""The arguments and results of a schema's text: what they become, and what is wrong with them."""

from __future__ import annotations

import pytest

from onnxop_runtime.specs import schema_arguments, schema_results
from onnxop_runtime.specs.arguments import Argument
from onnxop_runtime.specs.parser import ParsedSchema, read_signature
from onnxop_runtime.specs.problems import Problems


def signature(arguments: str, returns: str = "Tensor") -> ParsedSchema:
    parsed = read_signature(f"my_lib::f({arguments}) -> {returns}", Problems())
    assert parsed is not None
    return parsed


def read(arguments: str, *, exists: bool = False) -> list[Argument]:
    """Return arguments that have no problem."""
    problems = Problems()
    values = schema_arguments.read_arguments(signature(arguments), problems, exists=exists)
    assert not problems, [problem.message for problem in problems]
    return values


def messages(arguments: str, *, exists: bool = False) -> list[str]:
    problems = Problems()
    schema_arguments.read_arguments(signature(arguments), problems, exists=exists)
    return [problem.message for problem in problems]


def test_types_and_defaults() -> None:
    x, sizes, alpha, mode = read("Tensor x, int[2] sizes=1, *, float? alpha=None, str mode='a'")
    assert x == Argument("x", "Tensor")
    assert sizes == Argument("sizes", "int[2]", True, (1, 1))
    assert alpha == Argument("alpha", "float?", True, None, keyword_only=True)
    assert mode.default == "a"


def test_arguments_of_existing_operators_may_be_left_at_none() -> None:
    (_, generator) = read("Tensor self, *, Generator? generator=None", exists=True)
    assert generator.is_always_none


@pytest.mark.parametrize(
    ("arguments", "fact"),
    [
        ("Tensor x, Tensor x", "two arguments are named x; rename one"),
        ("Tensor class", "the argument name 'class' "),
        ("Tensr x", "argument x is of type Tensr; did you mean Tensor?"),
        ("Tensor x, Generator? g=None", "argument g is of type Generator?; this version supports"),
        ("Tensor x, int n=1.5", "the default 1.5 of argument n is not of type int; write 1"),
        ("Tensor x, int n=1, int m", "argument m has no default but follows one that has"),
        ("Tensor x, *, Tensor y", "argument y is a keyword-only Tensor, which has no gradient"),
        ("Tensor(a) x", "argument x is written to or aliased (a), unsupported in ONNX"),
        ("Tensor(a!)? x", "argument x is of type Tensor?, which an operator cannot write to"),
        ("Tensor x, Tensor(a!) y, Tensor(a!) z", "arguments y and z are both (a!), one tensor"),
        ("Tensor self, Tensor input", "torch.fx renames the argument self to input"),
        ("Tensor[] xs, Tensor xs_0", "torch.export names an item of the list xs xs_0, too"),
    ],
)
def test_problems(arguments: str, fact: str) -> None:
    [message] = messages(arguments)
    assert message.startswith(fact)


def test_an_existing_operator_cannot_be_renamed() -> None:
    assert messages("Tensor self, Tensor input", exists=True) == []
    [message] = messages("Tensor None", exists=True)
    assert message.endswith("an operator that has it cannot be exported")


def test_written_arguments() -> None:
    parsed = signature("Tensor x, Tensor(a!) cache, Tensor(b!) other", "()")
    assert schema_arguments.written_arguments(parsed) == ("cache", "other")


@pytest.mark.parametrize(
    ("returns", "fact"),
    [
        ("Tensor", None),
        ("(Tensor low, Tensor high)", None),
        ("int", "the operator returns int, but ONNX has only tensors: write -> Tensor"),
        ("()", "the operator returns (), but ONNX has only tensors"),
        ("(Tensor y, Tensor y)", "two results are named y; rename one"),
        ("(Tensor grads, Tensor y)", "the name 'grads' is reserved for the generated code"),
    ],
)
def test_results(returns: str, fact: str | None) -> None:
    parsed = signature("Tensor x", returns)
    problem = schema_results.problem_with_results(parsed, [Argument("x", "Tensor")], exists=False)
    if fact is None:
        assert problem is None
    else:
        assert problem is not None and problem.startswith(fact)


def test_names_of_results() -> None:
    def names(returns: str) -> tuple[str, ...]:
        results = signature("Tensor x, Tensor low", returns).results
        return schema_results.result_names(
            results, [Argument("x", "Tensor"), Argument("low", "int")]
        )

    assert names("Tensor") == ("result",)
    assert names("(Tensor, Tensor)") == ("result0", "result1")
    assert names("(Tensor low, Tensor high)") == ("low_return", "high")
