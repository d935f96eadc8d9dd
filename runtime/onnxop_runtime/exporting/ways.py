"""For which sizes torch.export's way through a model holds: what it goes by, the dynamo exporter drops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from ..torch_internals import DispatchMode, fake_mode, pytree

Way = tuple[str, int, int, int]
"""An input, one of its dimensions, the size that it is traced at, and one at which the way is another."""

_NEAR = (1, 2, 3, -1)


def others(
    program: Any, call: tuple[Any, Any, Any], names: Sequence[str], shapes: Any
) -> Iterator[Way]:
    """The open axes at sizes that PyTorch takes, and for which the model was not traced: near those of
    the example. ``names`` are those of the inputs, ``shapes`` what torch.export was given of these.
    """
    import sympy  # type: ignore[import-untyped,unused-ignore]

    tensors = _inputs(program)
    if len(tensors) != len(names):
        return
    sizes: list[tuple[int, int, Any]] = [
        (place, d, n) for place, x in enumerate(tensors) for d, n in enumerate(x.shape)
    ]
    found: list[tuple[int, int, Any]] = [
        (place, d, n.node)
        for place, d, n in sizes
        if isinstance(n, torch.SymInt) and n.node.expr.is_Symbol
    ]
    hints = {node.expr: int(node.hint) for _, _, node in found}
    if not hints:
        return
    noted = found[0][2].shape_env.deferred_runtime_asserts.values()
    conditions = [
        each.expr
        for several in noted
        for each in several
        if each.expr.free_symbols <= hints.keys() and not isinstance(each.expr, sympy.Ne)
    ]
    limits = {
        getattr(dim, name, None) for dim in pytree.tree_leaves(shapes) for name in ("min", "max")
    }

    def holds(symbol: Any, size: int) -> bool:
        bounds = program.range_constraints.get(symbol)
        if bounds is not None:
            is_below = size < bounds.lower and bounds.lower not in limits
            if is_below or (size > bounds.upper and bounds.upper not in limits):
                return False
        given = {**hints, symbol: size}
        return not any(condition.subs(given) is sympy.false for condition in conditions)

    for symbol, hint in hints.items():
        axes = [(place, d) for place, d, node in found if node.expr == symbol]
        way = _Way(program, call, axes)
        for size in (hint + step for step in _NEAR):
            if size > 1 and not holds(symbol, size) and way.differs(hint, size):
                place, d = axes[0]
                yield names[place], d, hint, size
                break


def _inputs(program: Any) -> list[Tensor]:
    """The tensors that the exported program is given, without values."""
    given = {*program.graph_signature.user_inputs}
    values = [
        node.meta.get("val")
        for node in program.graph.nodes
        if node.op == "placeholder" and node.name in given
    ]
    return [value for value in values if isinstance(value, Tensor)]


@dataclass(frozen=True)
class _Way:
    """A model, what torch.export made of it, and the axes that are of one size: places among the tensors
    that it is given, and dimensions.
    """

    program: Any
    call: tuple[Any, Any, Any]
    axes: list[tuple[int, int]]

    def differs(self, hint: int, size: int) -> bool:
        """Whether PyTorch takes the size, and calls other operators there, or comes to other results than
        the program; of what cannot be tried without values, no.
        """
        try:
            before, after = self._model(hint), self._model(size)
            if self._graph(hint) != before[1]:
                return False
        except Exception:  # noqa: BLE001 - whatever it is that the model, or its values, ask for
            return False
        try:
            return before[0] != after[0] or self._graph(size) != after[1]
        except Exception:  # noqa: BLE001 - such as a result that is not there
            return True

    def _model(self, size: int) -> tuple[list[tuple[str, int]], list[Any]]:
        """The operators that the model calls, each with how many results; and the sizes of its own."""
        model, args, kwargs = self.call
        leaves, tree = pytree.tree_flatten((args, kwargs))
        places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
        with torch.no_grad(), fake_mode(allow_non_fake_inputs=True), _Called() as called:
            for number, place in enumerate(places):
                leaves[place] = self._empty(leaves[place], number, size)
            given, words = pytree.tree_unflatten(leaves, tree)
            return called.operators, _sizes(model(*given, **words))

    def _graph(self, size: int) -> list[Any]:
        """The sizes of the program's results."""
        given = {*self.program.graph_signature.user_inputs}
        count = len(self.program.graph_signature.user_outputs)
        numbers = iter(range(len(given)))
        with torch.no_grad(), fake_mode():
            values = []
            for node in self.program.graph.find_nodes(op="placeholder"):
                value = node.meta.get("val")
                if isinstance(value, Tensor):
                    number = next(numbers) if node.name in given else -1
                    value = self._empty(value, number, size)
                values.append(value)
            results = torch.fx.Interpreter(self.program.graph_module).run(*values)
        return _sizes(results[len(results) - count :])

    def _empty(self, like: Tensor, number: int, size: int) -> Tensor:
        """A tensor without values, of the size where it is of the axes."""
        sizes = [
            size if (number, d) in self.axes else n if isinstance(n, int) else int(n.node.hint)
            for d, n in enumerate(like.shape)
        ]
        return torch.empty(sizes, dtype=like.dtype, device=like.device)


class _Called(DispatchMode):  # type: ignore[misc]
    """Notes the operators that are called within it, each with how many results it has."""

    def __init__(self) -> None:
        super().__init__()
        self.operators: list[tuple[str, int]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        found = func(*args, **(kwargs or {}))
        self.operators.append((str(func), len(pytree.tree_leaves(found))))
        return found


def _sizes(results: Any) -> list[Any]:
    return [tuple(x.shape) for x in pytree.tree_leaves(results) if isinstance(x, Tensor)]
