"""Calls of a model → what becomes of each, alone."""

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
    """A call, and how it is exported."""

    call: Recorded
    export: Export
    specs: tuple[str, ...] = ()


def outcomes(tries: Sequence[Try], progress: Progress, what: str) -> Iterator[tuple[Try, Outcome]]:
    """Yield what becomes of each, as they come.

    Most are right, and an export takes longer than the calls in it: so they are tried many in one
    model, which is divided where it is not right.
    """
    by_export: dict[Export, list[Try]] = {}
    for each in sorted(tries, key=lambda each: each.call.op):
        by_export.setdefault(each.export, []).append(each)
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
            progress(f"{what}: {done} of {len(tries)}")
            yield from ((each, outcome) for each in group)
        groups = parts


def _divided(group: Sequence[Try]) -> list[Sequence[Try]]:
    """Those that an exporter may well refuse one by one, and the others together; else two halves."""
    doubtful = [each for each in group if not each.specs and not _has_rule(each)]
    others = [each for each in group if each not in doubtful]
    if doubtful:
        return [*([each] for each in doubtful), *([others] if others else [])]
    middle = len(group) // 2
    return [group[:middle], group[middle:]]


def _has_rule(one: Try) -> bool:
    """Whether the TorchScript exporter has a rule: what it lacks, the dynamo exporter may lack, too."""
    return torchops.has_symbolic(one.call.op, one.export.opset)


def _together(group: Sequence[Try]) -> Outcome:
    call = together([each.call.call() for each in group])
    specs = tuple(dict.fromkeys(text for each in group for text in each.specs))
    export = group[0].export
    return trial.tried(call, export.exporter, export.opset, trial.Rules(specs=specs))
