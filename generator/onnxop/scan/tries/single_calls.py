"""Calls of a model → the outcome of exporting each one alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from ...find import gallery, torchops
from ...trial import trial
from ...trial.call import together
from ...trial.outcome import Outcome
from ..calls.recorded_calls import Recorded
from ..model.exports import Export, Progress

_TOGETHER = 32  # calls in one model
_RESULT = re.compile(r"\boutput (\d+): ")
"""In a difference of several calls: the result, counted through the calls in order."""


@dataclass(frozen=True)
class Try:
    """A call, its export, and the rules of the export beside PyTorch's own."""

    call: Recorded
    export: Export
    rules: trial.Rules = trial.STOCK


def try_each(
    tries: Sequence[Try],
    progress: Progress,
    label: str,
    named: Collection[str] = (),
    written: Collection[Export] = (),
) -> Iterator[tuple[Try, Outcome]]:
    """Yield each try with its outcome, in order of suspicion, those first of the operators that an
    error has ``named``. In the exports by which the whole model is ``written``, each operator has a
    rule.

    An export costs more than the calls in it, and most calls pass. So export many calls as one
    model, and divide it where it fails. Calls for which an exporter has no rule are not tried again
    with other arguments.
    """
    done = 0
    known: dict[object, Outcome] = {}
    for rank, ranked in enumerate(_ranked(tries, named, written)):
        told = [job for job in ranked if _key(job) in known]
        groups = _grouped([job for job in ranked if job not in told], 1 if rank == 0 else _TOGETHER)
        done += len(told)
        yield from ((job, known[_key(job)]) for job in told)
        while groups:
            parts: list[Sequence[Try]] = []
            for index, outcome in trial.run_works([partial(_together, group) for group in groups]):
                group = groups[index]
                if len(group) > 1 and outcome.kind != "right":
                    parts += _divided(group, outcome)
                    continue
                if outcome.has_no_rule and group[0].call.op in dict(outcome.named):
                    known[_key(group[0])] = outcome
                done += len(group)
                progress(f"{label}: {done} of {len(tries)}")
                yield from ((job, outcome) for job in group)
            groups = parts


def passing(tries: Collection[Try], progress: Progress, label: str) -> Iterator[Try]:
    """Yield the tries that pass."""
    for job, outcome in try_each([*tries], progress, label):
        if outcome.is_right:
            yield job


def _key(job: Try) -> object:
    """Return what decides whether an exporter has a rule for a call."""
    dtypes = tuple(tensor.dtype for tensor in job.call.call().tensors)
    return job.call.op, job.call.overload_name, dtypes, job.export, job.rules


def _ranked(
    tries: Sequence[Try], named: Collection[str], written: Collection[Export]
) -> list[list[Try]]:
    """Return the tries in the order of suspicion: one call of each operator that an error names or
    that has no rule; the other calls of these; those that the gallery has a spec for, as an
    exporter may be wrong there; the others.
    """
    ranks: list[list[Try]] = [[], [], [], []]
    seen: set[object] = set()
    for job in tries:
        op, key = job.call.op, (job.call.op, job.call.overload_name, job.export, job.rules)
        if op in named or not (job.export in written or _may_have_rule(job)):
            rank = 1 if key in seen else 0
            seen.add(key)
        else:
            rank = 2 if gallery.find(op, job.call.overload_name) else 3
        ranks[rank].append(job)
    return ranks


def _may_have_rule(job: Try) -> bool:
    """Return whether the exporter may have a rule for a call. The dynamo exporter may decompose any
    operator.
    """
    if job.rules.specs or job.export.exporter == "dynamo":
        return True
    return torchops.has_symbolic(job.call.op, job.export.opset)


def _grouped(tries: Sequence[Try], count: int) -> list[Sequence[Try]]:
    """Return the tries in groups of one export, with so many each."""
    by_export: dict[Export, list[Try]] = {}
    for job in sorted(tries, key=lambda job: job.call.op):
        by_export.setdefault(job.export, []).append(job)
    groups: list[Sequence[Try]] = []
    for alike in by_export.values():
        groups += [alike[at : at + count] for at in range(0, len(alike), count)]
    return groups


def _divided(group: Sequence[Try], outcome: Outcome) -> list[Sequence[Try]]:
    """Return two parts: the calls that the outcome blames, and the others; or two halves."""
    blamed = _blamed(group, outcome)
    if 0 < len(blamed) < len(group):
        return [blamed, [job for job in group if job not in blamed]]
    middle = len(group) // 2
    return [group[:middle], group[middle:]]


def _blamed(group: Sequence[Try], outcome: Outcome) -> list[Try]:
    """Return the calls of the operators that an outcome names, or the one whose result it tells."""
    named = dict(outcome.named)
    if named:
        return [job for job in group if job.call.op in named]
    told = _RESULT.search(outcome.why)
    if told is None:
        return []
    index = int(told[1])
    for job in group:
        count = len(job.call.call().results())
        if index < count:
            return [job]
        index -= count
    return []


def _together(group: Sequence[Try]) -> Outcome:
    call = together([job.call.call() for job in group])
    specs = tuple(dict.fromkeys(text for job in group for text in job.rules.specs))
    rules = replace(group[0].rules, specs=specs)
    export = group[0].export
    return trial.try_export(call, export.exporter, export.opset, rules)
