"""What keeps a mapping's numbers and lists small while it runs."""

from __future__ import annotations

import ast
import operator
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .numbers import Sizes, plain
from .problems import error
from .recovering import Attempts
from .values import Value, is_floating_point, is_open, rank

MAX_ITEMS, MAX_ROUNDS, MAX_BITS, _SECONDS = 10_000, 100_000, 10_000, 3.0
_GUARDED: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "truediv",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
    ast.Pow: "pow",
}
_SPECIAL_FLOATS = ("inf", "-inf", "nan")
"""What float takes beside numbers, as Python's does."""
# No name in a mapping has a space in it.
_BINARY, _ROUNDS, _LIST, _SPREAD, _LINE = "of two", "rounds of", "list of", "items of", "line of"


class _Guards(ast.NodeTransformer):
    """Has arithmetic, loops and lists go through the functions below, at their own places, and lines too."""

    def visit_Assign(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        if node.value is not None:
            nothing = ast.arguments([], [], None, [], [], None, [])
            line = ast.copy_location(ast.Lambda(nothing, node.value), node.value)
            node.value = _call(_LINE, node.value, line)
        return node  # type: ignore[no-any-return]

    visit_Return = visit_Assign

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        word = _GUARDED.get(type(node.op))
        return (
            node
            if word is None
            else _call(_BINARY, node, ast.Constant(word), node.left, node.right)
        )

    def visit_For(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call(_ROUNDS, node.iter, node.iter)
        return node  # type: ignore[no-any-return]

    visit_comprehension = visit_For

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        return _call(_LIST, node, node) if isinstance(node.ctx, ast.Load) else node

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        self.generic_visit(node)
        node.value = _call(_SPREAD, node.value, node.value)
        return node


def _call(name: str, place: ast.AST, *arguments: ast.expr) -> ast.Call:
    made = ast.Call(ast.Name(name, ast.Load()), [*arguments], [])
    for node in (made, made.func, *(a for a in arguments if not hasattr(a, "lineno"))):
        ast.copy_location(node, place)
    return made


def guarded(function: ast.FunctionDef) -> ast.FunctionDef:
    """Return the function with its arithmetic, loops and lists bounded."""
    found: ast.FunctionDef = _Guards().visit(function)
    return ast.fix_missing_locations(found)


def names(attempts: Attempts) -> dict[str, Any]:
    """Return what a mapping may name besides its own; its lines are ``attempts``."""
    budget = _Budget()
    attempts.begin = budget.start
    functions: dict[str, Callable[..., Any]] = {
        **{function.__name__: function for function in (enumerate, max, min, sum, zip)},
        "abs": _numeric(abs),
        "len": _len,
        "range": _range,
        "int": _numeric(int),
        "float": _numeric(float),
    }
    helpers = (rank, is_open, is_floating_point)
    return {
        "__builtins__": functions,
        **{function.__name__: function for function in helpers},
        _BINARY: _binary,
        _ROUNDS: budget.rounds,
        _LIST: _listed,
        _SPREAD: budget.spread,
        _LINE: attempts,
    }


class _Budget:
    """How many rounds of loops a mapping may take, and how long, since it was started."""

    def __init__(self) -> None:
        self.start()

    def start(self) -> None:
        """Begin anew."""
        self._rounds, self._end = 0, time.process_time() + _SECONDS

    def rounds(self, items: Iterable[Any]) -> Iterator[Any]:
        """Return the items of a loop."""
        if isinstance(items, str | int | float | Value) or items is None:
            fact = "for goes over a list of numbers or tensors"
            raise error(fact, "write for i in range(2), say")
        return self._counted(items)

    def _counted(self, items: Iterable[Any]) -> Iterator[Any]:
        for item in items:
            self._rounds += 1
            is_late = self._rounds % 64 == 0 and time.process_time() > self._end
            if is_late or self._rounds > MAX_ROUNDS:
                raise ArithmeticError(f"more than {MAX_ROUNDS} rounds, or {_SECONDS:.0f} s")
            yield item

    def spread(self, items: Any) -> Any:
        """Return the items of ``*items``."""
        is_one = isinstance(items, Value) and (items.node is None or items.node.count == 1)
        if isinstance(items, str | int | float) or items is None or is_one:
            raise error("* takes a list", "write an argument Tensor[], or [op.Exp(t) for t in ...]")
        return items


def _range(*bounds: Any) -> range:
    found = range(*bounds)
    if len(found) > MAX_ITEMS:
        raise ArithmeticError(f"more than {MAX_ITEMS} items")
    return found


def _len(value: Any) -> int:
    if isinstance(value, Value) or not hasattr(value, "__len__"):
        raise error("len takes one list", "write len([1, 2]), say")
    return len(value)


def _numeric(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(*values: Any) -> Any:
        plain([*values])  # which refuses what is not known
        if isinstance(values[0] if values else None, Value):
            fact = f"{function.__name__} takes non-tensor arguments"
            raise error(fact, "for tensors write op.<Name>(...)")
        if function is float and values[:1] and values[0] in _SPECIAL_FLOATS:
            return float(values[0])
        if len(values) != 1 or not isinstance(values[0], int | float):
            raise error(
                f"{function.__name__} takes one number", f"write {function.__name__}(0.5), say"
            )
        return function(values[0])

    call.__name__ = function.__name__
    return call


def _listed(items: list[Any]) -> list[Any]:
    if len(items) > MAX_ITEMS:
        raise ArithmeticError(f"more than {MAX_ITEMS} items")
    for item in items:
        if isinstance(item, list | tuple | Sizes | range):
            raise error(
                "a list holds numbers, or tensors", "write *tensors for those of another list"
            )
    return items


def _binary(word: str, left: Any, right: Any) -> Any:
    compute: Callable[[Any, Any], Any] = getattr(operator, word)
    if isinstance(left, Value) or isinstance(right, Value):
        return compute(left, right)
    if isinstance(left, str) or isinstance(right, str):
        raise error("text is not computed with", "write it out")
    lists = [len(value) for value in (left, right) if isinstance(value, list | tuple)]
    if word == "mul" and lists:
        times = right if isinstance(left, list | tuple) else left
        if isinstance(times, int) and lists[0] * max(times, 0) > MAX_ITEMS:
            raise ArithmeticError(f"more than {MAX_ITEMS} items")
    if sum(lists) > MAX_ITEMS:
        raise ArithmeticError(f"more than {MAX_ITEMS} items")
    is_large = isinstance(left, int) and isinstance(right, int) and word == "pow"
    if is_large and left.bit_length() * right > MAX_BITS:
        raise ArithmeticError(f"an integer of more than {MAX_BITS} bits")
    try:
        found = compute(left, right)
    except OverflowError:
        raise ArithmeticError("larger than any float") from None
    if isinstance(found, complex):
        raise ArithmeticError("a complex number")  # noqa: TRY004 - it is no wrong type
    if isinstance(found, int) and found.bit_length() > MAX_BITS:
        raise ArithmeticError(f"an integer of more than {MAX_BITS} bits")
    return found


def value_of(node: ast.expr) -> Any:
    """Return what an expression of literals comes to. Raises ValueError or TypeError of others."""
    match node:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _GUARDED:
            return _binary(_GUARDED[type(op)], value_of(left), value_of(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value_of(operand)
        case ast.List(elts=items):
            return [value_of(item) for item in items]
        case ast.Constant(value=bool() | int() | float() | str() as value):
            return value
    raise ValueError(ast.dump(node))
