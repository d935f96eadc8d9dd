"""For which sizes torch.export's way through a model holds: what it goes by, the dynamo exporter drops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree

Way = tuple[str, int, int, int]
"""An input, one of its dimensions, the size that it is traced at, and one at which the way is another."""

_NEAR = (1, 2, 3, -1)


def others(program: Any, call: tuple[Any, Any, Any], names: Sequence[str], shapes: Any) -> Iterator[Way]:
    """The open axes at sizes that PyTorch takes, and for which the model was not traced: near those of
    the example. ``names`` are those of the inputs, ``shapes`` what torch.export was given of these.
    """
    import sympy

    tensors = _inputs(program)
    if len(tensors) != len(names):
        return
    sizes = [(place, d, n) for place, x in enumerate(tensors) for d, n in enumerate(x.shape)]
    found = [
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
    limits = {getattr(dim, name, None) for dim in pytree.tree_leaves(shapes) for name in ("min", "max")}

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
        for size in (hint + step for step in _NEAR):
            if size > 1 and not holds(symbol, size) and _takes(call, dict.fromkeys(axes, size)):
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


def _takes(call: tuple[Any, Any, Any], sizes: dict[tuple[int, int], int]) -> bool:
    """Whether the model takes tensors, without values, of these sizes; the others are those of the call."""
    model, args, kwargs = call
    leaves, tree = pytree.tree_flatten((args, kwargs))
    places = [place for place, leaf in enumerate(leaves) if isinstance(leaf, Tensor)]
    try:
        with torch.no_grad(), FakeTensorMode(allow_non_fake_inputs=True):
            for number, place in enumerate(places):
                tensor = leaves[place]
                shape = [sizes.get((number, d), size) for d, size in enumerate(tensor.shape)]
                leaves[place] = torch.empty(shape, dtype=tensor.dtype, device=tensor.device)
            args, kwargs = pytree.tree_unflatten(leaves, tree)
            model(*args, **kwargs)
    except Exception:  # noqa: BLE001 - whatever it is that the model, or its values, ask for
        return False
    return True
