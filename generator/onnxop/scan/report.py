"""The result of a scan, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from ..trial.outcome import Outcome
from ..trial.places import Place
from . import traces
from .calls import Recorded
from .own_functions import OwnFunctionCall
from .target import Target

Progress = Callable[[str], None]
TRACERS = {"dynamo": "torch.export", "TorchScript": "torch.jit.trace"}
"""The tracer of each exporter."""


SPECS = frozenset({"gallery", "own", "starter", "unfinished"})
"""The kinds of remedies that are specs."""
MENDING = SPECS | {"runtime"}
"""The kinds of remedies with which a package's export is right."""


@dataclass(frozen=True)
class Remedy:
    """A remedy, which was tried: ``kind`` is ``opset``, ``exporter``, ``gallery``, ``own``,
    ``starter``, ``unfinished`` (a starter to complete), ``runtime`` (the export of any package),
    ``rewrite`` or ``none``; ``fixes`` names
    the exports that pass with it; ``opset`` is that of ``opset``.
    """

    kind: str
    text: str
    fixes: tuple[str, ...] = ()
    opset: int = 0


@dataclass(frozen=True)
class Export:
    """An exporter, and the requested opset."""

    exporter: str
    opset: int

    @property
    def other(self) -> Export:
        """The other exporter, at the same opset."""
        return Export("TorchScript" if self.exporter == "dynamo" else "dynamo", self.opset)

    def __str__(self) -> str:
        return f"{self.exporter}, opset {self.opset}"


@dataclass(eq=False)
class Finding:
    """A call that fails alone in some export: its ``outcomes`` there; the ``remedies``, the
    shortest first; ``spec``, the key of its spec; ``failed``, the outcomes with specs that do not
    help; ``alike``, further calls of the operator that fail in the same way, with the same
    remedies.
    """

    call: Recorded
    outcomes: dict[Export, Outcome] = field(default_factory=dict)
    remedies: tuple[Remedy, ...] = ()
    spec: str = ""
    failed: dict[str, Outcome] = field(default_factory=dict)
    alike: list[Recorded] = field(default_factory=list)

    @property
    def op(self) -> str:
        """``namespace::name``."""
        return self.call.op

    @property
    def count(self) -> int:
        """How often the model makes these calls."""
        return sum(call.count for call in (self.call, *self.alike))

    @property
    def places(self) -> list[Place]:
        """The lines of these calls."""
        calls = (self.call, *self.alike)
        return [*dict.fromkeys(place for call in calls for place in call.places)]

    def is_mended(self, export: Export) -> bool:
        """Return whether a package mends the calls in an export, or may when its specs are
        completed.
        """
        mending = (remedy for remedy in self.remedies if remedy.kind in MENDING)
        return any(str(export) in remedy.fixes for remedy in mending)

    def opset_for(self, export: Export) -> int:
        """Return the lowest opset at which the exporter has the call right; 0 if there is none."""
        opsets = (r.opset for r in self.remedies if r.kind == "opset" and str(export) in r.fixes)
        return next(opsets, 0)

    def has_remedy(self, *kinds: str) -> bool:
        """Return whether there is a remedy of one of these kinds."""
        return any(remedy.kind in kinds for remedy in self.remedies)


