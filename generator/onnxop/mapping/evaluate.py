"""What an expression of a mapping comes to for values of its non-tensor arguments."""

from __future__ import annotations

import ast
import copy
import operator
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from ..words import pyexpr

MAX_ITEMS = 10_000
_MAX_BITS, _MAX_STEPS = 10_000, 1_000_000
_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Not: operator.not_,
}
_FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (abs, enumerate, float, int, len, list, max, min, sum, zip)
}


_FUNCTIONS["range"] = lambda *bounds: [*_bounded(range(*bounds))]


def _bounded(items: range) -> range:
    if len(items) > MAX_ITEMS:
        raise _TooLargeError(f"more than {MAX_ITEMS} items")
    return items


class CannotTell(Exception):
    """The expression has a name that is not known."""


class NoValue(CannotTell):
    """All of the expression is known, but it has no value, or a larger one than is computed here:
    ``expression`` is the part of it, and the exception's text says why.
    """

    def __init__(self, expression: str, why: str) -> None:
        super().__init__(why)
        self.expression = expression


class _TooLargeError(ArithmeticError):
    """A value that would take too long."""


def text(expression: str, names: Mapping[str, Any] | None = None) -> Any:
    """The value of an expression's text. Raises `CannotTell`."""
    return value(_parsed(expression), names)


@lru_cache(maxsize=4096)
def _parsed(expression: str) -> ast.expr:
    return ast.parse(expression, mode="eval").body


def value(node: ast.expr, names: Mapping[str, Any] | None = None) -> Any:
    """The value, lists for tuples. Raises `CannotTell`."""
    try:
        return _Reader().read(node, names or {})
    except (KeyError, TypeError, ValueError, RecursionError):
        raise CannotTell from None


class _Reader:
    """Reads one expression, in so many steps at most."""

    def __init__(self) -> None:
        self._steps = 0

    def read(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        try:
            found = self._value(node, names)
            self._steps += len(found) if isinstance(found, list) else 1
            if self._steps > _MAX_STEPS:
                raise _TooLargeError(f"more than {_MAX_STEPS} steps")
        except (ArithmeticError, IndexError) as error:
            raise NoValue(_spoken(node), str(error)) from None
        return found

    def _value(self, node: ast.expr, names: Mapping[str, Any]) -> Any:
        match node:
            case ast.Constant(value=found):
                return found
            case ast.Name(id=name):
                return names[name]
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self.read(item, names) for item in items]
            case ast.UnaryOp(op=op, operand=operand):
                return _UNARY[type(op)](self.read(operand, names))
            case ast.BinOp(left=left, op=op, right=right):
                return _binary(op, self.read(left, names), self.read(right, names))
            case ast.Compare(left=left, ops=ops, comparators=others):
                values = [self.read(item, names) for item in (left, *others)]
                pairs = zip(ops, values[:-1], values[1:], strict=True)
                return all(_COMPARE[type(op)](one, other) for op, one, other in pairs)
            case ast.BoolOp(op=ast.And(), values=parts):
                return all(self.read(part, names) for part in parts)
            case ast.BoolOp(values=parts):
                return any(self.read(part, names) for part in parts)
            case ast.IfExp(test=test, body=body, orelse=otherwise):
                return self.read(body if self.read(test, names) else otherwise, names)
            case ast.Subscript(value=base, slice=ast.Slice(lower=lower, upper=upper, step=step)):
                bounds = [
                    None if part is None else self.read(part, names)
                    for part in (lower, upper, step)
                ]
                return self.read(base, names)[slice(*bounds)]
            case ast.Subscript(value=base, slice=index):
                return self.read(base, names)[self.read(index, names)]
            case ast.ListComp(elt=item, generators=[ast.comprehension(target=target, iter=items)]):
                made = []
                for each in self.read(items, names):
                    is_tuple = isinstance(target, ast.Tuple)
                    words = [part.id for part in (target.elts if is_tuple else [target])]  # type: ignore[attr-defined,union-attr]
                    bound = dict(zip(words, each if is_tuple else [each], strict=True))
                    made.append(self.read(item, {**names, **bound}))
                return made
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="op"), attr=word),
                args=[ast.Name(id=tensor), *rest],
            ):
                parts = [self.read(part, names) for part in rest]
                return getattr(names["op"], word)(tensor, *parts)
            case ast.Call(func=ast.Name(id=name), args=arguments):
                return _call(name, [self.read(argument, names) for argument in arguments])
            case _:
                raise TypeError(type(node).__name__)


def _call(name: str, arguments: list[Any]) -> Any:
    try:
        return _FUNCTIONS[name](*arguments)
    except ValueError as error:  # min([]), int(float("nan"))
        raise ArithmeticError(str(error)) from None


def _binary(op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(op, ast.Pow) and isinstance(left, int) and left.bit_length() * right > _MAX_BITS:
        raise _TooLargeError(f"an integer of more than {_MAX_BITS} bits")
    if isinstance(op, ast.Mult):
        items, times = (left, right) if isinstance(left, list) else (right, left)
        if isinstance(items, list) and len(items) * times > MAX_ITEMS:
            raise _TooLargeError(f"more than {MAX_ITEMS} items")
    try:
        found = _BINARY[type(op)](left, right)
    except OverflowError:
        raise _TooLargeError("larger than any float") from None
    if isinstance(found, complex):  # of a negative base, as Python has it
        raise ArithmeticError("a complex number")  # noqa: TRY004 - it is no wrong type
    if isinstance(found, int) and found.bit_length() > _MAX_BITS:
        raise _TooLargeError(f"an integer of more than {_MAX_BITS} bits")
    return found


def _spoken(node: ast.expr) -> str:
    """The expression as a mapping writes it: ``x.shape[0]``, not ``op.size(x, 0)``."""
    return pyexpr.show(_AsWritten().visit(copy.deepcopy(node)))


class _AsWritten(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="op"), attr="size"), args=[x, place]
            ):
                return ast.Subscript(ast.Attribute(x, "shape"), place)
            case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr="shape"), args=[x]):
                return ast.Attribute(x, "shape")
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Name(id="op"), attr="rank" | "is_open" | "is_floating_point" as word
                ),
                args=args,
            ):
                return ast.Call(ast.Name(word), args, [])
            case _:
                return node
