"""`[kernel] elementwise` → C++: the grammar, each mistake's message, and the meaning of the C++."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxop.code.cppexpr import to_cpp
from onnxop.kernel.expression import (
    functions,
    is_boolean_exact,
    is_integer_exact,
    names,
)
from onnxop.kernel.expression import is_condition as is_truth_value
from onnxop.kernel.grammar import MAX_NESTING, parse
from onnxop_runtime.specs.pyexpr import ExpressionProblems

CPP = [
    ("2 * a + b", "T(2) * a + b"),
    ("2*(a+b)", "T(2) * (a + b)"),
    ("((a)) + (b * x)", "a + b * x"),
    ("a - (b - x) - y", "a - (b - x) - y"),
    ("a / (b * x) * y", "a / (b * x) * y"),
    ("a + (b + x)", "a + (b + x)"),
    ("-(a + b) * -x", "-(a + b) * -x"),
    ("-(-x) + +(+y)", "-(-x) + +(+y)"),
    ("a - -b", "a - -b"),
    (".5 + 2. + 1e-3 + 3.e2", "T(0.5) + T(2.0) + T(1e-3) + T(3.0e2)"),
    ("x > 0 ? x : alpha * expm1(x)", "x > T(0) ? x : alpha * expm1(x)"),
    ("pow(x, 2) / (1 + exp(-y))", "pow(x, 2) / (T(1) + exp(-y))"),
    ("a > b ? a : b > y ? b : y", "a > b ? a : (b > y ? b : y)"),
    ("(a > b ? a : b) > y ? b : y", "(a > b ? a : b) > y ? b : y"),
    ("a > b ? x > y ? 1 : 2 : 3", "a > b ? (x > y ? T(1) : T(2)) : T(3)"),
    ("(x > 0 ? a : b) * 2", "(x > T(0) ? a : b) * T(2)"),
    ("x > 0", "T(x > T(0))"),
    ("(x > 0) * x", "T(x > T(0)) * x"),
    ("(x > 0) - (x < 0)", "T(x > T(0)) - T(x < T(0))"),
    ("-(x > 0)", "-T(x > T(0))"),
    ("(a < b) < x", "T(T(a < b) < x)"),
    ("x ? 1 : 2", "x != T(0) ? T(1) : T(2)"),
    ("x + y ? 1 : 2", "x + y != T(0) ? T(1) : T(2)"),
    ("!x", "T(!(x != T(0)))"),
    ("!(a > b) ? a : b", "!(a > b) ? a : b"),
    ("!!(a > b) ? a : b", "!!(a > b) ? a : b"),
    ("a && b || x ? a : b", "(a != T(0) && b != T(0)) || x != T(0) ? a : b"),
    ("(a > 0 || b > 0) && x > 0 ? a : b", "(a > T(0) || b > T(0)) && x > T(0) ? a : b"),
    ("a > 0 && (b > 0 && x > 0) ? 1 : 0", "a > T(0) && (b > T(0) && x > T(0)) ? T(1) : T(0)"),
    ("(a ? b : x) && y ? 1 : 0", "(a != T(0) ? b : x) != T(0) && y != T(0) ? T(1) : T(0)"),
    ("x > 0 ? y > 0 : 2", "x > T(0) ? T(y > T(0)) : T(2)"),
    ("isnan(x) ? 0 : x", "isnan(x) ? T(0) : x"),
    ("isnan(x) + abs(x > 0)", "T(isnan(x)) + abs(T(x > T(0)))"),
    ("flag ? a : b", "flag ? a : b"),
    ("flag * a + !flag", "T(flag) * a + T(!flag)"),
    ("flag == 1 && flag ? a : b", "T(flag) == T(1) && flag ? a : b"),
    ("flag", "T(flag)"),
    ("true", "T(true)"),
    ("x > 0 ? !flag : true", "T(x > T(0) ? !flag : true)"),
    ("(flag ? a > b : false) ? a : b", "(flag ? a > b : false) ? a : b"),
    ("isless(a, b) && x > 0", "T(isless(a, b) && x > T(0))"),
    ("x\n  +\t1", "x + T(1)"),
]


@pytest.mark.parametrize(("text", "cpp"), CPP)
def test_cpp(text: str, cpp: str) -> None:
    assert to_cpp(parse(text), {}, booleans={"flag"}) == cpp


def test_cpp_names_and_scalar_are_the_callers() -> None:
    tree = parse("self * (other > 1) + alpha")
    renamed = {"self": "self_[i]", "alpha": "T(alpha)", "unused": "u"}
    assert to_cpp(tree, renamed, "scalar_t") == (
        "self_[i] * scalar_t(other > scalar_t(1)) + T(alpha)"
    )
    # booleans keep the argument's name
    assert to_cpp(parse("flag ? 1 : 2"), {"flag": "f"}, booleans=["flag"]) == "f ? T(1) : T(2)"


@pytest.mark.parametrize(
    ("text", "cpp"),
    [
        ("n == 1 ? a : b", "n == 1 ? a : b"),
        ("n + 1 < 2 * k - -3 ? a : b", "n + 1 < 2 * k - -3 ? a : b"),
        ("n ? a : !k", "n != 0 ? a : T(!(k != 0))"),
        ("n - k ? a : b", "n - k != 0 ? a : b"),
        ("n", "T(n)"),
        ("n + 1", "T(n) + T(1)"),
        ("pow(x, n) + (n > 3)", "pow(x, n) + T(n > 3)"),
        ("n == 1.0 ? a : b", "T(n) == T(1.0) ? a : b"),
        ("n == x ? a : b", "T(n) == x ? a : b"),
        ("n / 2 == 1 ? a : b", "T(n) / T(2) == T(1) ? a : b"),
        ("1 < 2 ? a : b", "T(1) < T(2) ? a : b"),
        # literals alone are int in C++, where a product of large ones would overflow
        ("n < 60 * 60 ? a : b", "T(n) < T(60) * T(60) ? a : b"),
        ("n < 9223372036854775807 ? a : b", "n < 9223372036854775807 ? a : b"),
    ],
)
def test_whole_numbers_are_compared_as_such(text: str, cpp: str) -> None:
    assert to_cpp(parse(text), {}, integers={"n", "k"}) == cpp


@pytest.mark.parametrize(
    ("text", "cpp"),
    [
        ("a > b", "a > b"),
        ("!(a > b)", "!(a > b)"),
        ("a > 0 && b < 1", "a > T(0) && b < T(1)"),
        ("a > b ? true : false", "a > b ? true : false"),
        ("flag ? isnan(a) : flag", "flag ? isnan(a) : flag"),
    ],
)
def test_truth_values(text: str, cpp: str) -> None:
    tree = parse(text)
    assert is_truth_value(tree, {"flag"})
    assert to_cpp(tree, {}, booleans={"flag"}, as_it_is=True) == cpp


@pytest.mark.parametrize("text", ["(a > b) * a", "-(a > b)", "a > b ? a : b", "a ? a > b : 1", "a"])
def test_numbers(text: str) -> None:
    assert not is_truth_value(parse(text), {"flag"})


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("a && !b", True),
        ("a == b ? a > 0 : true", True),
        ("flag ? a : b", True),
        ("a + b > 1", False),
        ("a > 2", False),
        ("-a", False),
        ("abs(a)", False),
    ],
)
def test_is_boolean_exact(text: str, exact: bool) -> None:
    assert is_boolean_exact(parse(text)) == exact


def test_names_and_functions() -> None:
    assert parse("a+b") == parse("(a)  +  (b)")
    tree = parse("b > 0 ? exp(a) + b : fmax(exp(y), -a)")
    assert names(tree) == {"a", "b", "y"}
    assert functions(tree) == {"exp", "fmax"}
    assert not functions(parse("a + b"))


def test_names_of_types_are_names_where_they_are_not_called() -> None:
    assert names(parse("int + float * bool - double")) == {"int", "float", "bool", "double"}
    assert to_cpp(parse("int * 2"), {"int": "int_"}) == "int_ * T(2)"


@pytest.mark.parametrize(
    ("text", "exact"),
    [
        ("2 * a + b - -x", True),
        ("x > 0 && !(y == 2) ? abs(x) : +y", True),
        ("(x > 0) - (x < 0)", True),
        ("a / b", False),
        ("2.0 * a", False),
        ("1e3 * a", False),
        ("fabs(x)", False),
        ("fmax(a, b)", False),
        ("isnan(x) ? 0 : x", False),
        ("x > 0 ? x : a * exp(x)", False),
    ],
)
def test_is_integer_exact(text: str, exact: bool) -> None:
    assert is_integer_exact(parse(text)) is exact


# (text, the marked characters, parts of the message: the fact and the remedy)
MISTAKES = [
    ("", "", "the expression is empty; write one, such as 2 * a + b"),
    (" \n ", " \n ", "the expression is empty; write one, such as 2 * a + b"),
    ("x ^ 2", "^", "^ has no meaning in an expression; write pow(a, b)"),
    ("x ** 2", "**", "write pow(a, b)"),
    ("x % 2", "%", "write fmod(a, b)"),
    ("x // 2", "//", "write floor(a / b)"),
    ("a = b", "=", "write == for a comparison"),
    ("a & b", "&", "write && for a condition"),
    ("|x|", "|", "fabs(x) for a magnitude"),
    ("x and y", "and", "and has no meaning in an expression; write &&"),
    ("x or y", "or", "write ||"),
    ("not x", "not", "write !"),
    ("x if y else a", "if", "write condition ? a : b"),
    ("return x", "return", "write the value alone"),
    ("True", "True", "write true"),
    ("float(x)", "float", "write the value alone: all values have the kernel's type"),
    ("std::exp(x)", "::", "write the plain name, as in exp(x)"),
    ("(x).abs()", ".", "write the plain name"),
    ("x[0]", "[", "write the argument's name alone: it is one element here"),
    ("'a'", "'", "' has no meaning in an expression; write names, numbers"),
    ("x;", ";", "; has no meaning in an expression; write names, numbers"),
    ("(x", "(", "this ( has no ); add it"),
    ("exp(x", "(", "this ( has no ); add it"),
    ("x)", ")", ") is not expected here; remove it"),
    ("x +", "", "a value is missing at the end"),
    ("x + * y", "*", "a value is missing before *"),
    ("()", ")", "a value is missing before )"),
    ("pow(x,)", ")", "a value is missing before )"),
    ("x y", "y", "an operator is missing before y; for a product write * y"),
    ("2 x", "x", "for a product write * x"),
    ("2x", "2x", "2x is not a decimal number; write 2, 0.5 or 1e-3, or 2 * x for a product"),
    ("(a)(b)", "(", "an operator is missing before ("),
    ("x ! y", "!", "! is not expected here"),
    ("a, b", ",", ", is not expected here"),
    ("a : b", ":", ": is not expected here"),
    ("a ? b", "?", "this ? has no :; add it"),
    ("pow(a ? b, x)", "?", "this ? has no :"),
    ("0 < x < 1", "<", "comparisons do not chain; write a < b && b < c"),
    ("a == b < x", "<", "comparisons do not chain"),
    ("exq(x)", "exq", "exq is not a function of <cmath> that may be called; did you mean exp?"),
    ("min(x, y)", "min", "write fmin(a, b)"),
    ("sigmoid(x)", "sigmoid", "write 1 / (1 + exp(-x))"),
    ("zzzzz(x)", "zzzzz", "give the kernel by source, or write zzzzz * (...) for"),
    ("exp + 1", "exp", "exp is a function; call it, as in exp(x)"),
    ("pow(x)", "pow", "pow takes 2 arguments, not 1; write pow(a, b)"),
    ("exp()", "exp", "exp takes 1 argument, not 0; write exp(x)"),
    ("2.5f * x", "2.5f", "2.5f is not a decimal number"),
    ("0x1F", "0x1F", "0x1F is not a decimal number"),
    ("1_000", "1_000", "1_000 is not a decimal number"),
    ("1e", "1e", "1e is not a decimal number"),
    ("1.2.3", "1.2.3", "1.2.3 is not a decimal number"),
    ("010", "010", "010 is octal in C++; write it without the 0 in front"),
    ("9223372036854775808", "9223372036854775808", "write it with a decimal point"),
    ("1e999", "1e999", "too large"),
    ("1e-999", "1e-999", "too small"),
    ("x + \u03c0", "\u03c0", "U+03C0 has no meaning in an expression"),
    ("x \u202e y", "\u202e", "U+202E has no meaning"),
    ("x\x00", "\x00", "U+0000 has no meaning"),
    ("a + c", "c", "the schema has no argument c; its arguments: a, b, x and y"),
]


@pytest.mark.parametrize(("text", "marked", "message"), MISTAKES)
def test_mistakes(text: str, marked: str, message: str) -> None:
    with pytest.raises(ExpressionProblems) as caught:
        parse(text, ["a", "b", "x", "y"])
    error = caught.value.problems[0]
    assert message in error.message
    assert text[error.offset : error.offset + error.length] == marked
    assert error.length >= 1
    assert ";" in error.message
    assert error.message.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000 + "x" + ")" * 5000,
        "(" * (MAX_NESTING + 1) + "x" + ")" * (MAX_NESTING + 1),
        "- " * 390 + "x",
        "!" * 300 + "x",
        "x ? " * 100 + "x",
        "x" + " ? x : x" * 70,
        "exp(" * 100 + "x",
        " + ".join("x" * 300),
        "9" * 9000,
        "x" * 9000 + "(1)",
        "9" * 9000 + "f",
        " " * 10_000,
    ],
)
def test_too_much_is_refused_with_a_short_message(text: str) -> None:
    with pytest.raises(ExpressionProblems) as caught:
        parse(text)
    assert all(len(problem.message) < 200 for problem in caught.value.problems)


@pytest.mark.parametrize(
    "text",
    [
        " + ".join("x" * 200),
        " || ".join("x" * 200),
        "(" * (MAX_NESTING - 1) + "x" + ")" * (MAX_NESTING - 1),
        "- " * (MAX_NESTING - 1) + "x",
        "(a + " * 40 + "x" + ")" * 40,
    ],
)
def test_as_much_as_is_allowed_is_written(text: str) -> None:
    tree = parse(text)
    assert to_cpp(tree, {})
    assert "x" in names(tree)


@given(st.text(st.sampled_from("ab12.e()+-*/!<>=&|?:,_ ^%[]'f\u03c0"), max_size=30) | st.text())
def test_any_text_is_an_expression_or_problems(text: str) -> None:
    try:
        tree = parse(text)
    except ExpressionProblems as error:
        span = (error.problems[0].offset, error.problems[0].length)
    else:
        to_cpp(tree, {})
        span = (0, 1)
    assert 0 <= span[0] <= len(text)
    assert span[1] >= 1


# The round trip: C++ text, without its conversions to T, is an expression again.