@dataclass
class Report:
    """The outcome of a scan of a model.

    Attributes:
        model: its name.
        whole: the outcome for the whole model, by export.
        notes: further sentences for the user.
        calls: the calls that each exporter sees.
        alone: the outcome of each call alone.
        findings: the calls that fail in exports in which the model fails, too.
        functions: the model's own functions that exporters cannot trace, if the model fails in some
            export.
        calls_at_several_inputs: the calls by exporter, each for several sets of inputs, where the
            model fails.
        untaken: the errors of the exporters that refuse the model.
        stops: the lines at which the exporters' traces stop, of those that refuse the model.
        dynamic_stops: the lines at which traces with dynamic dimensions stop.
        constants: the warnings of `torch.jit.trace` by the lines at which it makes values
            constants.
        kept_sides: the conditions on data of which `torch.jit.trace` keeps one side.
        other_sides: those of them of which other sizes or values take another side, with such
            inputs as text.
        causes: the decisive cause of each export that fails, or ``""`` if scan knows none.
        target: the scanned model, with the other inputs that were tried.
        unread: the exporters, of those in ``untaken``, that may take the model: scan cannot read
            their graphs.
        with_specs: the outcome for the whole model with the specs that help, where they were tried
            on it.
        stopped: what stopped the scan before its end: a signal, or the time limit.
        untried: the number of single calls to try.
        has_scripted_code: whether the trace of `torch.jit.trace` has scripted code.
        build_failure: why the package of the specs could not be written or built.
        written_buffers: the names of the buffers to which the model's forward writes.
    """

    model: str
    whole: dict[Export, Outcome] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    calls: dict[str, list[Recorded]] = field(default_factory=dict)
    alone: dict[tuple[Recorded, Export], Outcome] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    functions: list[OwnFunctionCall] = field(default_factory=list)
    calls_at_several_inputs: dict[str, list[Recorded]] = field(default_factory=dict)
    untaken: dict[str, str] = field(default_factory=dict)
    stops: dict[str, Place] = field(default_factory=dict)
    dynamic_stops: dict[str, Place] = field(default_factory=dict)
    constants: dict[Place, str] = field(default_factory=dict)
    kept_sides: list[Place] = field(default_factory=list)
    other_sides: dict[Place, str] = field(default_factory=dict)
    causes: dict[Export, str] = field(default_factory=dict)
    target: Target | None = None
    unread: set[str] = field(default_factory=set)
    with_specs: dict[Export, Outcome] = field(default_factory=dict)
    stopped: str = ""
    untried: int = 0
    has_scripted_code: bool = False
    build_failure: str = ""
    written_buffers: list[str] = field(default_factory=list)

    @cached_property
    def constant_results(self) -> list[int]:
        """The indices of the model's results that depend on no input. Each takes an export to find
        out.
        """
        return (
            [] if self.target is None else traces.constant_results(self.target.call("TorchScript"))
        )

    def tried(self, export: Export) -> list[Recorded]:
        """Return the calls to try alone in an export in which the model fails."""
        kind = self.whole[export].kind
        calls = self.calls_at_several_inputs if kind == "first" else self.calls
        return calls.get(export.exporter, [])

    @property
    def right_exports(self) -> list[Export]:
        """The exports that write a right file without a package, those tried at other sizes first."""
        right = [export for export, outcome in self.whole.items() if outcome.is_right]
        return sorted(right, key=lambda export: self.whole[export].awaits_sizes)

    @property
    def can_be_right(self) -> bool:
        """Whether a right file can be had: by PyTorch alone, or with the specs."""
        with_specs = any(outcome.is_right for outcome in self.with_specs.values())
        return bool(self.right_exports) or with_specs

    def is_blocked(self, export: Export) -> bool:
        """Return whether no spec can make the model right: its trace stops, or a call fails that no
        spec mends.
        """
        return self.is_stopped(export) or bool(self.blocking_calls(export))

    def is_stopped(self, export: Export) -> bool:
        """Return whether the trace of the export stops."""
        return export.exporter in self.untaken and export.exporter not in self.unread

    def blocking_calls(self, export: Export) -> list[Finding]:
        """Return the findings of calls that fail in an export, and that no spec mends there."""
        within = (finding for finding in self.findings if export in finding.outcomes)
        return [finding for finding in within if not finding.is_mended(export)]

    def alone_kind(self, call: Recorded, export: Export) -> str:
        """Return the kind of the outcome of a call alone, or ``""`` if it was not tried."""
        outcome = self.alone.get((call, export))
        return outcome.kind if outcome else ""

    @property
    def is_right(self) -> bool:
        """Return whether the whole model passes in every requested export; not before one has ended."""
        return bool(self.whole) and all(outcome.is_right for outcome in self.whole.values())


class ScanObserver:
    """Is called as soon as a scan knows something. A subclass shows it; this class shows nothing."""

    def whole(self, report: Report) -> None:
        """Take the outcomes for the whole model."""

    def call(self, call: Recorded, export: Export, outcome: Outcome) -> None:
        """Take the outcome of a call that fails alone."""
