"""Calls of a model → the outcome of exporting each one alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from ..find import torchops
from ..trial import trial
from ..trial.call import together
from ..trial.outcome import Outcome
from .calls import Recorded
from .report import Export, Progress

_TOGETHER = 32  # calls in one model


@dataclass(frozen=True)
class Try:
    """A call, its export, and the specs to register for it."""

    call: Recorded
    export: Export
    specs: tuple[str, ...] = ()


def outcomes(tries: Sequence[Try], progress: Progress, label: str) -> Iterator[tuple[Try, Outcome]]:
    """Yield each try with its outcome, in order of completion.

    An export costs more than the calls in it, and most calls pass. So export many calls as one model,
    and divide it where it fails.
    """
    by_export: dict[Export, list[Try]] = {}
    for one in sorted(tries, key=lambda one: one.call.op):
        by_export.setdefault(one.export, []).append(one)
    groups: list[Sequence[Try]] = []
    for alike in by_export.values():
        groups += [alike[at : at + _TOGETHER] for at in range(0, len(alike), _TOGETHER)]
    done = 0
    while groups:
        parts: list[Sequence[Try]] = []
        for place, outcome in trial.outcomes([partial(_together, group) for group in groups]):
            group = groups[place]
            if len(group) > 1 and outcome.kind != "right":
                parts += _divided(group)
                continue
            done += len(group)
            progress(f"{label}: {done} of {len(tries)}")
            yield from ((one, outcome) for one in group)
        groups = parts


def _divided(group: Sequence[Try]) -> list[Sequence[Try]]:
    """Return the tries that may well fail one by one, and the others together; else two halves."""
    # Where the TorchScript exporter has no rule, the dynamo exporter may lack one, too.
    stock = [one for one in group if not one.specs]
    doubtful = [one for one in stock if not torchops.has_symbolic(one.call.op, one.export.opset)]
    others = [one for one in group if one not in doubtful]
    if doubtful:
        return [*([one] for one in doubtful), *([others] if others else [])]
    middle = len(group) // 2
    return [group[:middle], group[middle:]]


def _together(group: Sequence[Try]) -> Outcome:
    call = together([one.call.call() for one in group])
    specs = tuple(dict.fromkeys(text for one in group for text in one.specs))
    export = group[0].export
    return trial.tried(call, export.exporter, export.opset, trial.Rules(specs=specs))
