"""A call with which nothing helps that was tried → what is left to do, or why there is nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ...check.load import load
from ..causes import random_numbers, switches
from ..causes.facts import FACTS
from ..model.exports import Export
from ..report.findings import Finding, Remedy
from . import starters
from .remedy_search import RemedySearch

IN_PAIRS = "these operations must occur in pairs"  # of the TorchScript exporter, before it looks for a rule


def of_finding(
    search: RemedySearch, finding: Finding, blocked: Collection[Export]
) -> Iterator[Remedy]:
    """Yield a remedy, or why there is none, for the exports in which nothing that was tried helps."""
    why_not = _unfixed(finding, blocked)
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
    elif hints and kind in ("none", "unfinished"):
        text = f"{text.rstrip('.')}.{hints}"
    yield Remedy(kind, text, others)


def _unfixed(finding: Finding, blocked: Collection[Export]) -> dict[str, str]:
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


def _last_resort(search: RemedySearch, finding: Finding) -> tuple[str, str]:
    """Return the kind and the text of the remedy for a call with which no spec helps as it is."""
    key, specs = finding.spec, search.specs
    failed = _failed_specs(finding)
    unfinished = search.starters.get(key)
    if unfinished and key not in specs.helping and unfinished.origin != "decomposed":
        specs.unfinished[key] = unfinished
        source = starters.from_arguments(key, finding.call, search.requires)
        text = f"complete a starter: onnxop new --from {source}"
        return "unfinished", f"{text}; {failed}" if failed else text
    if key in specs.untraced:
        return "trace", "first change the model so that the exporter can trace it"
    if key in specs.refused:
        return "none", specs.refused[key].removeprefix(f"{finding.op}: ")
    if key in search.own_specs and load(search.own_specs[key]).is_native:
        return "own", f"your spec for {key}; --build compiles its kernel and tries it"
    if random_numbers.draws(finding.call):
        text = "draw the numbers once and keep them in a buffer, or make them an input"
        return "rewrite", f"in the model, {text}"
    if finding.op in FACTS["instead"]:
        return "rewrite", f"in the model, {FACTS['instead'][finding.op]}"
    return "none", failed or "the existing spec does not help with this call"


def _failed_specs(finding: Finding) -> str:
    """Return the specs that do not help and why, as text, the last one first; of equal reasons, the
    spec that was tried first.
    """
    first_specs: dict[str, str] = {}
    for spec, outcome in reversed(finding.failed.items()):
        first_specs[str(outcome)] = spec  # an earlier spec replaces a later one
    return "; ".join(f"{spec} does not help: {why}" for why, spec in first_specs.items())
