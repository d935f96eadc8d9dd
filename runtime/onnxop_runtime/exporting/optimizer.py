"""onnxscript's optimizer, by which the dynamo exporter ends: what it must not take for 0 or 1, and where
it need not look.

Its rules leave out what adds a number within 1e-8 of 0, or multiplies with one within 1e-5 of 1, so that
``log(x + 1e-9)`` is infinite where x is 0. Those for patterns with several ends look through the whole
graph at each of its nodes, which for a thousand takes ten times as long as all else.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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


@contextmanager
def exact() -> Iterator[None]:
    """While it lasts, its rules take 0 alone for 0, and 1 for 1, in the nodes of a model's own operators,
    too, which no rule of the package writes.
    """
    patterns: Any = [
        value
        for rule in rewrite_rules()
        for node in pattern_nodes(rule)
        for value in node.inputs
        if all(hasattr(value, name) for name in _TOLERANCES)
    ]
    before = [{name: getattr(pattern, name) for name in _TOLERANCES} for pattern in patterns]
    try:
        for pattern in patterns:
            vars(pattern).update(dict.fromkeys(_TOLERANCES, 0.0))
        yield
    finally:
        for pattern, tolerances in zip(patterns, before, strict=True):
            vars(pattern).update(tolerances)


@contextmanager
def sparing() -> Iterator[None]:
    """While it lasts, it does not look at a tensor that is split by a size which the model computes, at
    which it ends.
    """
    evaluators = folding_evaluators("SplitToSequence")
    before = [evaluator.function for evaluator in evaluators]
    try:
        for evaluator in evaluators:
            evaluator.function = _of_known_size(evaluator.function)
        yield
    finally:
        for evaluator, function in zip(evaluators, before, strict=True):
            evaluator.function = function


def _of_known_size(function: Callable[..., Any]) -> Callable[..., Any]:
    def look(node: Any, *rest: Any) -> Any:
        size = node.inputs[1] if len(node.inputs) > 1 else None
        is_computed = size is not None and size.const_value is None and not size.shape
        return None if is_computed else function(node, *rest)

    return look


@contextmanager
def quick() -> Iterator[None]:
    """While it lasts, its rules for patterns with several ends are tried only at nodes that can be the
    first of these; what they find is the same.
    """
    matchers: Any = [
        matcher
        for rule in rewrite_rules()
        if has_several_ends(rule) and hasattr(matcher := matcher_of(rule), "match")
    ]
    try:
        for matcher in matchers:
            matcher.match = _at_first(matcher.match, matcher.pattern.output_nodes[0])
        yield
    finally:
        for matcher in matchers:
            vars(matcher).pop("match", None)


def _at_first(match: Callable[..., Any], first: Any) -> Callable[..., Any]:
    def at_first(model: Any, graph: Any, node: Any, **options: Any) -> Any:
        kind = first.op_identifier()
        can_be = kind is None or kind == node.op_identifier()
        return match(model, graph, node, **options) if can_be else None

    return at_first
