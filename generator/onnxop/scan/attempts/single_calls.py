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
from ..calls.recorded_calls import RecordedCall
from ..model.exports import Export, Progress

_TOGETHER = 32  # calls in one model
_RESULT = re.compile(r"\boutput (\d+): ")
"""In a difference of several calls: the result, counted through the calls in order."""


@dataclass(frozen=True)
class Attempt:
    """A call, its export, and the rules of the export beside PyTorch's own."""

    call: RecordedCall
    export: Export
    rules: trial.Rules = trial.STOCK


def try_each(
    attempts: Sequence[Attempt],
    progress: Progress,
    label: str,
    named: Collection[str] = (),
    written: Collection[Export] = (),
) -> Iterator[tuple[Attempt, Outcome]]:
    """Yield each attempt with its outcome, in order of suspicion, those first of the operators that
    an error has ``named``. In the exports by which the whole model is ``written``, each operator
    has a rule.

    An export costs more than the calls in it, and most calls pass. So export many calls as one
    model, and divide it where it fails. Calls for which an exporter has no rule are not tried again
    with other arguments.
    """
    done = 0
    without_rule: dict[object, Outcome] = {}
    for rank, ranked in enumerate(_rank_by_suspicion(attempts, named, written)):
        like_before = [attempt for attempt in ranked if _rule_key(attempt) in without_rule]
        untried = [attempt for attempt in ranked if attempt not in like_before]
        groups = _group_by_export(untried, 1 if rank == 0 else _TOGETHER)
        done += len(like_before)
        yield from ((attempt, without_rule[_rule_key(attempt)]) for attempt in like_before)
        while groups:
            parts: list[Sequence[Attempt]] = []
            for index, outcome in trial.run_works([partial(_try_group, group) for group in groups]):
                group = groups[index]
                if len(group) > 1 and outcome.kind != "right":
                    parts += _split_group(group, outcome)
                    continue
                if outcome.has_no_rule and group[0].call.op in dict(outcome.named):
                    without_rule[_rule_key(group[0])] = outcome
                done += len(group)
                progress(f"{label}: {done} of {len(attempts)}")
                yield from ((attempt, outcome) for attempt in group)
            groups = parts


def passing_attempts(
    attempts: Collection[Attempt], progress: Progress, label: str
) -> Iterator[Attempt]:
    """Yield the attempts that pass."""
    for attempt, outcome in try_each([*attempts], progress, label):
        if outcome.is_right:
            yield attempt


def _rule_key(attempt: Attempt) -> object:
    """Return what decides whether an exporter has a rule for a call."""
    dtypes = tuple(tensor.dtype for tensor in attempt.call.as_model_call().tensors)
    return attempt.call.op, attempt.call.overload_name, dtypes, attempt.export, attempt.rules


def _rank_by_suspicion(
    attempts: Sequence[Attempt], named: Collection[str], written: Collection[Export]
) -> list[list[Attempt]]:
    """Return the attempts in the order of suspicion: one call of each operator that an error names
    or that has no rule; the other calls of these; those that the gallery has a spec for, as an
    exporter may be wrong there; the others.
    """
    ranks: list[list[Attempt]] = [[], [], [], []]
    seen: set[object] = set()
    for attempt in attempts:
        op = attempt.call.op
        key = op, attempt.call.overload_name, attempt.export, attempt.rules
        if op in named or not (attempt.export in written or _may_have_rule(attempt)):
            rank = 1 if key in seen else 0
            seen.add(key)
        else:
            rank = 2 if gallery.find(op, attempt.call.overload_name) else 3
        ranks[rank].append(attempt)
    return ranks


def _may_have_rule(attempt: Attempt) -> bool:
    """Return whether the exporter may have a rule for a call. The dynamo exporter may decompose any
    operator.
    """
    if attempt.rules.specs or attempt.export.exporter == "dynamo":
        return True
    return torchops.has_symbolic(attempt.call.op, attempt.export.opset)


def _group_by_export(attempts: Sequence[Attempt], count: int) -> list[Sequence[Attempt]]:
    """Return the attempts in groups of one export, with so many each."""
    by_export: dict[Export, list[Attempt]] = {}
    for attempt in sorted(attempts, key=lambda attempt: attempt.call.op):
        by_export.setdefault(attempt.export, []).append(attempt)
    groups: list[Sequence[Attempt]] = []
    for attempts_of_export in by_export.values():
        groups += [
            attempts_of_export[at : at + count] for at in range(0, len(attempts_of_export), count)
        ]
    return groups


def _split_group(group: Sequence[Attempt], outcome: Outcome) -> list[Sequence[Attempt]]:
    """Return two parts: the calls that the outcome blames, and the others; or two halves."""
    blamed = _blamed_calls(group, outcome)
    if 0 < len(blamed) < len(group):
        return [blamed, [attempt for attempt in group if attempt not in blamed]]
    middle = len(group) // 2
    return [group[:middle], group[middle:]]


def _blamed_calls(group: Sequence[Attempt], outcome: Outcome) -> list[Attempt]:
    """Return the calls of the operators that an outcome names, or the one whose result it tells."""
    named = dict(outcome.named)
    if named:
        return [attempt for attempt in group if attempt.call.op in named]
    told = _RESULT.search(outcome.why)
    if told is None:
        return []
    index = int(told[1])
    for attempt in group:
        count = len(attempt.call.as_model_call().results())
        if index < count:
            return [attempt]
        index -= count
    return []


def _try_group(group: Sequence[Attempt]) -> Outcome:
    call = together([attempt.call.as_model_call() for attempt in group])
    specs = tuple(dict.fromkeys(text for attempt in group for text in attempt.rules.specs))
    rules = replace(group[0].rules, specs=specs)
    export = group[0].export
    return trial.try_export(call, export.exporter, export.opset, rules)
