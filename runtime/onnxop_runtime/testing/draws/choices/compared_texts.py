"""The strings that an operator may take for an argument, though no sample has them: those that its
reference and mapping compare it with, and the words of a refusal.
"""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from ...base import OperatorTests, cached

_WORD = re.compile(r"[A-Za-z]\w*")


@cached
def compared_texts(tests: type[OperatorTests], argument: str) -> Sequence[str]:
    """Return the strings that an argument is compared with, as in ``mode == "edge"``, ``mode in
    ("edge", "wrap")``, ``match mode`` and ``{"edge": 1}[mode]``; and the words of ``[[errors]]``
    that give it a string, as of "mode must be sum, edge or wrap".
    """
    functions = (tests.operator.reference, tests.operator.rule)
    nodes = chain.from_iterable(ast.walk(tree) for tree in map(_tree_of, functions) if tree)
    texts = chain.from_iterable(_texts_of(node, argument) for node in nodes)
    tables = (table for table in tests.errors if argument in table.draws)
    words = chain.from_iterable(_WORD.findall(table.match) for table in tables)
    return [*dict.fromkeys(chain(texts, words))]


def _tree_of(function: Any) -> ast.AST | None:
    """Return a function's source; None if there is none."""
    try:
        return ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return None


def _texts_of(node: ast.AST, argument: str) -> Iterator[str]:
    """Yield the strings with which a node compares an argument."""
    match node:
        case ast.Compare(left, _, others):
            parts = [left, *others]
            if any(_is_name(part, argument) for part in parts):
                yield from chain.from_iterable(map(_strings, parts))
        case ast.Match(subject, cases) if _is_name(subject, argument):
            yield from chain.from_iterable(_strings(case.pattern) for case in cases)
        case ast.Subscript(ast.Dict(keys), index) if _is_name(index, argument):
            yield from chain.from_iterable(_strings(key) for key in keys if key is not None)


def _is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _strings(node: ast.AST) -> Iterator[str]:
    """Yield the strings in an expression or a pattern."""
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
