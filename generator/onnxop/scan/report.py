"""The result of a scan, as data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from ..trial.outcome import Outcome
from ..trial.places import Place
from .calls import Recorded
from .own_functions import Called
from .target import Target

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Remedy:
    """A remedy, which was tried: ``kind`` is ``opset``, ``exporter``, ``gallery``, ``own``, ``starter``,
    ``unfinished`` (a starter to complete), ``rewrite`` or ``none``; ``fixes`` names the exports that pass with it.
    """

    kind: str
    text: str
    fixes: tuple[str, ...] = ()


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
    """A call that fails alone in some export: its ``outcomes`` there; the ``remedies``, the shortest first;
    ``spec``, the key of its spec; ``failed``, the outcomes with specs that do not help.
    """

    call: Recorded
    outcomes: dict[Export, Outcome] = field(default_factory=dict)
    remedies: tuple[Remedy, ...] = ()
    spec: str = ""
    failed: dict[str, Outcome] = field(default_factory=dict)

    @property
    def op(self) -> str:
        """``namespace::name``."""
        return self.call.op

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
        functions: the model's own functions that exporters cannot trace, if the model fails in some export.
        twice: the calls by exporter, each for several sets of inputs, where the model fails.
        untaken: the errors of the exporters that refuse the model.
        constants: the warnings of `torch.jit.trace` by the lines at which it makes values constants.
        target: the scanned model, with the other inputs that were tried.
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
    constants: dict[Place, str] = field(default_factory=dict)
    target: Target | None = None

    def tried(self, export: Export) -> list[Recorded]:
        """Return the calls to try alone in an export in which the model fails."""
        kind = self.whole[export].kind
        return (self.twice if kind == "first" else self.calls)[export.exporter]

    @property
    def is_right(self) -> bool:
        """Return whether the whole model passes in every requested export."""
        return all(outcome.is_right for outcome in self.whole.values())
