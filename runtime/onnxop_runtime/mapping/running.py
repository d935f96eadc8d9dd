"""Limits on a mapping's numbers, lists and time while it runs."""

from __future__ import annotations

import ast
import builtins
import math
import operator
import time
from collections.abc import Callable, Iterator
from typing import Any

from . import placeholders
from .allowed import FUNCTIONS, HELPERS, LOOPED
from .numbers import is_list
from .placeholders import Value, unpacking_remedy
from .problems import error

MAX_ITEMS, MAX_ITERATIONS, MAX_BITS = 10_000, 100_000, 10_000
_MAX_RANK = 16  # of lists within each other
_ALL_ITEMS, _SECONDS = 1_000_000, 3.0
_BITS = "an integer of more than {} bits"
_GROWING = {"Add": operator.add, "Mult": operator.mul, "Mod": operator.mod, "Pow": operator.pow}
"""Operators whose result can be larger than the operands, string formatting by ``%`` included."""
# With a space, so that no name in a mapping collides.
_ITEMS, _SIZED, _OPERATION = "items of", "size of", "two of "


class Guards(ast.NodeTransformer):
    """Wraps arithmetic, lists and iteration in calls of the checks below."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Put checks of sizes into a mapping's loops, lists and operations."""
        super().generic_visit(node)
        match node:
            case ast.For() | ast.comprehension():
                node.iter = _call(_ITEMS, node.iter, node.iter)
            case ast.Starred():
                node.value = _call(_ITEMS, node.value, node.value)
            case ast.ListComp() | ast.List() | ast.Tuple(ctx=ast.Load()):
                return _call(_SIZED, node, node)
            case ast.BinOp(op=op) if type(op).__name__ in _GROWING:
                return _call(f"{_OPERATION}{type(op).__name__}", node, node.left, node.right)
        return node


def _call(name: str, node: ast.expr, *arguments: ast.expr) -> ast.Call:
    """Return a call of a check that stands where the node does."""
    func = ast.copy_location(ast.Name(name, ast.Load()), node)
    return ast.copy_location(ast.Call(func, [*arguments], []), node)


class Budget:
    """The limit on what a mapping may compute in one run."""

    def __init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Start a new run."""
        self._iterations, self._made, self._end = 0, 0, time.thread_time() + _SECONDS

    def names(self) -> dict[str, Any]:
        """Return the names that a mapping can use in addition to its own."""
        names = {
            f"{_OPERATION}{name}": self._checked_operation(compute)
            for name, compute in _GROWING.items()
        }
        names |= {name: getattr(placeholders, name) for name in HELPERS}
        functions = {name: self._function(name) for name in (*FUNCTIONS, *LOOPED)}
        return {"__builtins__": functions, _ITEMS: self._items, _SIZED: self._charged, **names}

    def _items(self, items: Any) -> Iterator[object]:
        """Return the items that a ``for`` or a ``*`` iterates over."""
        if isinstance(items, str | int | float | Value) or items is None:
            fact = "for and * need a list of numbers or tensors"
            remedy = "write range(2), or an argument Tensor[], for example"
            raise error(fact, unpacking_remedy(items) or remedy)
        return map(self._iteration, items)

    def _iteration(self, item: object) -> object:
        self._iterations += 1
        _limit(self._iterations, MAX_ITERATIONS, "more than {} iterations")
        return self._charged(item)

    def _function(self, name: str) -> Callable[..., Any]:
        """Return a function of Python's that refuses tensors, and checks the size of its result."""
        compute = getattr(builtins, name)

        def call(*arguments: object) -> object:
            tensor = next((value for value in arguments if isinstance(value, Value)), None)
            if tensor is not None:
                fact = f"{name} takes numbers and lists, not tensors"
                raise error(fact, unpacking_remedy(tensor) or "write op.<Name>(...)")
            if name == "list" and any(isinstance(value, str) for value in arguments):
                raise error("a mapping cannot compute with strings", "write the list out")
            return self._charged(compute(*arguments))

        return call

    def _checked_operation(self, compute: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Return an operation that checks the size of its result before it computes a large one."""

        def call(left: Any, right: Any) -> object:
            if isinstance(left, Value) or isinstance(right, Value):
                return compute(left, right)
            if isinstance(left, str) or isinstance(right, str):
                raise error("a mapping cannot compute with strings", "write the string out")
            sizes = [len(value) if is_list(value) else value for value in (left, right)]
            if compute is operator.mul and (is_list(left) or is_list(right)):
                _limit(sizes[0] * sizes[1], MAX_ITEMS)
            if compute is operator.pow and isinstance(left, int) and isinstance(right, int):
                _limit(left.bit_length() * right, MAX_BITS, _BITS)
            return self._charged(compute(left, right))

        return call

    def _charged(self, result: object) -> object:
        """Charge a number or a list to the mapping's budget of time and items, and return it. Raise
        ArithmeticError if it is too large, or the budget is spent.
        """
        if time.thread_time() > self._end:
            raise ArithmeticError(f"more than {_SECONDS:.0f} s")
        if isinstance(result, complex):
            raise ArithmeticError("a complex number")  # noqa: TRY004 - not a wrong type
        if isinstance(result, int):
            _limit(result.bit_length(), MAX_BITS, _BITS)
        if is_list(result):
            self._made += _count(result)
        _limit(self._made, _ALL_ITEMS)
        return result


def _count(result: Any) -> int:
    """Return the number of items of a list and of the lists in it; raise if there are too many."""
    count: float = 0
    is_nested = False
    level = [result]
    for _ in range(_MAX_RANK):
        inner = []
        for items in level:
            count += _length(items)
            _limit(count, MAX_ITEMS)
            if isinstance(items, list | tuple):
                inner += [item for item in items if is_list(item)]
            is_nested = is_nested or (isinstance(items, list) and bool(inner))
            if is_nested and any(isinstance(item, Value) for item in items):
                remedy = "write [*tensors] to take over the items of another list"
                raise error("a list of tensors cannot be an item of a list", remedy)
        level = inner
        if not level:
            return int(count)
    raise ArithmeticError(f"more than {_MAX_RANK} lists within each other")


def _length(items: Any) -> float:
    """Return the length of a list, or infinity if it does not fit an integer of the machine."""
    try:
        return len(items)
    except OverflowError:
        return math.inf


def _limit(count: float, most: int, message: str = "more than {} items") -> None:
    if count > most:
        raise ArithmeticError(message.format(most))
