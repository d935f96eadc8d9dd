"""What an expression of a mapping comes to for values of its non-tensor arguments."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

_MAX_BITS, _MAX_ITEMS = 100_000, 10_000
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
    if len(items) > _MAX_ITEMS:
        raise OverflowError
    return items


class CannotTell(Exception):
    """The expression has a name that is not known, or no value."""


def text(expression: str, names: Mapping[str, Any] | None = None) -> Any:
    """The value of an expression's text. Raises `CannotTell`."""
    return value(ast.parse(expression, mode="eval").body, names)


def value(node: ast.expr, names: Mapping[str, Any] | None = None) -> Any:
    """The value, lists for tuples. Raises `CannotTell`."""
    try:
        return _value(node, names or {})
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError, RecursionError):
        raise CannotTell from None


def _value(node: ast.expr, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=found):
            return found
        case ast.Name(id=name):
            return names[name]
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_value(item, names) for item in items]
        case ast.UnaryOp(op=op, operand=operand):
            return _UNARY[type(op)](_value(operand, names))
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, _value(left, names), _value(right, names))
        case ast.Compare(left=left, ops=ops, comparators=others):
            values = [_value(item, names) for item in (left, *others)]
            pairs = zip(ops, values[:-1], values[1:], strict=True)
            return all(_COMPARE[type(op)](one, other) for op, one, other in pairs)
        case ast.BoolOp(op=ast.And(), values=parts):
            return all(_value(part, names) for part in parts)
        case ast.BoolOp(values=parts):
            return any(_value(part, names) for part in parts)
        case ast.IfExp(test=test, body=body, orelse=otherwise):
            return _value(body if _value(test, names) else otherwise, names)
        case ast.Subscript(value=base, slice=ast.Slice(lower=lower, upper=upper, step=step)):
            bounds = [
                None if part is None else _value(part, names) for part in (lower, upper, step)
            ]
            return _value(base, names)[slice(*bounds)]
        case ast.Subscript(value=base, slice=index):
            return _value(base, names)[_value(index, names)]
        case ast.ListComp(elt=item, generators=[ast.comprehension(target=target, iter=items)]):
            made = []
            for each in _value(items, names):
                is_tuple = isinstance(target, ast.Tuple)
                words = [part.id for part in (target.elts if is_tuple else [target])]  # type: ignore[attr-defined,union-attr]
                bound = dict(zip(words, each if is_tuple else [each], strict=True))
                made.append(_value(item, {**names, **bound}))
            return made
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="op"), attr=word),
            args=[ast.Name(id=tensor), *rest],
        ):
            return getattr(names["op"], word)(tensor, *(_value(part, names) for part in rest))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _FUNCTIONS[name](*(_value(argument, names) for argument in arguments))
        case _:
            raise TypeError(type(node).__name__)


def _binary(op: ast.operator, left: Any, right: Any) -> Any:
    if isinstance(op, ast.Pow) and isinstance(left, int) and left.bit_length() * right > _MAX_BITS:
        raise OverflowError
    if isinstance(op, ast.Mult):
        items, times = (left, right) if isinstance(left, list) else (right, left)
        if isinstance(items, list) and len(items) * times > _MAX_ITEMS:
            raise OverflowError
    return _BINARY[type(op)](left, right)
