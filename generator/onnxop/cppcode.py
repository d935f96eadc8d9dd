"""C++ code: expressions as text, and lines broken as clang-format leaves them."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from onnxop.expression import (
    COMPARISONS,
    CONDITIONAL,
    DECIMAL,
    LOGICAL,
    PRECEDENCE,
    PREDICATES,
    PRIMARY,
    UNARY,
    Binary,
    Call,
    Conditional,
    Expression,
    Name,
    Number,
    Unary,
)

WIDTH = 100


def call(head: str, arguments: Sequence[str], tail: str = ")", *, indent: int = 0) -> list[str]:
    """``head(arguments)tail``, ``head`` ending with its bracket: on one line where it fits, else
    one argument a line, all below the first.
    """
    pad = " " * indent
    one_line = f"{pad}{head}{', '.join(arguments)}{tail}"
    if len(one_line) <= WIDTH or len(arguments) < 2:
        return [one_line]
    first, *middle, last = arguments
    below = " " * (indent + len(head))
    return [f"{pad}{head}{first},", *(f"{below}{a}," for a in middle), f"{below}{last}{tail}"]


def string(text: str) -> str:
    """A C++ string literal; every character outside ASCII as its UTF-8 bytes, in octal."""
    parts: list[str] = []
    for byte in text.encode():
        char = chr(byte)
        if char in '"\\?':
            parts.append(f"\\{char}")
        elif char == "\n":
            parts.append("\\n")
        elif 0x20 <= byte < 0x7F:
            parts.append(char)
        else:
            parts.append(f"\\{byte:03o}")
    return f'"{"".join(parts)}"'


def to_cpp(
    expression: Expression,
    rename: Mapping[str, str],
    scalar: str = "T",
    booleans: Container[str] = (),
    integers: Container[str] = (),
) -> str:
    """C++ text for the expression's value, a number of type `scalar`, spaced as clang-format would.

    Parentheses are the fewest that keep the tree, besides `(a && b) || c`, which compilers want.
    Numbers and conditions are never mixed: a condition used as a number is `T(x > y)`, a number
    used as a condition `x != T(0)`.

    `rename` maps arguments to the C++ that stands for them, one name or call each; those missing
    keep their names. `booleans` are the arguments, by their own names, that are conditions already,
    `integers` those of an integer type: numbers of type `scalar` too, but for a power's exponent,
    which stays whole.
    Functions are called by plain name: `using std::f;` for each of `functions(expression)` must be
    in sight.
    """
    return _Writer(rename, scalar, booleans, integers).value(expression).text


@dataclass(frozen=True)
class _Piece:
    """C++ text, and how tight its outermost operator binds."""

    text: str
    precedence: int

    def within(self, precedence: int) -> str:
        """The text as an operand of something that binds so tight."""
        return self.text if self.precedence >= precedence else f"({self.text})"


@dataclass(frozen=True)
class _Writer:
    rename: Mapping[str, str]
    scalar: str
    booleans: Container[str]
    integers: Container[str]

    def value(self, node: Expression) -> _Piece:
        """As a number of the scalar type."""
        piece = self.plain(node)
        return self.cast(piece.text) if self.is_condition(node) else piece

    def condition(self, node: Expression) -> _Piece:
        """As a truth value."""
        piece = self.plain(node)
        return piece if self.is_condition(node) else _infix(piece, "!=", self.cast("0"))

    def is_condition(self, node: Expression) -> bool:
        match node:
            case Name(name=name):
                return name in self.booleans
            case Unary(operator=operator):
                return operator == "!"
            case Binary(operator=operator):
                return operator in COMPARISONS or operator in LOGICAL
            case Call(function=function):
                return function in PREDICATES
        return False

    def plain(self, node: Expression) -> _Piece:
        """As what it is by itself, a number or a truth value."""
        match node:
            case Number(text=text):
                return self.cast(_number(text))
            case Name(name=name):
                text = self.rename.get(name, name)
                return self.cast(text) if name in self.integers else _Piece(text, PRIMARY)
            case Call(function="pow", arguments=(base, exponent)):
                return _Piece(f"pow({self.value(base).text}, {self.exponent(exponent)})", PRIMARY)
            case Call(function=function, arguments=arguments):
                values = ", ".join(self.value(argument).text for argument in arguments)
                return _Piece(f"{function}({values})", PRIMARY)
            case Unary(operator=operator, operand=operand):
                piece = self.condition(operand) if operator == "!" else self.value(operand)
                inner = piece.within(UNARY)
                # -(-x) without its parentheses would be a decrement
                merges = operator != "!" and inner.startswith(operator)
                return _Piece(f"{operator}({inner})" if merges else f"{operator}{inner}", UNARY)
            case Binary(operator=operator, left=left, right=right):
                part = self.condition if operator in LOGICAL else self.value
                return _infix(part(left), operator, part(right))
            case Conditional(test=test, then=then, otherwise=otherwise):
                condition = self.condition(test).within(CONDITIONAL + 1)
                return _Piece(
                    f"{condition} ? {self.value(then).text} : {self.value(otherwise).text}",
                    CONDITIONAL,
                )

    def exponent(self, node: Expression) -> str:
        """Whole numbers as such, since an integer power is faster and more exact."""
        match node:
            case Number(text=text) if text.isdigit():
                return text
            case Unary(operator="-", operand=Number(text=text)) if text.isdigit():
                return f"-{text}"
            case Name(name=name) if name in self.integers:
                return self.rename.get(name, name)
            case _:
                return self.value(node).text

    def cast(self, text: str) -> _Piece:
        return _Piece(f"{self.scalar}({text})", PRIMARY)


def _infix(left: _Piece, operator: str, right: _Piece) -> _Piece:
    level = PRECEDENCE[operator]
    mixed = PRECEDENCE["&&"]
    if operator == "||":  # g++ -Wparentheses
        left, right = (
            _Piece(f"({p.text})", PRIMARY) if p.precedence == mixed else p for p in (left, right)
        )
    return _Piece(f"{left.within(level)} {operator} {right.within(level + 1)}", level)


def _number(text: str) -> str:
    """The literal with digits on both sides of its point."""
    match = DECIMAL.fullmatch(text)
    if match is None or match["point"] is None:
        return text
    return f"{match['whole'] or '0'}.{match['part'] or '0'}{match['exponent'] or ''}"
