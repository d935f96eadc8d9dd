"""The results of a mapping, as a graph may have them."""

from __future__ import annotations

from dataclasses import replace

from .graph import (
    Choice,
    Each,
    Found,
    Listed,
    Node,
    Tensor,
    Tensors,
    as_value,
    nodes_of,
    sources,
    type_of,
)
from .scope import Scope


def as_outputs(scope: Scope, results: tuple[Found, ...]) -> tuple[Found, ...]:
    """The results as a graph may have them: a graph's input is not its output, nor is one value
    two outputs, so a copy by `Identity` stands for these.
    """
    taken = set(scope.arguments)
    found: list[Found] = []
    for result in results:
        if isinstance(result, Tensors):
            result = _copies(scope, result)
        if isinstance(result, Tensor | Choice):
            tensors = sources(result, scope.statements)
            if tensors & taken:
                result = _copy(scope, result)
            taken |= tensors
        found.append(result)
    return tuple(found)


def _copies(scope: Scope, tensors: Tensors) -> Tensors:
    """The tensors of a list that is an argument, or that may hold one, each by `Identity`."""
    made = {s.output for s in scope.statements if isinstance(s, Each)}
    nodes = {name for node in nodes_of(tuple(scope.statements)) for name in node.outputs}
    listed = {s.output: s for s in scope.statements if isinstance(s, Listed)}
    values = listed[tensors.name].values if tensors.name in listed else ()
    own = [value.name for value in values if isinstance(value, Tensor)]
    is_new = len({*own}) == len(values) and nodes.issuperset(own) and bool(values)
    if is_new or tensors.name in made:
        return tensors
    item, name = scope.fresh("item"), scope.fresh("results")
    copy = scope.fresh("copy")
    identity = Node("Identity", (Tensor(item, None),), (), (copy,))
    over = frozenset({tensors.name})
    scope.statements.append(
        Each((item,), tensors.name, over, (identity,), Tensor(copy, None), name)
    )
    return replace(tensors, name=name)


def _copy(scope: Scope, value: Tensor | Choice) -> Tensor:
    name = scope.fresh("result")
    scope.statements.append(Node("Identity", (as_value(value, None),), (), (name,)))
    return Tensor(name, type_of(value))
