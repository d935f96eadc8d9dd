"""Random expressions: their texts, and the C++ that compilers and clang-format take."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from onnxop.code.cppexpr import to_cpp
from onnxop.kernel.expression import (
    FUNCTIONS,
    Binary,
    Conditional,
    Expression,
    FunctionCall,
    Name,
    NumberLiteral,
    Unary,
    is_integer_exact,
    names,
)
from onnxop.kernel.grammar import parse
from onnxop_runtime.specs.pyexpr import ExpressionProblems
from tests.unit.kernel.test_expression import CPP

NUMBERS = st.sampled_from(["0", "1", "42", "0.5", "2.0", "1e-3", "1.5e10"])
LEAVES = st.one_of(NUMBERS.map(NumberLiteral), st.sampled_from(["a", "b", "x", "flag"]).map(Name))
OPERATORS = ["+", "-", "*", "/", "<", "<=", ">", ">=", "==", "!=", "&&", "||"]


def calls(trees: st.SearchStrategy[Expression]) -> st.SearchStrategy[FunctionCall]:
    def of(name: str) -> st.SearchStrategy[FunctionCall]:
        arity = FUNCTIONS[name]
        arguments = st.lists(trees, min_size=arity, max_size=arity)
        return arguments.map(lambda items: FunctionCall(name, tuple(items)))

    return st.sampled_from(["exp", "abs", "pow", "isnan", "signbit"]).flatmap(of)


def larger(trees: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    return st.one_of(
        st.builds(Unary, st.sampled_from("-+!"), trees),
        st.builds(Binary, st.sampled_from(OPERATORS), trees, trees),
        st.builds(Conditional, trees, trees, trees),
        calls(trees),
    )


TREES: st.SearchStrategy[Expression] = st.recursive(LEAVES, larger, max_leaves=10)


def spelled(tree: Expression) -> str:
    """Return the text of the tree with all possible parentheses."""
    match tree:
        case NumberLiteral(text=text):
            return text
        case Name(name=name):
            return name
        case Unary(operator=operator, operand=operand):
            return f"({operator}({spelled(operand)}))"
        case Binary(operator=operator, left=left, right=right):
            return f"({spelled(left)}{operator}{spelled(right)})"
        case Conditional(test=test, then=then, otherwise=otherwise):
            return f"({spelled(test)}?{spelled(then)}:{spelled(otherwise)})"
        case FunctionCall(function=function, arguments=arguments):
            return f"{function}({','.join(map(spelled, arguments))})"


def is_condition(tree: Expression) -> bool:
    match tree:
        case Name(name=name):
            return name == "flag"
        case Unary(operator=operator) | Binary(operator=operator):
            return operator not in "+-*/"
        case Conditional(then=then, otherwise=otherwise):
            return is_condition(then) and is_condition(otherwise)
        case FunctionCall(function=function):
            return function in ("isnan", "signbit")
    return False


def explicit(tree: Expression) -> Expression:
    """Return the tree with every number that is a condition compared to 0."""

    def condition(part: Expression) -> Expression:
        explicit_part = explicit(part)
        return (
            explicit_part if is_condition(part) else Binary("!=", explicit_part, NumberLiteral("0"))
        )

    match tree:
        case Unary(operator=operator, operand=operand):
            return Unary(operator, condition(operand) if operator == "!" else explicit(operand))
        case Binary(operator=operator, left=left, right=right):
            part = condition if operator in ("&&", "||") else explicit
            return Binary(operator, part(left), part(right))
        case Conditional(test=test, then=then, otherwise=otherwise):
            return Conditional(condition(test), explicit(then), explicit(otherwise))
        case FunctionCall(function=function, arguments=arguments):
            return FunctionCall(function, tuple(map(explicit, arguments)))
    return tree


def unconverted(cpp: str) -> str:
    return re.sub(r"\bT\(", "(", cpp)


@given(TREES)
def test_parse_gives_the_tree_that_is_spelled(tree: Expression) -> None:
    assert parse(spelled(tree)) == tree


@given(TREES)
def test_round_trip(tree: Expression) -> None:
    cpp = to_cpp(tree, {}, booleans={"flag"})
    assert parse(unconverted(cpp)) == explicit(tree)


def without(text: str, opening: int) -> str:
    """Return the text without the parentheses that open at a position."""
    depth = 0
    for at in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[:opening] + text[opening + 1 : at] + text[at + 1 :]
    raise AssertionError(text)


@given(TREES)
def test_no_parentheses_are_spare(tree: Expression) -> None:
    cpp = to_cpp(tree, {}, booleans={"flag"})
    for match in re.finditer(r"(?<![A-Za-z0-9])\(", cpp):
        shorter = without(cpp, match.start())
        try:
            same = parse(unconverted(shorter)) == explicit(tree)
        except ExpressionProblems:
            continue
        # compilers warn without parentheses around && within ||; readers need those around a nested
        # ?: -- and ++ are other operators
        is_needed = ("&&" in cpp and "||" in cpp) or cpp.count("?") > 1
        is_needed |= "--" in shorter or "++" in shorter
        assert not same or is_needed


# The verdict of a compiler and clang-format.

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-fwrapv"]
CSRC = Path(__file__).parents[3] / "runtime/onnxop_runtime/include/onnxop"
FORMAT = f"--style=file:{Path(__file__).parents[3] / '.clang-format'}"
PARAMETERS = ["T a", "T b", "T x", "T y", "T alpha", "int64_t n", "bool flag"]
TYPES = ["float", "double", "uint8_t", "int64_t"]  # of integers, a narrow and a wide one

needs_compiler = pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
needs_clang_format = pytest.mark.skipif(
    shutil.which("clang-format") is None, reason="needs clang-format"
)


def definition(name: str, body: list[str]) -> list[str]:
    parameters = ", ".join(f"[[maybe_unused]] {parameter}" for parameter in PARAMETERS)
    head = ["template <typename T>", f"T {name}({parameters}) {{"]
    return [*head, "  using namespace functions;", *body, "}", ""]


def one_line(tree: Expression) -> list[str]:
    return [f"  return {to_cpp(tree, {}, booleans={'flag'}, integers={'n'})};"]


def source(functions: list[str], types: dict[str, list[str]]) -> str:
    """Return a file of the functions; ``types`` has the types to compile each for, by name."""
    made = [
        f"template {t} {name}<{t}>({', '.join(p.split()[0].replace('T', t) for p in PARAMETERS)});"
        for name, all_types in types.items()
        for t in all_types
    ]
    head = ["#include <cstdint>", "", '#include "functions.h"', "", "namespace onnxop {", ""]
    made = [*made, ""] if made else []
    return "\n".join([*head, *functions, *made, "}  // namespace onnxop", ""])


def compiled(path: Path, *flags: str) -> subprocess.CompletedProcess[str]:
    command = ["g++", *FLAGS, f"-I{CSRC}", *flags, str(path)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def types_of(tree: Expression) -> list[str]:
    return TYPES if is_integer_exact(tree) else TYPES[:2]


def sample(strategy: st.SearchStrategy[Expression], count: int) -> list[Expression]:
    """Return ``count`` different trees, the same at each call."""
    trees: dict[Expression, None] = {}

    @settings(
        max_examples=4 * count,
        database=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(tree: Expression) -> None:
        if names(tree):
            trees[tree] = None

    collect()
    return sorted(trees, key=lambda tree: (-len(to_cpp(tree, {})), to_cpp(tree, {})))[:count]


def random_trees() -> list[Expression]:
    leaves = LEAVES | st.sampled_from(["n", "n", "y", "alpha"]).map(Name)
    exact = st.recursive(
        st.sampled_from("abxyn").map(Name) | st.sampled_from(["0", "1", "2"]).map(NumberLiteral),
        lambda trees: st.one_of(
            st.builds(Binary, st.sampled_from([o for o in OPERATORS if o != "/"]), trees, trees),
            st.builds(Conditional, trees, trees, trees),
        ),
        max_leaves=25,
    )
    return sample(st.recursive(leaves, larger, max_leaves=25), 110) + sample(exact, 40)


@pytest.mark.slow
@needs_compiler
def test_cpp_compiles_without_a_warning(tmp_path: Path) -> None:
    texts = [text for text, _ in CPP]
    texts += [f"{name}({', '.join('abx'[:arity])})" for name, arity in FUNCTIONS.items()]
    lines: list[str] = []
    for number, text in enumerate(texts):
        lines += definition(f"f{number}", one_line(parse(text)))
    path = tmp_path / "expressions.cpp"
    path.write_text(source(lines, {f"f{n}": TYPES[:2] for n in range(len(texts))}))
    result = compiled(path, "-fsyntax-only")
    assert result.returncode == 0, result.stderr
    # the check must fail for a warning, so the source must instantiate the function
    path.write_text(source(definition("f", ["  return a < b < x;"]), {"f": ["float"]}))
    assert compiled(path, "-fsyntax-only").returncode != 0


@pytest.mark.nightly
@pytest.mark.slow
@needs_compiler
def test_random_trees_compile_without_a_warning(tmp_path: Path) -> None:
    trees = random_trees()
    lines: list[str] = []
    for number, tree in enumerate(trees):
        lines += definition(f"f{number}", one_line(tree))
    path = tmp_path / "expressions.cpp"
    path.write_text(source(lines, {f"f{n}": types_of(tree) for n, tree in enumerate(trees)}))
    result = compiled(path, "-fsyntax-only")
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
@needs_clang_format
def test_cpp_is_as_clang_format_leaves_it() -> None:
    trees = [*(parse(text) for text, _ in CPP), *random_trees()]
    lines: list[str] = []
    for number, tree in enumerate(trees):
        lines += definition(f"f{number}", one_line(tree))
    text = source(lines, {})
    result = subprocess.run(
        ["clang-format", FORMAT], input=text, capture_output=True, text=True, check=True
    )
    assert result.stdout.splitlines() == text.splitlines()
