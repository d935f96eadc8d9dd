"""onnxscript's optimizer, by which the dynamo exporter ends: what it must not take for 0 or 1.

Its rules leave out what adds a number within 1e-8 of 0, or multiplies with one within 1e-5 of 1, so that
``log(x + 1e-9)`` is infinite where x is 0.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

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
    from onnxscript import rewriter

    patterns: Any = [
        value
        for rule in getattr(rewriter, "_DEFAULT_REWRITE_RULES", ())
        for node in getattr(getattr(rule, "_target_pattern", None), "_nodes", None) or ()
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
