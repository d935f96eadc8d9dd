"""The tree of an expression for one element, and its properties."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

PREDICATES = frozenset(
    "isnan isinf isfinite signbit isgreater isgreaterequal isless islessequal".split()
)
_UNARY_FUNCTIONS = (
    "exp exp2 expm1 log log2 log10 log1p sqrt cbrt sin cos tan asin acos atan "
    "sinh cosh tanh asinh acosh atanh erf erfc tgamma lgamma ceil floor trunc round nearbyint rint "
    "abs fabs isnan isinf isfinite signbit"
)
_BINARY_FUNCTIONS = (
    "pow atan2 hypot fmod fmin fmax copysign nextafter isgreater isgreaterequal isless islessequal"
)
FUNCTIONS: Mapping[str, int] = {
    **dict.fromkeys(_UNARY_FUNCTIONS.split(), 1),
    **dict.fromkeys(_BINARY_FUNCTIONS.split(), 2),
}
"""The functions of <cmath> that an expression may call, and how many arguments each takes."""

DTYPE_DEPENDENT = frozenset({"nextafter"})
"""Functions whose result depends on the dtype: wrong for 16-bit floats, which compute as float32.
"""

BOOLEANS = frozenset({"true", "false"})
LOGICAL = frozenset({"&&", "||"})
COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
PRECEDENCE: Mapping[str, int] = {
    "?": 0,
    "||": 1,
    "&&": 2,
    **dict.fromkeys(COMPARISONS, 3),  # one level: comparisons do not chain
    **dict.fromkeys("+-", 4),
    **dict.fromkeys("*/", 5),
}


@dataclass(frozen=True)
class NumberLiteral:
    """A decimal literal, as written, or ``true`` or ``false``."""

    text: str


@dataclass(frozen=True)
class Name:
    """An argument."""

    name: str


@dataclass(frozen=True)
class Unary:
    """`-`, `+` or `!` of one operand."""

    operator: str
    operand: Expression


@dataclass(frozen=True)
class Binary:
    """An arithmetic, comparison or logical operator of two operands."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class Conditional:
    """`test ? then : otherwise`."""

    test: Expression
    then: Expression
    otherwise: Expression


@dataclass(frozen=True)
class FunctionCall:
    """A call of a function of <cmath>."""

    function: str
    arguments: tuple[Expression, ...]


Expression = NumberLiteral | Name | Unary | Binary | Conditional | FunctionCall


def _nodes(node: Expression) -> Iterator[Expression]:
    """Yield every node of a tree."""
    yield node
    parts: tuple[Expression, ...] = ()
    match node:
        case Unary(operand=operand):
            parts = (operand,)
        case Binary(left=left, right=right):
            parts = (left, right)
        case Conditional(test=test, then=then, otherwise=otherwise):
            parts = (test, then, otherwise)
        case FunctionCall(arguments=arguments):
            parts = arguments
    for part in parts:
        yield from _nodes(part)


def names(expression: Expression) -> set[str]:
    """Return the names of the arguments used."""
    return {node.name for node in _nodes(expression) if isinstance(node, Name)}


def functions(expression: Expression) -> set[str]:
    """Return the names of the functions called."""
    return {node.function for node in _nodes(expression) if isinstance(node, FunctionCall)}


def is_integer_exact(expression: Expression) -> bool:
    """Return whether the expression is exact on integers, up to wrap-around."""
    return not inexact_on_integers(expression)


def inexact_on_integers(expression: Expression) -> str:
    """Return the first operator, number or function whose result is no integer, or is not exact, on
    integers; or "".
    """
    for node in _nodes(expression):
        match node:
            case NumberLiteral(text=text) if not (text.isdigit() or text in BOOLEANS):
                return text
            case Binary(operator="/"):
                return "/"
            case FunctionCall(function=function) if function != "abs":
                return function
    return ""


def is_boolean_exact(expression: Expression) -> bool:
    """Return whether the expression gives PyTorch's values on bool tensors."""
    return not inexact_on_booleans(expression)


def inexact_on_booleans(expression: Expression) -> str:
    """Return the first operator, number or function that gives other values than PyTorch's on bool
    tensors; or "".
    """
    allowed = COMPARISONS | LOGICAL | BOOLEANS | {"0", "1", "!"}
    for node in _nodes(expression):
        match node:
            case NumberLiteral(text=token) | Unary(operator=token) | Binary(operator=token):
                if token not in allowed:
                    return token
            case FunctionCall(function=function):
                return function
    return ""


def is_condition(node: Expression, booleans: Collection[str]) -> bool:
    """Return whether the value is a bool. ``booleans``: the arguments that are bools."""
    match node:
        case NumberLiteral(text=text):
            return text in BOOLEANS
        case Name(name=name):
            return name in booleans
        case Unary(operator=operator):
            return operator == "!"
        case Binary(operator=operator):
            return operator in COMPARISONS or operator in LOGICAL
        case Conditional(then=then, otherwise=otherwise):
            return is_condition(then, booleans) and is_condition(otherwise, booleans)
        case FunctionCall(function=function):
            return function in PREDICATES
