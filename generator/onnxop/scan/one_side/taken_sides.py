"""Conditions of a model → those of which its inputs take different sides."""

from __future__ import annotations

import ast
import time
from collections.abc import Iterable, Sequence

import torch

from ...trial import places
from ...trial.call import Call, format_arguments, values_of
from ...trial.places import Place
from ..source.rewrites import tree_of

BRANCH = "Python boolean"
"""In a warning of `torch.jit.trace` about a condition."""


def taken_differently(
    call: Call, conditions: Sequence[Place], sets: Iterable[Sequence[torch.Tensor]]
) -> dict[Place, str]:
    """Return the conditions of which one of the ``sets`` of inputs takes another side than the
    call's own, each with such inputs as text. The side is whether the first line of the body runs.
    """
    files = {place.file for place in conditions}
    bodies = {place: body for place in conditions if (body := _first_line_of_body(place))}
    lines = places.lines_run(call.returned, files)
    differing: dict[Place, str] = {}
    for tensors in sets:
        others = places.lines_run(call.with_tensors(tensors).returned, files)
        for place, body in bodies.items():
            if ((place.file, body) in lines) != ((place.file, body) in others):
                values = values_of(call.tensors, tensors, call.names)
                inputs = f"other values{values}" if values else format_arguments(tensors, {})
                differing.setdefault(place, inputs)
    return differing


def never_taken_differently(
    call: Call, conditions: Iterable[Place], sets: Iterable[Sequence[torch.Tensor]], seconds: float
) -> list[Place]:
    """Return the conditions of which none of the ``sets`` of inputs takes another side than the
    call's own; none if there is no time to run all of them.
    """
    end = time.monotonic() + seconds
    same = {place: body for place in conditions if (body := _first_line_of_body(place))}
    files = {place.file for place in same}
    lines = places.lines_run(call.returned, files) if same else set()
    for tensors in sets:
        if not same:
            break
        if time.monotonic() > end:
            return []
        others = places.lines_run(call.with_tensors(tensors).returned, files)
        changed = lines ^ others
        same = {place: body for place, body in same.items() if (place.file, body) not in changed}
    return [*same]


def _first_line_of_body(place: Place) -> int | None:
    """Return the first line of what a statement's condition decides on; None if it is in one line
    with the condition, or is no statement.
    """
    for node in ast.walk(tree_of(place.file)):
        if isinstance(node, ast.If | ast.While):
            is_within = node.test.lineno <= place.line <= (node.test.end_lineno or 0)
            if is_within and node.body[0].lineno > place.line:
                return node.body[0].lineno
    return None
