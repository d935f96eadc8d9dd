"""The result of a scan, as data: what each stage has found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ...trial.outcome import Outcome
from ...trial.places import Place
from ..calls.model_calls import TracedModel
from ..calls.own_functions import OwnFunctionCall
from ..calls.recorded_calls import RecordedCall
from ..model.exports import Export
from ..model.target import Target
from .cause import Cause, Note
from .findings import Finding


@dataclass(frozen=True)
class KeptLines:
    """The lines at which `torch.jit.trace` keeps what Python reads of the values of tensors.

    Attributes:
        places: the conditions of which it keeps one side, and the numbers.
        other_sides: those of them of which other inputs take another side, with such inputs as
            text.
        one_sided: the conditions of which no inputs that were tried take another side.
        reached: those of which inputs that were tried take another side, for which a file is right.
        numbers: the lines at which it keeps a number that other inputs change, with both as text.
        unchanged: the lines at which no inputs that were tried change what Python reads.
    """

    places: tuple[Place, ...] = ()
    other_sides: Mapping[Place, str] = field(default_factory=dict)
    one_sided: tuple[Place, ...] = ()
    reached: tuple[Place, ...] = ()
    numbers: Mapping[Place, str] = field(default_factory=dict)
    unchanged: tuple[Place, ...] = ()

    def with_places(self, further: list[Place]) -> KeptLines:
        """Return these lines and further ones."""
        return replace(self, places=(*self.places, *further))


@dataclass(frozen=True)
class SingleCalls:
    """The calls that are tried alone, where the model fails.

    Attributes:
        outcomes: the outcome of each call alone, as soon as it is known.
        at_several_inputs: the calls by exporter, each for several sets of inputs.
        stops: the lines at which traces with dynamic dimensions stop, by exporter.
        count: the number of calls to try.
    """

    outcomes: Mapping[tuple[RecordedCall, Export], Outcome] = field(default_factory=dict)
    at_several_inputs: Mapping[str, list[RecordedCall]] = field(default_factory=dict)
    stops: Mapping[str, Place] = field(default_factory=dict)
    count: int = 0

    def with_outcome(self, call: RecordedCall, export: Export, outcome: Outcome) -> SingleCalls:
        """Return these calls with the outcome of one of them."""
        return replace(self, outcomes={**self.outcomes, (call, export): outcome})

    def is_tried(self, call: RecordedCall, export: Export) -> bool:
        """Return whether a call was tried alone."""
        return (call, export) in self.outcomes

    def is_of_order(self, call: RecordedCall, export: Export) -> bool:
        """Return whether a call alone gives equal values in another order."""
        return self.is_tried(call, export) and self.outcomes[call, export].kind == "order"


@dataclass
class Report:
    """The result of a scan of a model. `scan_model` and `find_remedies` put here what their stages
    return, and the command what comes of a package; nothing else writes it.

    Attributes:
        target: the scanned model, with the other inputs that were tried.
        whole: the outcome for the whole model, by export.
        traced: the model as the exporters' tracers see it.
        kept: what `torch.jit.trace` keeps of the values of tensors.
        alone: the calls that are tried alone.
        functions: the model's own functions that exporters cannot trace, if the model fails in some
            export.
        constant_results: the indices of the model's results that depend on no input, if an exporter
            refuses the model for such a result.
        findings: the calls that fail in exports in which the model fails, too.
        causes: the cause of each export that fails, where scan knows one that is no single call's.
        notes: further paragraphs for the user.
        with_specs: the outcome for the whole model with the specs that help, where they were tried
            on it.
        untold_specs: the exports of these in which specs of calls that are right alone were tried,
            which the report does not name, as they do not help.
        stopped: what stopped the scan before its end: a signal, or the time limit.
        build_failure: why the package of the specs could not be written or built.
    """

    target: Target
    whole: dict[Export, Outcome] = field(default_factory=dict)
    traced: TracedModel = field(default_factory=TracedModel)
    kept: KeptLines = field(default_factory=KeptLines)
    alone: SingleCalls = field(default_factory=SingleCalls)
    functions: list[OwnFunctionCall] = field(default_factory=list)
    constant_results: list[int] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    causes: dict[Export, Cause] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    with_specs: dict[Export, Outcome] = field(default_factory=dict)
    untold_specs: set[Export] = field(default_factory=set)
    stopped: str = ""
    build_failure: str = ""

    @property
    def tracer_refusals(self) -> dict[str, Exception]:
        """The errors of the exporters that see no calls. An exporter that traces the model, by
        further modes of torch.export than `trace_model` tries, is none of these; one whose graph
        scan cannot read is.
        """
        unread = self.traced.unreadable_exporters
        taken = {
            export.exporter
            for export, outcome in self.whole.items()
            if not outcome.is_refused or (outcome.has_no_rule and export.exporter not in unread)
        }
        return {name: error for name, error in self.traced.errors.items() if name not in taken}

    @property
    def outcomes_of_traces(self) -> list[Outcome]:
        """The outcomes of the exports of the whole model by `torch.jit.trace`."""
        return [out for export, out in self.whole.items() if export.exporter == "TorchScript"]

    @property
    def right_exports(self) -> list[Export]:
        """The exports that write a right file without a package: first those tried at other sizes,
        and of these, those without numbers as inputs, and whose sizes need not be equal.
        """
        right = [export for export, outcome in self.whole.items() if outcome.is_right]

        def later(export: Export) -> tuple[bool, bool, bool]:
            outcome = self.whole[export]
            return outcome.awaits_sizes, bool(outcome.numbers), bool(outcome.equal)

        return sorted(right, key=later)

    @property
    def can_be_right(self) -> bool:
        """Whether a right file can be had: by PyTorch alone, or with the specs."""
        with_specs = any(outcome.is_right for outcome in self.with_specs.values())
        return bool(self.right_exports) or with_specs

    @property
    def is_right(self) -> bool:
        """Return whether the whole model passes in every requested export; not before one has ended."""
        return bool(self.whole) and all(outcome.is_right for outcome in self.whole.values())

    def calls_of(self, export: Export) -> list[RecordedCall]:
        """Return the calls that may be why the model fails in an export."""
        if self.whole[export].fails_for_others:
            return self.alone.at_several_inputs.get(export.exporter, [])
        return self.traced.calls.get(export.exporter, [])

    def is_blocked(self, export: Export) -> bool:
        """Return whether no spec can make the model right: its trace stops, or a call fails that no
        spec mends.
        """
        return self.is_stopped(export) or bool(self.blocking_calls(export))

    def is_stopped(self, export: Export) -> bool:
        """Return whether the trace of the export stops."""
        exporter = export.exporter
        return exporter in self.tracer_refusals and exporter not in self.traced.unreadable_exporters

    def blocking_calls(self, export: Export) -> list[Finding]:
        """Return the findings of calls that fail in an export, and that no spec mends there."""
        return [found for found in self.findings_in(export) if not found.is_mended(export)]

    def findings_in(self, export: Export) -> list[Finding]:
        """Return the findings of calls that fail alone in an export."""
        return [finding for finding in self.findings if export in finding.outcomes]


class ScanObserver:
    """Is called as soon as a scan knows something. A subclass shows it; this class shows nothing."""

    def on_whole_model(self, report: Report) -> None:
        """Take the outcomes for the whole model."""

    def on_failing_call(self, call: RecordedCall, export: Export, outcome: Outcome) -> None:
        """Take the outcome of a call that fails alone."""
