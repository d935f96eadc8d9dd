"""A traced model → the lines of conditions on data of which a trace keeps one side."""

from __future__ import annotations

from ...trial.places import Place
from ..calls import reads
from ..calls.model_calls import TracedModel
from ..model.target import Target
from ..source import number_conditions
from ..source.rewrites import only_raises
from .taken_sides import BRANCH


def kept_sides(traced: TracedModel, target: Target) -> list[Place]:
    """Return the lines of conditions of which a trace keeps one side: those at which it warns, and
    the one at which torch.export stops, if the trace reads a value there. A condition that
    torch.export passes depends on no data; one that only raises gives no results.
    """
    error = traced.errors.get("dynamo")
    if error is None:
        return []
    warned = [place for place, why in traced.constants.items() if BRANCH in why]
    lines = [place for place in warned if not only_raises(place)]
    stop = traced.stops.get("dynamo")
    if stop is None or not is_of_data(error):
        return lines
    inner = stop.inner
    texts = [str(place) for place in lines]
    if str(inner) in texts:
        return lines[texts.index(str(inner)) :]  # torch.export has passed those before it
    is_kept = target.runs(stop) and not only_raises(inner) and _is_read(traced, target, inner)
    return number_conditions.conditions_in_place_of_numbers([inner, *lines]) if is_kept else lines


def is_of_data(error: Exception | None) -> bool:
    """Return whether torch.export stops at a condition on data."""
    return "data-dependent" in str(error)


def _is_read(traced: TracedModel, target: Target, line: Place) -> bool:
    """Return whether a trace makes a constant of what Python reads at the line."""
    if str(line) in map(str, traced.constants):
        return True
    try:
        every = reads.of_trace(target.call("TorchScript"))
    except Exception:  # noqa: BLE001 - of the user's model, or of the trace
        return True
    lines = [read.line for read in every]
    return str(line) in map(str, [*lines, *number_conditions.conditions_in_place_of_numbers(lines)])
