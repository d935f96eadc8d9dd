"""An elementwise expression → C++."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..kernel import expression as ex

_UNARY, _PRIMARY = 6, 7


def to_cpp(
    expression: ex.Expression,
    rename: Mapping[str, str],
    scalar: str = "T",
    booleans: Collection[str] = (),
    integers: Collection[str] = (),
    *,
    as_it_is: bool = False,
) -> str:
    """Return C++ text for the expression's value, a number of type `scalar`, spaced as clang-format
    would.

    The text has parentheses if the tree needs them. It also has them in `(a && b) || c`, because
    compilers warn otherwise, and around a `?:` within another, for readers.
    Numbers and conditions never mix: a condition used as a number is `T(x > y)`, and a number used
    as a condition is `x != T(0)`.

    `rename` maps arguments to C++ names or calls; other arguments keep their names. `booleans` are
    the arguments that are conditions, and `integers` those of type int64_t. Integers are converted
    to `scalar`, except in a power's exponent and in comparisons of integers.
    Functions have no namespace: `using std::f;` for each of `functions(expression)` must be in
    scope. `as_it_is`: a condition stays a condition.
    """
    writer = _CppWriter(rename, scalar, booleans, integers)
    return (writer.plain(expression) if as_it_is else writer.value(expression)).text


@dataclass(frozen=True)
class _Piece:
    """C++ text, with the precedence of its outermost operator."""

    text: str
    level: int = _PRIMARY

    def within(self, level: int) -> str:
        """Return the text as an operand of an operator with this precedence."""
        return self.text if self.level >= level else f"({self.text})"


@dataclass(frozen=True)
class _CppWriter:
    rename: Mapping[str, str]
    scalar: str
    booleans: Collection[str]
    integers: Collection[str]

    def value(self, node: ex.Expression) -> _Piece:
        """Return the node as a number of the scalar type."""
        plain = self.plain(node)
        return self.cast(plain) if self.is_condition(node) else plain

    def condition(self, node: ex.Expression) -> _Piece:
        """Return the node as a condition."""
        if self.is_condition(node):
            return self.plain(node)
        if self.has_integer(node) and (whole := self.whole(node)):
            return _binary("!=", whole, _Piece("0"))
        return _binary("!=", self.value(node), self.cast(_Piece("0")))

    def is_condition(self, node: ex.Expression) -> bool:
        return ex.is_condition(node, self.booleans)

    def plain(self, node: ex.Expression) -> _Piece:
        """Return the node as a number or a condition, without a conversion."""
        match node:
            case ex.NumberLiteral(text=text):
                # Write digits on both sides of the decimal point.
                piece = _Piece(re.sub(r"\.(?!\d)", ".0", re.sub(r"^\.", "0.", text)))
                return piece if text in ex.BOOLEANS else self.cast(piece)
            case ex.Name(name=name):
                piece = _Piece(self.rename.get(name, name))
                return self.cast(piece) if name in self.integers else piece
            case ex.FunctionCall(function=function, arguments=arguments):
                operands = [*map(self.value, arguments)]
                if function == "pow":  # an integer power is faster and more exact
                    exponent = arguments[1]
                    is_whole = isinstance(exponent, ex.NumberLiteral | ex.Unary | ex.Name)
                    operands[1] = (is_whole and self.whole(exponent)) or operands[1]
                return _Piece(f"{function}({', '.join(piece.text for piece in operands)})")
            case ex.Unary(operator=operator, operand=operand):
                piece = self.condition(operand) if operator == "!" else self.value(operand)
                return _unary(operator, piece)
            case ex.Binary(operator=operator, left=left, right=right):
                if operator in ex.COMPARISONS and self.has_integer(node):
                    # As scalars, two large integers could compare equal.
                    sides = self.whole(left), self.whole(right)
                    if sides[0] and sides[1] and sides[0] != sides[1]:
                        return _binary(operator, sides[0], sides[1])
                part = self.condition if operator in ex.LOGICAL else self.value
                return _binary(operator, part(left), part(right))
            case ex.Conditional(test=test, then=then, otherwise=otherwise):
                part = self.condition if self.is_condition(node) else self.value
                pieces = (self.condition(test), part(then), part(otherwise))
                parts = [piece.within(ex.PRECEDENCE["?"] + 1) for piece in pieces]
                return _Piece(f"{parts[0]} ? {parts[1]} : {parts[2]}", ex.PRECEDENCE["?"])

    def whole(self, node: ex.Expression) -> _Piece | None:
        """Return the node as an int64_t; None if it may be a float, or C++ would compute in int."""
        match node:
            case ex.NumberLiteral(text=text) if text.isdigit():
                return _Piece(text)
            case ex.Name(name=name) if name in self.integers:
                return _Piece(self.rename.get(name, name))
            case ex.Unary(operator="-" | "+" as sign, operand=operand):
                inner = self.whole(operand)
                return inner and _unary(sign, inner)
            case ex.Binary(operator="+" | "-" | "*" as operator, left=left, right=right):
                first, second = self.whole(left), self.whole(right)
                if first and second and self.has_integer(node):
                    return _binary(operator, first, second)
        return None

    def has_integer(self, node: ex.Expression) -> bool:
        return not ex.names(node).isdisjoint(self.integers)

    def cast(self, piece: _Piece) -> _Piece:
        return _Piece(f"{self.scalar}({piece.text})")


def _unary(operator: str, operand: _Piece) -> _Piece:
    inner = operand.within(_UNARY)
    # -(-x) without parentheses would be a decrement.
    merges = operator != "!" and inner.startswith(operator)
    return _Piece(f"{operator}({inner})" if merges else f"{operator}{inner}", _UNARY)


def _binary(operator: str, left: _Piece, right: _Piece) -> _Piece:
    level = ex.PRECEDENCE[operator]
    if operator == "||":  # g++ -Wparentheses wants (a && b) || c
        mixed = ex.PRECEDENCE["&&"]
        left, right = (
            _Piece(f"({piece.text})") if piece.level == mixed else piece for piece in (left, right)
        )
    return _Piece(f"{left.within(level)} {operator} {right.within(level + 1)}", level)
