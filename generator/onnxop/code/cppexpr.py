"""An elementwise expression → C++."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from ..kernel.expression import (
    Binary,
    Conditional,
    Expression,
    FunctionCall,
    Name,
    Number,
    Unary,
    children,
    is_condition,
    names,
)
from ..kernel.tokens import COMPARISONS, DECIMAL, LOGICAL, PRECEDENCE, TRUTHS

_CONDITIONAL, _UNARY, _PRIMARY = 0, 6, 7


def to_cpp(
    expression: Expression,
    rename: Mapping[str, str],
    scalar: str = "T",
    booleans: Collection[str] = (),
    integers: Collection[str] = (),
    *,
    as_it_is: bool = False,
) -> str:
    """C++ text for the expression's value, a number of type `scalar`, spaced as clang-format would.

    Parentheses are the fewest that keep the tree, besides `(a && b) || c`, which compilers want, and
    those around a `?:` within another, which readers want.
    Numbers and conditions are never mixed: a condition used as a number is `T(x > y)`, a number
    used as a condition `x != T(0)`.

    `rename` maps arguments to the C++ that stands for them, one name or call each; those missing
    keep their names. `booleans` are the arguments, by their own names, that are conditions already,
    `integers` those of type int64_t: numbers of type `scalar` too, but for a power's exponent and
    for whole numbers compared with each other, which stay whole.
    Functions are called by plain name: `using std::f;` for each of `functions(expression)` must be
    in sight. `as_it_is`: a truth value stays one.
    """
    explicit = _Explicit(rename, scalar, booleans, integers)
    return _piece(explicit.plain(expression) if as_it_is else explicit.value(expression)).text


@dataclass(frozen=True)
class _Explicit:
    """Trees whose names are C++'s, and whose every conversion is a call or a comparison."""

    rename: Mapping[str, str]
    scalar: str
    booleans: Collection[str]
    integers: Collection[str]

    def value(self, node: Expression) -> Expression:
        """As a number of the scalar type."""
        plain = self.plain(node)
        return self.cast(plain) if self.is_condition(node) else plain

    def condition(self, node: Expression) -> Expression:
        """As a truth value."""
        if self.is_condition(node):
            return self.plain(node)
        if self.has_integer(node) and (whole := self.whole(node)):
            return Binary("!=", whole, Number("0"))
        return Binary("!=", self.value(node), self.cast(Number("0")))

    def is_condition(self, node: Expression) -> bool:
        return is_condition(node, self.booleans)

    def plain(self, node: Expression) -> Expression:
        """As what it is by itself, a number or a truth value."""
        match node:
            case Number(text=text):
                return node if text in TRUTHS else self.cast(node)
            case Name(name=name):
                own = self.name(name)
                return self.cast(own) if name in self.integers else own
            case FunctionCall(function="pow", arguments=(base, exponent)):
                return FunctionCall("pow", (self.value(base), self.exponent(exponent)))
            case FunctionCall(function=function, arguments=arguments):
                return FunctionCall(function, tuple(map(self.value, arguments)))
            case Unary(operator=operator, operand=operand):
                part = self.condition if operator == "!" else self.value
                return Unary(operator, part(operand))
            case Binary(operator=operator, left=left, right=right):
                if operator in COMPARISONS and (compared := self.whole_comparison(node)):
                    return compared
                part = self.condition if operator in LOGICAL else self.value
                return Binary(operator, part(left), part(right))
            case Conditional(test=test, then=then, otherwise=otherwise):
                part = self.condition if self.is_condition(node) else self.value
                return Conditional(self.condition(test), part(then), part(otherwise))

    def exponent(self, node: Expression) -> Expression:
        """Whole numbers as such, since an integer power is faster and more exact."""
        match node:
            case Number(text=text) if text.isdigit():
                return node
            case Unary(operator="-", operand=Number(text=text)) if text.isdigit():
                return node
            case Name(name=name) if name in self.integers:
                return self.name(name)
            case _:
                return self.value(node)

    def whole_comparison(self, node: Binary) -> Expression | None:
        """Of int64_t, where a float of type `scalar` could not tell the numbers apart."""
        left, right = self.whole(node.left), self.whole(node.right)
        if left is None or right is None or left == right or not self.has_integer(node):
            return None
        return Binary(node.operator, left, right)

    def whole(self, node: Expression) -> Expression | None:
        """As an int64_t, or None where it may be none."""
        if not isinstance(node, Number) and (values := _constants(node)):
            # C++ would compute with int, whose range this might leave.
            if any(abs(value) >= 2**63 for value in values):
                return None
            if any(abs(value) >= 2**31 for value in values):
                number = Number(str(abs(values[0])))
                return Unary("-", number) if values[0] < 0 else number
        match node:
            case Number(text=text) if text.isdigit():
                return node
            case Name(name=name) if name in self.integers:
                return self.name(name)
            case Unary(operator="-" | "+" as sign, operand=operand):
                inner = self.whole(operand)
                return inner and Unary(sign, inner)
            case Binary(operator="+" | "-" | "*" as operator, left=left, right=right):
                first, second = self.whole(left), self.whole(right)
                return first and second and Binary(operator, first, second)
        return None

    def has_integer(self, node: Expression) -> bool:
        return any(name in self.integers for name in names(node))

    def name(self, name: str) -> Name:
        return Name(self.rename.get(name, name))

    def cast(self, node: Expression) -> Expression:
        return FunctionCall(self.scalar, (node,))


