"""`[kernel] elementwise` → a checked expression tree (`cppexpr` writes it out).

The grammar is the part of C++ expressions that makes one number of others: names, decimal literals,
+ - * /, comparisons, && || !, ?: and calls of <cmath>, with C++'s precedence.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..errors import did_you_mean
from . import tokens
from .expression import Binary, Conditional, Expression, FunctionCall, Name, Number, Unary
from .tokens import (
    COMPARISONS,
    FUNCTIONS,
    OTHER_FUNCTIONS,
    PRECEDENCE,
    TRUTHS,
    ExpressionError,
    Token,
    shortened,
)

MAX_LENGTH = 10_000
MAX_NESTING = 60
_WRONG_FUNCTIONS = {
    "min": "use fmin(a, b)",
    "max": "use fmax(a, b)",
    "minimum": "use fmin(a, b)",
    "maximum": "use fmax(a, b)",
    "clamp": "use fmin(fmax(x, low), high)",
    "clip": "use fmin(fmax(x, low), high)",
    "where": "use condition ? a : b",
    **dict.fromkeys(("sign", "sgn"), "write (x > 0) - (x < 0)"),
    "sigmoid": "write 1 / (1 + exp(-x))",
    "relu": "write x < 0 ? 0 : x",
    "square": "write x * x",
    "rsqrt": "write 1 / sqrt(x)",
    "reciprocal": "write 1 / x",
    "ln": "use log(x)",
    "mod": "use fmod(a, b)",
    "power": "use pow(a, b)",
    "gamma": "use tgamma(x)",
}


class GrammarError(ExpressionError):
    """All that is wrong with a text; ``tree`` is what it means where no more than calls are wrong."""

    def __init__(self, problems: Sequence[ExpressionError], tree: Expression | None = None) -> None:
        super().__init__(problems[0].message, problems[0].offset, problems[0].length)
        self.problems = tuple(problems)
        self.tree = tree


def parse(text: str) -> Expression:
    """The tree of `text`, with C++'s precedence; GrammarError if it is not of the grammar."""
    errors: list[ExpressionError] = []  # those after which the text can be read on
    tree = None
    try:
        if len(text) > MAX_LENGTH:
            fact = f"the expression has more than {MAX_LENGTH} characters; write a shorter one"
            raise ExpressionError(fact, MAX_LENGTH, 1)
        if not text.strip():
            fact = "the expression is empty; write one, such as 2 * a + b"
            raise ExpressionError(fact, 0, len(text))
        tree = _Parser(text, errors).expression()
    except ExpressionError as error:
        errors.append(error)
    if tree is None or errors:
        raise GrammarError(errors, tree)
    return tree


