"""onnxscript's optimizer, by which the dynamo exporter ends: what it must not take for 0 or 1, and where
it need not look.

Its rules leave out what adds a number within 1e-8 of 0, or multiplies with one within 1e-5 of 1, so that
``log(x + 1e-9)`` is infinite where x is 0. Those for patterns with several ends look through the whole
graph at each of its nodes, which for a thousand takes ten times as long as all else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import partial
from typing import Any

from ..torch_internals import (
    folding_evaluators,
    has_several_ends,
    matcher_of,
    pattern_nodes,
    rewrite_rules,
)

_TOLERANCES = {"_rel_tol": 1e-5, "_abs_tol": 1e-8}


def is_mistaken(value: float) -> bool:
    """Whether its rules may take the number for 0 or 1, once that is rounded to an element type."""
    tolerances = {"rel_tol": 2 * _TOLERANCES["_rel_tol"], "abs_tol": 2 * _TOLERANCES["_abs_tol"]}
    return value not in (0, 1) and any(math.isclose(value, n, **tolerances) for n in (0, 1))


def exact() -> AbstractContextManager[None]:
    """While it lasts, its rules take 0 alone for 0, and 1 for 1, in the nodes of a model's own operators,
    too, which no rule of the package writes.
    """
    return _replaced(
        (value, name, 0.0)
        for rule in rewrite_rules()
        for node in pattern_nodes(rule)
        for value in node.inputs
        for name in _TOLERANCES
        if hasattr(value, name)
    )


def sparing() -> AbstractContextManager[None]:
    """While it lasts, it does not look at a tensor that is split by a size which the model computes, at
    which it ends.
    """
    evaluators = folding_evaluators("SplitToSequence")
    return _replaced((each, "function", _of_known_size(each.function)) for each in evaluators)


def _of_known_size(function: Callable[..., Any]) -> Callable[..., Any]:
    def look(node: Any, *rest: Any) -> Any:
        size = node.inputs[1] if len(node.inputs) > 1 else None
        is_computed = size is not None and size.const_value is None and not size.shape
        return None if is_computed else function(node, *rest)

    return look


def quick() -> AbstractContextManager[None]:
    """While it lasts, its rules for patterns with several ends are tried only at nodes that can be the
    first of these; what they find is the same.
    """
    return _replaced(
        (matcher, "match", _at_first(matcher.match, matcher.pattern.output_nodes[0]))
        for rule in rewrite_rules()
        if has_several_ends(rule) and hasattr(matcher := matcher_of(rule), "match")
    )


def _at_first(match: Callable[..., Any], first: Any) -> Callable[..., Any]:
    def at_first(model: Any, graph: Any, node: Any, **options: Any) -> Any:
        kind = first.op_identifier()
        can_be = kind is None or kind == node.op_identifier()
        return match(model, graph, node, **options) if can_be else None

    return at_first


@contextmanager
def _replaced(changes: Iterable[tuple[Any, str, Any]]) -> Iterator[None]:
    """While it lasts, objects have other attributes."""
    with ExitStack() as before:
        for owner, name, value in changes:
            own = vars(owner)
            restore = (
                partial(own.__setitem__, name, own[name]) if name in own else partial(own.pop, name)
            )
            before.callback(restore)
            own[name] = value
        yield