def _constants(node: Expression) -> list[int]:
    """The values of whole numbers alone: the node's, then those of its parts; none for others."""
    match node:
        case Number(text=text) if text.isdigit():
            return [int(text)]
        case Unary(operator="-" | "+" as sign, operand=operand):
            values = _constants(operand)
            return values and [-values[0] if sign == "-" else values[0], *values]
        case Binary(operator="+" | "-" | "*" as operator, left=left, right=right):
            first, second = _constants(left), _constants(right)
            if first and second:
                a, b = first[0], second[0]
                value = a + b if operator == "+" else a - b if operator == "-" else a * b
                return [value, *first, *second]
    return []


# Explicit trees → text


@dataclass(frozen=True)
class _Piece:
    """C++ text, and how tight its outermost operator binds."""

    text: str
    precedence: int = _PRIMARY

    def within(self, precedence: int) -> str:
        """The text as an operand of something that binds so tight."""
        return self.text if self.precedence >= precedence else f"({self.text})"


def _piece(node: Expression) -> _Piece:
    match node:
        case Number(text=text):
            return _Piece(_number(text))
        case Name(name=name):
            return _Piece(name)
        case FunctionCall(function=function, arguments=arguments):
            return _Piece(f"{function}({', '.join(_piece(part).text for part in arguments)})")
        case Unary(operator=operator, operand=operand):
            inner = _piece(operand).within(_UNARY)
            # -(-x) without its parentheses would be a decrement
            merges = operator != "!" and inner.startswith(operator)
            return _Piece(f"{operator}({inner})" if merges else f"{operator}{inner}", _UNARY)
        case Binary():
            left, right = _operands(node)
            return _Piece(f"{left} {node.operator} {right}", PRECEDENCE[node.operator])
        case Conditional():
            test, then, otherwise = _operands(node)
            return _Piece(f"{test} ? {then} : {otherwise}", _CONDITIONAL)


def _operands(node: Binary | Conditional) -> list[str]:
    """What stands around an operator's signs."""
    pieces = [_piece(part) for part in children(node)]
    if isinstance(node, Conditional):
        test, then, otherwise = pieces
        return [part.within(_CONDITIONAL + 1) for part in (test, then, otherwise)]
    level = PRECEDENCE[node.operator]
    if node.operator == "||":  # g++ -Wparentheses
        mixed = PRECEDENCE["&&"]
        pieces = [_Piece(f"({p.text})") if p.precedence == mixed else p for p in pieces]
    left, right = pieces
    return [left.within(level), right.within(level + 1)]


def _number(text: str) -> str:
    """The literal with digits on both sides of its point."""
    match = DECIMAL.fullmatch(text)
    if match is None or match["point"] is None:
        return text
    return f"{match['whole'] or '0'}.{match['part'] or '0'}{match['exponent'] or ''}"
