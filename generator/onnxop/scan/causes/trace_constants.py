"""The lines at which `torch.jit.trace` makes constants → a note on them."""

from __future__ import annotations

from ...trial import places
from ...trial.places import Place
from ..report.cause import Note
from ..report.report import Report
from ..source.rewrites import only_prints
from ..source.shown_lines import some_lines

# Warnings of torch.jit.trace: of literals, and of tuples, of which the number seldom changes.
_HARMLESS = "torch.tensor results are registered as constants", "Iterating over a tensor"
_CONSTANTS = "torch.jit.trace turns values into constants here"


def lines_to_tell(report: Report) -> list[Place]:
    """Return the lines that `notes` names: not those of which a file is right at the other side."""
    named = {line for cause in report.causes.values() for line in cause.lines}
    named |= set(map(str, report.kept.reached))
    is_wrong = _is_wrong(report)
    lines = []
    for place, why in report.traced.constants.items():
        is_harmless = any(text in why for text in _HARMLESS)
        is_told = places.is_users(place.file) or is_wrong or "dynamo" in report.traced.stops
        is_told &= str(place) not in named and not only_prints(place)
        if is_told and (is_wrong or not is_harmless):
            lines.append(place)
    return lines if report.outcomes_of_traces else []


def _is_wrong(report: Report) -> bool:
    """Return whether a file by `torch.jit.trace` has wrong results."""
    return any(outcome.is_wrong for outcome in report.outcomes_of_traces)


def notes(report: Report) -> list[Note]:
    """Return a note on the lines at which a trace makes constants, but for those that a cause names;
    those that are mostly harmless only if results are wrong, those of libraries only if results are
    wrong or torch.export stops.
    """
    lines = lines_to_tell(report)
    if not lines:
        return []
    is_wrong = _is_wrong(report)
    unchanged = set(map(str, report.kept.unchanged))
    if unchanged.issuperset(map(str, lines)) and not is_wrong:
        return [Note(f"{some_lines(lines)}: {_CONSTANTS}, which none of the inputs below changes")]
    text = (
        f"{some_lines(lines)}: {_CONSTANTS}. The TorchScript exporter's model may be wrong for other "
        "inputs. To keep the values dynamic, compute with tensors"
    )
    return [Note(text)]
