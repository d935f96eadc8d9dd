"""The calls of a model → what becomes of each, alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ..trial import trial
from ..trial.call import together
from ..trial.outcome import Outcome
from .calls import Recorded
from .report import Export, Progress

_TOGETHER = 32  # calls in one model


def unlike(
    asked: Mapping[Export, Sequence[Recorded]], progress: Progress
) -> Iterator[tuple[Export, Recorded, Outcome]]:
    """The calls that are not plainly right, alone. Most are, and an export takes longer than the calls in it: so
    they are tried many in one model, which is halved where it is not right.
    """
    jobs: list[tuple[Export, Sequence[Recorded]]] = []
    for export, recorded in asked.items():
        by_op = sorted(recorded, key=lambda call: call.op)
        jobs += [(export, by_op[at : at + _TOGETHER]) for at in range(0, len(by_op), _TOGETHER)]
    total, done = sum(map(len, asked.values())), 0
    while jobs:
        halves: list[tuple[Export, Sequence[Recorded]]] = []
        works = [partial(_together, many, export) for export, many in jobs]
        for place, outcome in trial.outcomes(works):
            export, many = jobs[place]
            if len(many) > 1 and outcome.kind != "right":
                middle = len(many) // 2
                halves += [(export, many[:middle]), (export, many[middle:])]
                continue
            done += len(many)
            progress(f"{done} of {total} calls: {export}, {many[-1].op}")
            if outcome.kind != "right":
                yield export, many[0], outcome
        jobs = halves


def _together(many: Sequence[Recorded], export: Export) -> Outcome:
    call = together([each.call() for each in many])
    return trial.tried(call, export.exporter, export.opset)
