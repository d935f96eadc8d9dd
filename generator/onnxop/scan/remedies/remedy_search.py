"""The state of a search for remedies: the report, and the specs as they are known."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ...find import gallery
from ...starter import starter
from ...starter.starter import Starter
from ...trial.outcome import Outcome
from ...trial.trial import Rules
from ..calls.recorded_calls import RecordedCall
from ..model.exports import Export, Progress
from ..model.target import Target
from ..one_side import other_sides
from ..report.findings import Finding, RemedyKind
from ..report.report import KeptLines, Report

_TEXTS: Mapping[RemedyKind, str] = {
    "gallery": "the gallery's spec: onnxop new --from {source}",
    "own": "your spec for {op}",
    "starter": "the starter of {op} that --write DIR writes, with this call as its sample",
}


def format_spec(kind: RemedyKind, op: str, source: str = "") -> str:
    """Return a remedy that is a spec of an operator, as text; ``source`` is what ``onnxop new
    --from`` takes, if that is more than the operator.
    """
    return _TEXTS[kind].format(op=op, source=source or op)


@dataclass
class Specs:
    """By operator: the specs that help, those to complete, and why there is none; and the operators
    for which none can help before the exporter traces the model.
    """

    helping: dict[str, Starter] = field(default_factory=dict)
    unfinished: dict[str, Starter] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    blocked_by_trace: set[str] = field(default_factory=set)


@dataclass
class RemedySearch:
    """A search for remedies: what it has found so far. `find_remedies` puts it into the report.

    Attributes:
        report: the report.
        own_specs: the user's specs, by operator, which precede the gallery's.
        progress: shows each step.
        requires: modules that register operators.
        specs: the specs, as they are known.
        starters: the starters of operators that have no other spec.
        keys: the keys of the findings' specs.
        failed: the outcomes of findings with specs that do not help, by the specs as text.
        target: the model, with what tries of it tell of its sizes.
        kept: what `torch.jit.trace` keeps, with what tries of the model tell of that.
    """

    report: Report
    own_specs: Mapping[str, Path]
    progress: Progress
    requires: Sequence[str] = ()
    specs: Specs = field(default_factory=Specs)
    starters: dict[str, Starter] = field(default_factory=dict)
    keys: dict[Finding, str] = field(default_factory=dict)
    failed: dict[Finding, dict[str, Outcome]] = field(default_factory=dict)
    target: Target = field(init=False)
    kept: KeptLines = field(init=False)

    def __post_init__(self) -> None:
        self.target, self.kept = self.report.target, self.report.kept

    def try_model(
        self, exports: Sequence[Export], rules: Rules, right_at_own_sizes: Collection[Export] = ()
    ) -> dict[Export, Outcome]:
        """Return the outcomes of the whole model by these rules, as `other_sides.try_model`."""
        tried = other_sides.try_model(
            self.target, self.kept, exports, self.progress, rules, right_at_own_sizes
        )
        self.target, self.kept = tried.target, tried.kept
        return tried.outcomes

    def spec(self, op: str) -> Starter:
        """Return the user's spec of an operator, or the gallery's."""
        if op in self.own_specs:
            text = self.own_specs[op].read_text(encoding="utf-8")
            return Starter(op, text, "own", is_proved=False)
        return starter.write_spec(op)

    def own_key(self, call: RecordedCall) -> str | None:
        """Return the key of the user's spec of a call, or None."""
        keys = f"{call.op}.{call.overload_name}", call.op
        return next((key for key in keys if key in self.own_specs), None)

    def spec_kind(self, key: str) -> RemedyKind:
        """Return the kind of the remedy that is a spec of an operator: ``own``, the user's, or
        ``gallery``.
        """
        return "own" if key in self.own_specs else "gallery"

    def specs_of(self, ops: Sequence[str]) -> dict[str, Starter]:
        """Return the specs of operators, and those that these need."""
        needed = dict.fromkeys(key for op in ops for key in gallery.with_needed(op))
        return {op: self.specs.helping.get(op) or self.spec(op) for op in needed}
