"""onnxscript's optimizer, by which the dynamo exporter ends: it must not take numbers for 0 or 1.

Its rules leave out what adds a number within 1e-8 of 0, or multiplies with one within 1e-5 of 1, so that
``log(x + 1e-9)`` is infinite where x is 0.
"""

from __future__ import annotations

from functools import cache

from ..torch_internals import pattern_nodes, rewrite_rules


@cache
def be_exact() -> None:
    """Have its rules take 0 alone for 0, and 1 for 1, in this process."""
    for rule in rewrite_rules():
        for node in pattern_nodes(rule):
            for value in node.inputs:
                for name in ("_rel_tol", "_abs_tol"):
                    if hasattr(value, name):
                        setattr(value, name, 0.0)
