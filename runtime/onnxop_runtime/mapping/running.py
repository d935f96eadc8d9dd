"""What keeps a mapping's numbers and lists small while it runs."""

from __future__ import annotations

import ast
import operator
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .numbers import is_list
from .problems import error
from .values import Value, is_floating_point, is_open, rank

MAX_ITEMS, MAX_ROUNDS, MAX_BITS, _SECONDS = 10_000, 100_000, 10_000, 3.0
_GUARDED: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
# No name in a mapping has a space in it.
_ROUNDS, _LIST, _SPREAD = "rounds of", "list of", "items of"


class Guards(ast.NodeTransformer):
    """Has arithmetic, loops and lists go through the functions below, at their own places."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        is_guarded = type(node.op) in _GUARDED
        name = f"two of {type(node.op).__name__}"
        return _call(name, node, node.left, node.right) if is_guarded else node

    def visit_For(self, node: Any) -> ast.AST:
        self.generic_visit(node)
        node.iter = _call(_ROUNDS, node.iter, node.iter)
        return node  # type: ignore[no-any-return]

    visit_comprehension = visit_For

    def visit_List(self, node: ast.List) -> ast.AST:
        self.generic_visit(node)
        return _call(_LIST, node, node)

    def visit_Starred(self, node: ast.Starred) -> ast.AST:
        self.generic_visit(node)
        node.value = _call(_SPREAD, node.value, node.value)
        return node


def _call(name: str, place: ast.AST, *arguments: ast.expr) -> ast.Call:
    func = ast.copy_location(ast.Name(name, ast.Load()), place)
    return ast.copy_location(ast.Call(func, [*arguments], []), place)


def names() -> tuple[dict[str, Any], Callable[[], None]]:
    """Return what a mapping may name besides its own, and what begins its budget anew."""
    budget = _Budget()
    functions: dict[str, Callable[..., Any]] = {
        **{function.__name__: function for function in (enumerate, max, min, sum, zip)},
        **{function.__name__: _of_number(function) for function in (abs, int, float)},
        "len": _len,
        "range": _range,
    }
    helpers = (rank, is_open, is_floating_point)
    guards: dict[str, Any] = {
        f"two of {kind.__name__}": _of_two(compute) for kind, compute in _GUARDED.items()
    }
    guards |= {_ROUNDS: budget.rounds, _LIST: _listed, _SPREAD: _spread}
    own = {function.__name__: function for function in helpers}
    return {"__builtins__": functions, **own, **guards}, budget.begin


class _Budget:
    """How many rounds of loops a mapping may take, and how long, since it began."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        self._rounds, self._end = 0, time.process_time() + _SECONDS

    def rounds(self, items: Iterable[Any]) -> Iterator[Any]:
        """Yield the items of a loop."""
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


def _spread(items: Any) -> Any:
    """Return the items of ``*items``."""
    is_one = isinstance(items, Value) and (items.node is None or items.node.count == 1)
    if isinstance(items, str | int | float) or items is None or is_one:
        raise error("* takes a list", "write an argument Tensor[], or [op.Exp(t) for t in ...]")
    return items


def _range(*bounds: Any) -> Any:
    return _checked(range(*bounds))


def _len(value: Any) -> int:
    if not is_list(value):
        raise error("len takes one list", "write len([1, 2]), say")
    return len(value)


def _of_number(function: Callable[..., Any]) -> Callable[..., Any]:
    def call(value: Any) -> Any:
        is_word = isinstance(value, str) and value in ("inf", "-inf", "nan")
        if not (isinstance(value, int | float) or (is_word and function is float)):
            word = function.__name__
            raise error(f"{word} takes one number", f"write {word}(0.5), say, or op.<Name>(...)")
        return function(value)

    return call


def _listed(items: list[Any]) -> Any:
    if any(is_list(item) for item in items):
        fact = "a list holds numbers, or tensors"
        raise error(fact, "write *tensors for those of another list")
    return _checked(items)


def _of_two(compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def call(left: Any, right: Any) -> Any:
        if isinstance(left, Value) or isinstance(right, Value):
            return compute(left, right)
        if isinstance(left, str) or isinstance(right, str):
            raise error("text is not computed with", "write it out")
        sizes = [len(value) for value in (left, right) if isinstance(value, list | tuple)]
        times = [value for value in (left, right) if isinstance(value, int)]
        is_long = compute is operator.mul and sizes and times and sizes[0] * times[0] > MAX_ITEMS
        if is_long or sum(sizes) > MAX_ITEMS:
            raise ArithmeticError(f"more than {MAX_ITEMS} items")
        is_large = isinstance(left, int) and isinstance(right, int) and compute is operator.pow
        if is_large and left.bit_length() * right > MAX_BITS:
            raise ArithmeticError(f"an integer of more than {MAX_BITS} bits")
        return _checked(compute(left, right))

    return call


def _checked(found: Any) -> Any:
    """Return a number or a list that is not too large."""
    if isinstance(found, complex):
        raise ArithmeticError("a complex number")  # noqa: TRY004 - it is no wrong type
    if isinstance(found, int) and found.bit_length() > MAX_BITS:
        raise ArithmeticError(f"an integer of more than {MAX_BITS} bits")
    if is_list(found) and len(found) > MAX_ITEMS:
        raise ArithmeticError(f"more than {MAX_ITEMS} items")
    return found
