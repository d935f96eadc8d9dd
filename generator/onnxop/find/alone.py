"""The calls of a model → what becomes of each, alone."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from . import forks, trial
from .calls import Recorded
from .report import Export, Progress
from .trial import Outcome

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
        for place, outcome in outcomes(works):
            export, many = jobs[place]
            is_settled = len(many) == 1 or outcome.kind == "right"
            if not is_settled:
                middle = len(many) // 2
                halves += [(export, many[:middle]), (export, many[middle:])]
                continue
            done += len(many)
            progress(f"{done} of {total} calls: {export}, {many[-1].op}")
            if outcome.kind != "right":
                yield export, many[0], outcome
        jobs = halves


def _together(many: Sequence[Recorded], export: Export) -> Outcome:
    call = trial.together([each.call() for each in many])
    return trial.tried(call, export.exporter, export.opset)


def outcomes(
    works: Sequence[Callable[[], Any]], seconds: float = forks.SECONDS
) -> Iterator[tuple[int, Outcome]]:
    """What became of each piece of work, by its place, as they come."""
    for place, answer in forks.each(works, seconds=seconds, at_once=os.cpu_count() or 1):
        yield place, trial.outcome(answer)
