"""A line that makes Python numbers of a tensor → the conditions on these numbers, of which a trace
keeps one side.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from ...trial import places
from ...trial.places import Place
from .conversions import conversion_in
from .rewrites import (
    BOTH_SIDES,
    has_no_results,
    rewrite_of,
    statement_at,
    tree_of,
)

_NUMBER_FUNCTIONS = frozenset(
    "abs bool enumerate float int len list max min range reversed round set sorted sum tuple "
    "zip".split()
)  # functions that make numbers of numbers

_ADVICE_ON_STEPS = "Compute the number of steps within this function, of its tensors"

_Assigned = tuple[list[ast.expr], ast.expr]  # the targets, and the value


@dataclass(frozen=True)
class _Uses:
    """The tests on some numbers, and whether anything else uses these."""

    tests: tuple[ast.expr, ...]
    has_others: bool


def conditions_on(place: Place) -> list[Place]:
    """Return the conditions on the numbers that a line makes of a tensor, but for those that only
    raise or print.
    """
    file, _ = place.innermost
    lines = dict.fromkeys(test.lineno for test in _uses(place).tests)
    conditions = [places.at(file, line) for line in lines]
    return [line for line in conditions if not has_no_results(line)]


def loops_on(place: Place) -> list[Place]:
    """Return the loops of as many steps as a number that a line makes of a tensor or a size, in its
    function, and in those of the file that take the number.
    """
    file, line = place.innermost
    function, names = _function_at(file, line), _names_made_at(file, line)
    if function is None or not names:
        return []
    _add_names_of_numbers(function, names)
    loops = [*_loops_over(function, names)]
    for call in (node for node in ast.walk(function) if isinstance(node, ast.Call)):
        for called, parameters in _called_with(file, call, names):
            loops += _loops_over(called, parameters)
    return [places.at(file, at) for at in dict.fromkeys(loop.lineno for loop in loops)]


def advice_on(place: Place) -> str:
    """Return what to write instead of a line, and of the conditions and the loops on its numbers,
    as sentences without the last full stop; ``""`` if nothing is known.
    """
    told = [rewrite_of(place)]
    for condition in conditions_on(place):
        told.append(f"At {condition.with_code}: {rewrite_of(condition) or BOTH_SIDES}")
    for loop in loops_on(place):
        told.append(f"At {loop.with_code}: {rewrite_of(loop)}. {_ADVICE_ON_STEPS}")
    return ". ".join(filter(None, told))


def conditions_in_place_of_numbers(lines: Iterable[Place]) -> list[Place]:
    """Return the lines, each at most once, with the conditions on numbers in place of the lines
    that make these, or after them if a number is also used otherwise.
    """
    by_text: dict[str, Place] = {}
    for line in lines:
        conditions = conditions_on(line)
        if not conditions or _uses(line).has_others:
            by_text[str(line)] = line
        for condition in conditions:
            by_text.setdefault(str(condition), condition)
    return [*by_text.values()]


@cache
def _uses(place: Place) -> _Uses:
    """Return the uses of the numbers that a line makes of a tensor."""
    file, line = place.innermost
    function, names = _function_at(file, line), _names_made_at(file, line)
    if function is None or not names:
        return _Uses((), has_others=True)
    passed = _add_names_of_numbers(function, names)
    tests = tuple(test for test in _tests(function) if names.intersection(_names(test)))
    counted_nodes = {id(node) for part in (*tests, *passed) for node in ast.walk(part)}
    loads = (node for node in ast.walk(function) if isinstance(node, ast.Name))
    others = (
        node for node in loads if isinstance(node.ctx, ast.Load) and id(node) not in counted_nodes
    )
    return _Uses(tests, has_others=any(node.id in names for node in others))


def _names_made_at(file: str, line: int) -> set[str]:
    """Return the names that a line's statement assigns, if it makes Python numbers of a tensor."""
    assigned = [*_assigned(statement_at(file, line))]
    if not any(conversion_in(value) for _, value in assigned):
        return set()
    return {name for targets, _ in assigned for name in _names(*targets)}


def _add_names_of_numbers(function: ast.AST, names: set[str]) -> list[ast.expr]:
    """Add the names of what a function makes of numbers with these ``names`` alone, by Python's
    own functions. Return the expressions.
    """
    passed: list[ast.expr] = []
    count = -1
    while count < len(names):
        count = len(names)
        for targets, value in _assignments(function):
            if names.intersection(_names(value)) and _is_of_numbers(value, names):
                names.update(_names(*targets))
                passed.append(value)
    return passed


def _is_of_numbers(value: ast.expr, names: set[str]) -> bool:
    """Return whether an expression makes numbers of numbers with these names, by operators and
    Python's functions alone: ``max(n, 3)``, or ``counts[e]`` with any ``e``.
    """
    parts = [*ast.walk(value)]
    subscripts = [part for part in parts if isinstance(part, ast.Subscript)]
    within = {id(node) for part in subscripts for node in ast.walk(part.slice)}
    used = {part.id for part in parts if isinstance(part, ast.Name) and id(part) not in within}
    has_attribute = any(isinstance(part, ast.Attribute) for part in parts)
    return not has_attribute and used <= names | _NUMBER_FUNCTIONS


def _assignments(function: ast.AST) -> Iterator[_Assigned]:
    for node in ast.walk(function):
        yield from _assigned(node)


def _assigned(node: ast.AST | None) -> Iterator[_Assigned]:
    """Yield the targets and the value of an assignment or a loop."""
    match node:
        case ast.Assign():
            yield node.targets, node.value
        case ast.AnnAssign(value=ast.expr() as value):
            yield [node.target], value
        case ast.For():
            yield [node.target], node.iter


def _tests(function: ast.AST) -> Iterator[ast.expr]:
    for node in ast.walk(function):
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield node.test


def _loops_over(function: ast.AST, names: set[str]) -> Iterator[ast.For]:
    """Yield the loops of a function over a range of numbers with these names."""
    for node in ast.walk(function):
        if isinstance(node, ast.For) and isinstance(node.iter, ast.Call):
            is_range = ast.unparse(node.iter.func) == "range"
            if is_range and names.intersection(_names(*node.iter.args)):
                yield node


def _called_with(
    file: str, call: ast.Call, names: set[str]
) -> Iterator[tuple[ast.FunctionDef, set[str]]]:
    """Yield the functions of the file with the name that is called, each with those of its
    parameters that a call gives one of the ``names``.
    """
    called = ast.unparse(call.func).removeprefix("self.")
    for node in ast.walk(tree_of(file)):
        if isinstance(node, ast.FunctionDef) and node.name == called:
            parameters = [one.arg for one in node.args.args]
            parameters = parameters[1:] if parameters[:1] == ["self"] else parameters
            given = [*zip(parameters, call.args, strict=False)]
            given += [(keyword.arg or "", keyword.value) for keyword in call.keywords]
            yield node, {name for name, value in given if names.intersection(_names(value))}


def _names(*nodes: ast.AST) -> set[str]:
    return {part.id for node in nodes for part in ast.walk(node) if isinstance(part, ast.Name)}


def _function_at(file: str, line: int) -> ast.AST | None:
    """Return the innermost function that has a line."""
    functions = (
        node
        for node in ast.walk(tree_of(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    around = [node for node in functions if node.lineno <= line <= (node.end_lineno or 0)]
    return max(around, key=lambda node: node.lineno, default=None)
