"""A call with which nothing helps that was tried → what is left to do, or why there is nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...check.load import load
from ..calls.packed_sequences import IN_PAIRS
from ..causes import random_numbers, switches
from ..causes.facts import FACTS
from ..model.exports import Export
from ..report.cause import sentence
from ..report.findings import Finding, Remedy, RemedyKind
from . import starters
from .remedy_search import RemedySearch
from .spec_folder import unwritten_kernel


def of_finding(
    search: RemedySearch, finding: Finding, blocked: Collection[Export]
) -> Iterator[Remedy]:
    """Yield a remedy, or why there is none, for the exports in which nothing that was tried helps."""
    why_not = _reasons_without_remedy(finding, blocked)
    in_pairs = tuple(export for export, why in why_not.items() if IN_PAIRS in why)
    others = tuple(export for export in why_not if export not in in_pairs)
    if in_pairs:
        text = "in the model, call pack_padded_sequence and pad_packed_sequence, both"
        yield Remedy("none", f"no spec helps: {text}", in_pairs)
    if not others:
        return
    kind, text = _last_resort(search, finding)
    hints = "".join(dict.fromkeys(map(switches.near, finding.places)))
    if hints and kind == "trace":
        yield Remedy("none", hints.strip(), others)
    elif hints and kind in _WITH_HINTS:
        text = f"{sentence(text)}{hints}"
    yield Remedy(kind, text, others)


def _reasons_without_remedy(finding: Finding, blocked: Collection[Export]) -> dict[str, str]:
    """Return why the call fails, by the exports in which no remedy helps. To use the other exporter
    does not help if that one is ``blocked``: the model has calls there without a remedy.
    """
    is_blocked = {str(export): export.other in blocked for export in finding.outcomes}
    fixed: set[str] = set()
    for remedy in finding.remedies:
        is_exporter = remedy.kind == "exporter"
        fixed |= {export for export in remedy.fixes if not (is_exporter and is_blocked[export])}
    why = {str(export): outcome.why for export, outcome in finding.outcomes.items()}
    return {export: text for export, text in why.items() if export not in fixed}


def _last_resort(search: RemedySearch, finding: Finding) -> tuple[RemedyKind, str]:
    """Return the kind and the text of the remedy for a call with which no spec helps as it is."""
    for rule in (_starter, _spec_that_is_none, _own_kernel, _rewrite):
        remedy = rule(search, finding)
        if remedy is not None:
            return remedy
    failed = _failed_specs(search, finding)
    return "none", failed or "the existing spec does not help with this call"


def _starter(search: RemedySearch, finding: Finding) -> tuple[RemedyKind, str] | None:
    """Return to complete the starter of the call, if it has one."""
    key = search.keys[finding]
    starter = search.starters.get(key)
    if starter is None or key in search.specs.helping or starter.origin == "decomposed":
        return None
    source = starters.from_arguments(key, finding.call, search.requires)
    texts = (f"complete a starter: onnxop new --from {source}", _failed_specs(search, finding))
    return "unfinished", "; ".join(filter(None, texts))


def _spec_that_is_none(search: RemedySearch, finding: Finding) -> tuple[RemedyKind, str] | None:
    """Return why there is no spec of the call."""
    key = search.keys[finding]
    if key in search.specs.blocked_by_trace:
        return "trace", "first change the model so that the exporter can trace it"
    if key in search.specs.refused:
        return "none", search.specs.refused[key].removeprefix(f"{finding.op}: ")
    return None


def _own_kernel(search: RemedySearch, finding: Finding) -> tuple[RemedyKind, str] | None:
    """Return to build the user's spec, if a kernel of it has to be written or compiled first."""
    key = search.keys[finding]
    if key not in search.own_specs or not load(search.own_specs[key]).is_native:
        return None
    skeleton = unwritten_kernel(search.own_specs[key])
    if skeleton is None:
        return "own", f"your spec for {key}; --build compiles its kernel and tries it"
    to_write = f"its kernel {skeleton} is a skeleton: write its compute()"
    return "unfinished", f"your spec for {key}; {to_write}, and scan again with --build"


def _rewrite(_search: RemedySearch, finding: Finding) -> tuple[RemedyKind, str] | None:
    """Return what to write in the model, if that is better than a spec."""
    if random_numbers.draws(finding.call):
        text = "draw the numbers once and keep them in a buffer, or make them an input"
        return "rewrite", f"in the model, {text}"
    if finding.op in FACTS["instead"]:
        return "rewrite", f"in the model, {FACTS['instead'][finding.op]}"
    return None


def _failed_specs(search: RemedySearch, finding: Finding) -> str:
    """Return the specs that do not help and why, as text, the last one first; of equal reasons, the
    spec that was tried first.
    """
    first_specs: dict[str, str] = {}
    for spec, outcome in reversed(search.failed.get(finding, {}).items()):
        first_specs[str(outcome)] = spec  # an earlier spec replaces a later one
    return "; ".join(f"{spec} does not help: {why}" for why, spec in first_specs.items())


_WITH_HINTS: tuple[RemedyKind, ...] = ("none", "unfinished")
"""The kinds of remedies beside which a switch of the model's library is worth a look."""
