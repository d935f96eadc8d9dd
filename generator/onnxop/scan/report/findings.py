"""The calls that fail alone, and the remedies for them, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...trial.outcome import Outcome
from ...trial.places import Place
from ..calls.recorded_calls import RecordedCall
from ..model.exports import Export

RemedyKind = Literal[
    "opset",
    "exporter",
    "gallery",
    "own",
    "starter",
    "unfinished",
    "runtime",
    "rewrite",
    "trace",
    "none",
]
"""What a remedy is; `Remedy` tells of each."""
READY_SPECS: tuple[RemedyKind, ...] = ("gallery", "own", "starter")
"""The kinds of remedies that are specs which help as they are."""
SPECS: frozenset[RemedyKind] = frozenset({*READY_SPECS, "unfinished"})
"""The kinds of remedies that are specs."""
MENDING: frozenset[RemedyKind] = SPECS | {"runtime"}
"""The kinds of remedies with which a package's export is right."""


@dataclass(frozen=True)
class Remedy:
    """A remedy, which was tried: ``kind`` is ``opset``, ``exporter``, ``gallery``, ``own``,
    ``starter``, ``unfinished`` (a starter to complete), ``runtime`` (the export of any package),
    ``rewrite``, ``trace`` (the model first has to change so that the exporter traces it) or ``none``;
    ``fixes`` names the exports that pass with it, or those that it is about; ``opset`` is that of
    ``opset``.
    """

    kind: RemedyKind
    text: str
    fixes: tuple[str, ...] = ()
    opset: int = 0

    def is_for(self, export: Export) -> bool:
        """Return whether an export passes with it, or is what it is about."""
        return str(export) in self.fixes


@dataclass(eq=False)
class Finding:
    """A call that fails alone in some export: its ``outcomes`` there; the ``remedies``, the
    shortest first; ``alike``, further calls of the operator that fail in the same way, with the
    same remedies.
    """

    call: RecordedCall
    outcomes: Mapping[Export, Outcome]
    remedies: tuple[Remedy, ...] = ()
    alike: tuple[RecordedCall, ...] = ()

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
        return any(remedy.kind in MENDING and remedy.is_for(export) for remedy in self.remedies)

    def opset_for(self, export: Export) -> int:
        """Return the lowest opset at which the exporter has the call right; 0 if there is none."""
        lowest = (remedy.opset for remedy in self.remedies if remedy.is_for(export))
        return next(filter(None, lowest), 0)

    def has_remedy(self, *kinds: RemedyKind) -> bool:
        """Return whether there is a remedy of one of these kinds."""
        return any(remedy.kind in kinds for remedy in self.remedies)
