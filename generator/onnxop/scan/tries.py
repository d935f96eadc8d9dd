"""Calls of a model → the outcome of exporting each one alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ..find import gallery, torchops
from ..trial import trial
from ..trial.call import together
from ..trial.outcome import Outcome
from .calls import Recorded
from .report import Export, Progress

_TOGETHER = 32  # calls in one model


@dataclass(frozen=True)
class Try:
    """A call, its export, and the rules of the export beside PyTorch's own."""

    call: Recorded
    export: Export
    rules: trial.Rules = trial.STOCK


def try_each(
    tries: Sequence[Try], progress: Progress, label: str, named: Collection[str] = ()
) -> Iterator[tuple[Try, Outcome]]:
    """Yield each try with its outcome, in order of suspicion, those first of the operators that an
    error has ``named``.

    An export costs more than the calls in it, and most calls pass. So export many calls as one
    model, and divide it where it fails.
    """
    ranked: dict[int, list[Try]] = {}
    for job in tries:
        ranked.setdefault(_rank(job, named), []).append(job)
    done = 0
    for rank in sorted(ranked):
        groups = _grouped(ranked[rank], 1 if rank == 0 else _TOGETHER)
        while groups:
            parts: list[Sequence[Try]] = []
            for index, outcome in trial.run_works([partial(_together, group) for group in groups]):
                group = groups[index]
                if len(group) > 1 and outcome.kind != "right":
                    parts += _divided(group)
                    continue
                done += len(group)
                progress(f"{label}: {done} of {len(tries)}")
                yield from ((job, outcome) for job in group)
            groups = parts


def _rank(job: Try, named: Collection[str]) -> int:
    """Return how early to try a call: 0 for one that an error names or that has no rule, 1 for one
    that the gallery has a spec for, as an exporter may be wrong there, 2 for the others.
    """
    op, overload = job.call.op, job.call.overload_name
    if op in named or not (job.rules.specs or torchops.has_symbolic(op, job.export.opset)):
        return 0
    return 1 if gallery.find(op, overload) else 2


def _grouped(tries: Sequence[Try], count: int) -> list[Sequence[Try]]:
    """Return the tries in groups of one export, with so many each."""
    by_export: dict[Export, list[Try]] = {}
    for job in sorted(tries, key=lambda job: job.call.op):
        by_export.setdefault(job.export, []).append(job)
    groups: list[Sequence[Try]] = []
    for alike in by_export.values():
        groups += [alike[at : at + count] for at in range(0, len(alike), count)]
    return groups


def _divided(group: Sequence[Try]) -> list[Sequence[Try]]:
    """Return two halves."""
    middle = len(group) // 2
    return [group[:middle], group[middle:]]


def _together(group: Sequence[Try]) -> Outcome:
    call = together([job.call.call() for job in group])
    specs = tuple(dict.fromkeys(text for job in group for text in job.rules.specs))
    rules = replace(group[0].rules, specs=specs)
    export = group[0].export
    return trial.try_export(call, export.exporter, export.opset, rules)
