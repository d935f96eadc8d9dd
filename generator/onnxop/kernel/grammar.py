"""`[kernel] elementwise` → a checked expression tree (`cppexpr` writes it out).

The grammar is a part of C++'s expressions, with C++'s precedence: names, decimal literals, + - * /,
comparisons, && || !, ?: and calls of <cmath>.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from onnxop_runtime.messages import did_you_mean, join_words, nearest
from onnxop_runtime.specs.pyexpr import ExpressionProblem, ExpressionProblems

from . import expression as ex

MAX_TOKENS = 400  # also limits the depth of the tree, because it is walked recursively
MAX_NESTING = 60

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\.?[0-9](?:[eE][+-]|[\w.])*)"  # as far as C++ would read
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>\*\*|//|::|<<|>>|->|[<>=!]=|&&|\|\||.)|(?P<end>\Z))",
    re.ASCII | re.DOTALL,
)
_SIGNS = frozenset({*ex.PRECEDENCE, "!", ":", "(", ")", ","})
_CHOICE = "write condition ? a : b"
_PLAIN = "write the plain name, as in exp(x)"
_BITS = "give the kernel by source, for the bits of integers"
_OTHERWISE = {
    **dict.fromkeys(("^", "**"), "write pow(a, b)"),
    "%": "write fmod(a, b)",
    "//": "write floor(a / b)",
    "=": "write == for a comparison",
    "&": "write && for a condition",
    "|": "write || for a condition, fabs(x) for a magnitude",
    **dict.fromkeys(("<<", ">>"), _BITS),
    "~": f"write ! for a condition, or {_BITS}",
    **dict.fromkeys(("::", ".", "->"), _PLAIN),
    "[": "write the argument's name alone: it is one element here",
    "and": "write &&",
    "or": "write ||",
    "not": "write !",
    **dict.fromkeys(("if", "else"), _CHOICE),
    **dict.fromkeys(("return", "lambda"), "write the value alone"),
    "True": "write true",
    "False": "write false",
}
"""Operators and keywords of other languages, and what to write instead."""

_OTHER_FUNCTIONS = {
    **dict.fromkeys(("min", "minimum"), "write fmin(a, b)"),
    **dict.fromkeys(("max", "maximum"), "write fmax(a, b)"),
    **dict.fromkeys(("clamp", "clip"), "write fmin(fmax(x, low), high)"),
    "where": _CHOICE,
    **dict.fromkeys(("sign", "sgn"), "write (x > 0) - (x < 0)"),
    "sigmoid": "write 1 / (1 + exp(-x))",
    "silu": "write x / (1 + exp(-x))",
    "relu": "write x < 0 ? 0 : x",
    "square": "write x * x",
    "rsqrt": "write 1 / sqrt(x)",
    "ln": "write log(x)",
    **dict.fromkeys(
        ("int", "float", "double", "bool"),
        "write the value alone: all values have the kernel's type",
    ),
}


@dataclass(frozen=True)
class _Token:
    kind: str  # number, name, sign or end
    text: str
    offset: int

    @property
    def shown(self) -> str:
        """The text, cut to fit a message, or the code point of a character that may not be
        visible.
        """
        if self.kind == "sign" and not "!" <= self.text <= "~":
            return f"the character U+{ord(self.text):04X}"
        return self.text if len(self.text) <= 40 else f"{self.text[:37]}..."

    def problem(self, message: str) -> ExpressionProblem:
        return ExpressionProblem(message, self.offset, len(self.text))


def parse(text: str, arguments: Sequence[str] | None = None) -> ex.Expression:
    """Return the tree of an expression of these arguments, or of any names. Raise
    `ExpressionProblems` with all errors in it.
    """
    parser = _Parser(arguments)
    tree = None
    try:
        parser.tokens = _tokens(text)
        tree = parser.expression()
        if parser.next.kind != "end":
            raise parser.unexpected()
    except ExpressionProblem as problem:
        parser.problems.append(problem)
    if tree is None or parser.problems:
        raise ExpressionProblems(parser.problems)
    return tree


def _tokens(text: str) -> list[_Token]:
    """Return the tokens of the text, which are all valid, and a token for its end."""
    tokens: list[_Token] = []
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or "end"
        token = _Token(kind, match[kind], match.start(kind))
        tokens.append(token)
        if len(tokens) > MAX_TOKENS:
            fact = f"the expression has more than {MAX_TOKENS} tokens"
            raise token.problem(f"{fact}; write a shorter one")
        if token.text in _OTHERWISE or (kind == "sign" and token.text not in _SIGNS):
            remedy = _OTHERWISE.get(token.text, "write names, numbers, + - * /, && || ! and ?:")
            raise token.problem(f"{token.shown} has no meaning in an expression; {remedy}")
        if kind == "end":
            break
    if len(tokens) == 1:
        fact = "the expression is empty; write one, such as 2 * a + b"
        raise ExpressionProblem(fact, 0, len(text))
    return tokens


class _Parser:
    """A precedence-climbing parser. Each method parses what its name says, from token `at` on."""

    def __init__(self, arguments: Sequence[str] | None) -> None:
        self.arguments = arguments
        self.tokens: list[_Token] = []
        self.at = self.depth = 0
        self.problems: list[ExpressionProblem] = []  # after which parsing goes on

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self) -> _Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def expression(self, lowest: int = 0) -> ex.Expression:
        """Parse operators of at least the precedence `lowest`, from left to right."""
        left = self.operand()
        while (level := ex.PRECEDENCE.get(self.next.text, -1)) >= lowest:
            operator = self.take()
            if operator.text == "?":
                then = self.nested()
                self.close(":", operator)
                left = ex.Conditional(left, then, self.nested())
            else:
                left = ex.Binary(operator.text, left, self.expression(level + 1))
            if {operator.text, self.next.text} <= ex.COMPARISONS:
                remedy = "write a < b && b < c, or set parentheses"
                raise self.next.problem(f"comparisons do not chain; {remedy}")
        return left

    def nested(self, lowest: int = 0) -> ex.Expression:
        """Parse an expression within another."""
        self.depth += 1
        if self.depth >= MAX_NESTING:
            fact = f"the expression nests more than {MAX_NESTING} levels deep"
            raise self.next.problem(f"{fact}; write a flatter one")
        tree = self.expression(lowest)
        self.depth -= 1
        return tree

    def operand(self) -> ex.Expression:
        """Parse a number, a name, a call, an expression in parentheses, or a unary operator."""
        token = self.take()
        if token.kind == "number":
            self.problems += _problems_with_number(token)
            return ex.NumberLiteral(token.text)
        if token.kind == "name" and self.next.text == "(":
            return self.function_call(token)
        if token.text in ex.BOOLEANS:
            return ex.NumberLiteral(token.text)
        if token.kind == "name":
            self.check_name(token)
            return ex.Name(token.text)
        if token.text == "(":
            tree = self.nested()
            self.close(")", token)
            return tree
        if token.text in ("-", "+", "!"):
            return ex.Unary(token.text, self.nested(max(ex.PRECEDENCE.values()) + 1))
        before = f"before {token.text}" if token.text else "at the end"
        raise token.problem(f"a value is missing {before}; write a number, a name or a call there")

    def check_name(self, token: _Token) -> None:
        arguments = self.arguments
        if token.text in ex.FUNCTIONS:
            remedy = f"call it, as in {_usage(token.text)}"
            self.problems.append(token.problem(f"{token.text} is a function; {remedy}"))
        elif arguments is not None and token.text not in arguments:
            hint = (
                did_you_mean(token.text, arguments) or f"; its arguments: {join_words(arguments)}"
            )
            self.problems.append(token.problem(f"the schema has no argument {token.shown}{hint}"))

    def function_call(self, function: _Token) -> ex.Expression:
        """Parse the arguments of a call of the function, from the opening bracket on."""
        opening, arguments = self.take(), list[ex.Expression]()
        while self.next.text != ")" or arguments:
            arguments.append(self.nested())
            if self.next.text != ",":
                break
            self.take()
        self.close(")", opening)
        self.check_function(function, len(arguments))
        return ex.FunctionCall(function.text, tuple(arguments))

    def check_function(self, function: _Token, count: int) -> None:
        """Add a problem for a function that may not be called, or not with so many arguments."""
        arity, name = ex.FUNCTIONS.get(function.text), function.shown
        if arity is None:
            fact = f"{name} is not a function of <cmath> that may be called"
            self.problems.append(function.problem(f"{fact}; {_other_than(function)}"))
        elif count != arity:
            expected = "1 argument" if arity == 1 else f"{arity} arguments"
            fact = f"{name} takes {expected}, not {count}"
            self.problems.append(function.problem(f"{fact}; write {_usage(name)}"))

    def close(self, sign: str, opening: _Token) -> None:
        """Skip ``sign``, which closes the bracket ``opening``."""
        if self.next.text == sign:
            self.take()
        elif self.next.kind == "end" or self.next.text in (")", ","):
            raise opening.problem(f"this {opening.text} has no {sign}; add it")
        else:
            raise self.unexpected()

    def unexpected(self) -> ExpressionProblem:
        """Return the problem of the next token, which cannot follow a value."""
        token = self.next
        if token.kind == "sign" and token.text != "(":
            return token.problem(f"{token.text} is not expected here; remove it")
        remedy = f"for a product write * {token.shown}"
        return token.problem(f"an operator is missing before {token.shown}; {remedy}")


def _other_than(function: _Token) -> str:
    """Return what to write instead of a function that may not be called."""
    if remedy := _OTHER_FUNCTIONS.get(function.text):
        return remedy
    near = nearest(function.text, [*ex.FUNCTIONS, *_OTHER_FUNCTIONS])
    if near in _OTHER_FUNCTIONS:
        return f"for {near}, {_OTHER_FUNCTIONS[near]}"
    if near:
        return f"did you mean {near}?"
    return f"give the kernel by source, or write {function.shown} * (...) for a product"


def _usage(function: str) -> str:
    names = "abc"[: ex.FUNCTIONS[function]] if ex.FUNCTIONS[function] > 1 else "x"
    return f"{function}({', '.join(names)})"


def _problems_with_number(token: _Token) -> list[ExpressionProblem]:
    """Return why C++ would not read the token as that decimal number."""
    text, remedy = token.text, ""
    if not re.fullmatch(r"([0-9]++\.?[0-9]*+|\.[0-9]++)([eE][+-]?[0-9]++)?", text):
        remedy = "is not a decimal number; write 2, 0.5 or 1e-3, or 2 * x for a product"
    elif text.isdigit() and text[0] == "0" != text:
        remedy = "is octal in C++; write it without the 0 in front"
    elif text.isdigit() and (len(text) > 19 or int(text) >= 2**63):
        remedy = "is too large for an integer; write it with a decimal point"
    elif float(text) == float("inf"):
        remedy = "is too large for any number type; write one below 1.8e308"
    elif float(text) == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        remedy = "is too small for any number type; write 0, or one above 5e-324"
    return [token.problem(f"{token.shown} {remedy}")] if remedy else []
