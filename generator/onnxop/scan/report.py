"""What a scan tells, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..trial.outcome import Outcome
from .calls import Recorded
from .own_functions import Called
from .target import Target

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Way:
    """A way out, which was tried: ``kind`` is ``opset``, ``exporter``, ``gallery``, ``own``, ``starter``,
    ``unfinished``, a starter that is still to be completed, or ``none``; ``fixes`` are the exports
    that it makes right, in words.
    """

    kind: str
    text: str
    fixes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Export:
    """An exporter, and the opset that is asked of it."""

    exporter: str
    opset: int

    def __str__(self) -> str:
        return f"{self.exporter}, opset {self.opset}"


@dataclass(eq=False)
class Finding:
    """A call that is not right in some export, alone: its ``outcomes`` there; the ``ways`` out, the
    shortest first; ``spec`` is what a spec of it is found by; ``failed`` are specs that were tried, and
    do not make it right, with what became of it.
    """

    call: Recorded
    outcomes: dict[Export, Outcome] = field(default_factory=dict)
    ways: tuple[Way, ...] = ()
    spec: str = ""
    failed: dict[str, Outcome] = field(default_factory=dict)

    @property
    def op(self) -> str:
        """``namespace::name``."""
        return self.call.op

    def has_way(self, *kinds: str) -> bool:
        """Whether a way out of one of these kinds was found."""
        return any(way.kind in kinds for way in self.ways)


@dataclass
class Report:
    """What became of a model.

    Attributes:
        model: what it is called.
        whole: what became of all of it, by export.
        notes: what is to be said besides, a sentence each.
        calls: the calls that each exporter sees.
        alone: what became of each call, alone.
        findings: the calls that are not right, in exports in which the model is not either.
        functions: the functions of the model's own into which no exporter looks, where the model is not
            right in some export.
        twice: the calls by exporter, each for several sets of inputs, where the model is not right.
        untaken: what was said by the exporters that do not take the model at all.
        target: what was scanned, with the other inputs that it was tried with.
    """

    model: str
    whole: dict[Export, Outcome] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    calls: dict[str, list[Recorded]] = field(default_factory=dict)
    alone: dict[tuple[Recorded, Export], Outcome] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    functions: list[Called] = field(default_factory=list)
    twice: dict[str, list[Recorded]] = field(default_factory=dict)
    untaken: dict[str, str] = field(default_factory=dict)
    target: Target | None = None

    def tried(self, export: Export) -> list[Recorded]:
        """Return the calls that are tried alone in an export in which the model is not right."""
        kind = self.whole[export].kind
        return (self.twice if kind == "first" else self.calls)[export.exporter]

    @property
    def is_right(self) -> bool:
        """Whether the whole model is, in every export that was asked for."""
        return all(outcome.is_right for outcome in self.whole.values())