class _Parser:
    """Recursive descent; each method reads what it is named after, moving `at` forward."""

    def __init__(self, text: str, errors: list[ExpressionError]) -> None:
        self.tokens = tokens.split(text, errors)
        self.at = 0
        self.depth = 0
        self.errors = errors

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.next
        self.at += 1
        return token

    def accept(self, *signs: str) -> Token | None:
        return self.take() if self.next.kind == "sign" and self.next.text in signs else None

    def expression(self) -> Expression:
        """The whole text."""
        tree = self.conditional()
        if self.next.kind != "end":
            raise self.unexpected()
        return tree

    def conditional(self) -> Expression:
        """`test ? then : otherwise`, or what binds tighter."""
        self.descend()
        expression = self.binary(1)
        if question := self.accept("?"):
            then = self.conditional()
            if not self.accept(":"):
                if self.next.kind == "end" or self.next.text in (")", ","):
                    raise question.error("this ? has no :; write condition ? a : b")
                raise self.unexpected()
            expression = Conditional(expression, then, self.conditional(), question.offset)
        self.depth -= 1
        return expression

    def binary(self, lowest: int) -> Expression:
        """Operators that bind at least as tight as `lowest`, each from left to right."""
        left = self.unary()
        compared = False
        while PRECEDENCE.get(self.next.text, -1) >= lowest:
            operator = self.take()
            if operator.text in COMPARISONS:
                if compared:
                    raise operator.error(
                        "comparisons do not chain; write a < b && b < c, or set parentheses"
                    )
                compared = True
            right = self.binary(PRECEDENCE[operator.text] + 1)
            left = Binary(operator.text, left, right, operator.offset)
        return left

    def unary(self) -> Expression:
        """Signs and negations in front of a value."""
        if not (operator := self.accept("-", "+", "!")):
            return self.primary()
        self.descend()
        expression = Unary(operator.text, self.unary(), operator.offset)
        self.depth -= 1
        return expression

    def primary(self) -> Expression:
        """A number, a name, a call or an expression in parentheses."""
        if self.next.kind == "number":
            token = self.take()
            return Number(token.text, token.offset)
        if self.next.kind == "name":
            token = self.take()
            if opening := self.accept("("):
                return self.call(token, opening)
            if token.text in TRUTHS:
                return Number(token.text, token.offset)
            if token.text in FUNCTIONS:
                raise token.error(
                    f"{token.text} is a function; call it, as in {_usage(token.text)}"
                )
            return Name(token.text, token.offset)
        if opening := self.accept("("):
            expression = self.conditional()
            self.close(opening)
            return expression
        if self.next.kind == "end":
            raise self.next.error(
                "the expression ends where a value must follow; add a number, a name or a call"
            )
        raise self.next.error(
            f"a value is missing before {self.next.text}; write a number, a name or a call there"
        )

    def call(self, function: Token, opening: Token) -> Expression:
        """A call's arguments, up to and with the closing parenthesis."""
        arguments: list[Expression] = []
        if not self.accept(")"):
            arguments.append(self.conditional())
            while self.accept(","):
                arguments.append(self.conditional())
            self.close(opening)
        arity = FUNCTIONS.get(function.text)
        if arity is None:
            self.errors.append(function.error(_unknown_function(function.text)))
        elif len(arguments) != arity:
            plural = "" if arity == 1 else "s"
            message = (
                f"{function.text} takes {arity} argument{plural}, not {len(arguments)}; "
                f"write {_usage(function.text)}"
            )
            self.errors.append(function.error(message))
        return FunctionCall(function.text, tuple(arguments), function.offset)

    def close(self, opening: Token) -> None:
        if self.next.kind == "end":
            raise opening.error("this ( is never closed; add )")
        if not self.accept(")"):
            raise self.unexpected()

    def unexpected(self) -> ExpressionError:
        """The error for a token that cannot follow a complete value."""
        token = self.next
        if token.text == ")":
            return token.error("this ) closes nothing; remove it, or add (")
        if token.text == ",":
            return token.error(
                "a comma outside a call; write one expression, with . as the decimal point"
            )
        if token.text == ":":
            return token.error("this : has no ?; write condition ? a : b")
        if token.text == "!":
            return token.error("! stands before a value; write !x, or a != b")
        return token.error(
            f"an operator is missing before {shortened(token.text)}; "
            f"for a product write * {shortened(token.text)}"
        )

    def descend(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            raise self.next.error(
                f"the expression nests more than {MAX_NESTING} levels deep; write a flatter one"
            )


def _usage(function: str) -> str:
    return (
        f"{function}({', '.join('abc'[: FUNCTIONS[function]]) if FUNCTIONS[function] > 1 else 'x'})"
    )


def _unknown_function(word: str) -> str:
    if remedy := OTHER_FUNCTIONS.get(word):
        return f"{word} of <cmath> cannot be called here; {remedy}"
    fact = f"{shortened(word)} is not a function of <cmath>"
    if remedy := _WRONG_FUNCTIONS.get(word):
        return f"{fact}; {remedy}"
    if hint := did_you_mean(word, FUNCTIONS):
        return f"{fact}{hint}"
    return f"{fact}; write it with those, or {shortened(word)} * (...) for a product"
