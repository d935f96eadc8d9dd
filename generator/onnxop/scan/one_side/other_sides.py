"""Conditions and numbers that a trace keeps → inputs for which they are others, and what the
exported model gives there.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain

import torch

from ...trial import places
from ...trial.call import Call
from ...trial.outcome import Outcome
from ...trial.places import Place
from ...trial.trial import RUNTIME, STOCK, Rules
from ..attempts import whole_model
from ..calls import reads
from ..model.exports import Export, Progress
from ..model.target import Target
from ..report.report import KeptLines, Report
from ..source import number_conditions
from ..source.rewrites import has_no_results
from . import taken_sides, wording

_SECONDS = 10.0  # to look for inputs
_MOST = 2  # inputs to try
_SPECIAL_VALUES = re.compile(r"nan|isinf|isfinite")  # in the code of a condition

Tensors = tuple[torch.Tensor, ...]
Change = Callable[[torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class ModelOutcomes:
    """What is known after exports of the whole model.

    Attributes:
        outcomes: those of the exports.
        target: the model, with inputs of sizes beyond those that torch.export allows, if an export
            has told them.
        kept: what `torch.jit.trace` keeps, at other sizes, too, if a file of it is right.
    """

    outcomes: dict[Export, Outcome]
    target: Target
    kept: KeptLines


def try_model(
    target: Target,
    kept: KeptLines,
    exports: Sequence[Export],
    progress: Progress,
    rules: Rules,
    right_at_own_sizes: Collection[Export] = (),
) -> ModelOutcomes:
    """Export the whole model by these rules; try right exports by `torch.jit.trace` as
    `try_other_sides` does. Those that are ``right_at_own_sizes`` are tried with dynamic dimensions
    alone.
    """
    outcomes = whole_model.try_exports(
        target, exports, progress, rules, right_at_own_sizes=right_at_own_sizes
    )
    target = target.with_known(outcomes.values())
    return try_other_sides(target, kept, outcomes, progress, rules)


def try_other_sides(
    target: Target,
    kept: KeptLines,
    outcomes: Mapping[Export, Outcome],
    progress: Progress,
    rules: Rules = STOCK,
) -> ModelOutcomes:
    """Try the exports by `torch.jit.trace` that are right by these rules, or by the runtime's, with
    inputs that reach another side of a condition, if there are some.
    """
    tried = dict(outcomes)
    traced = _traced(outcomes)
    if traced:
        kept = kept.with_places(_read_at_other_sizes(target, kept.places))
    reached: dict[Place, None] = {}
    for export in traced:
        own_rules = RUNTIME if outcomes[export].is_by_runtime else rules
        sides = _at_other_sides(target, kept.places, export, progress, own_rules)
        tried[export] = sides.failure or outcomes[export]
        reached |= dict.fromkeys(sides.reached)
    return ModelOutcomes(tried, target, replace(kept, reached=tuple(reached)))


def _traced(by_export: Mapping[Export, Outcome]) -> list[Export]:
    """Return the exports by `torch.jit.trace` that are right."""
    return [e for e, out in by_export.items() if out.is_right and e.exporter == "TorchScript"]


@dataclass(frozen=True)
class _OtherSides:
    """What an export by `torch.jit.trace` gives for inputs that reach another side of conditions.

    Attributes:
        failure: its outcome, if the file is wrong for such inputs.
        reached: else the conditions of which these take another side.
    """

    failure: Outcome | None = None
    reached: tuple[Place, ...] = ()


def _at_other_sides(
    target: Target, kept: Sequence[Place], export: Export, progress: Progress, rules: Rules
) -> _OtherSides:
    """Try an export by `torch.jit.trace` with inputs, of the first and of other sizes, that reach
    another side of a condition, if there are some.
    """
    if not kept:
        return _OtherSides()
    progress("looking for inputs for which the trace would keep something else")
    reached: dict[Place, None] = {}
    for call in (target.call("TorchScript"), target.dynamic("TorchScript")):
        inputs = _reaching(call, kept) if call else ()
        if not call or not inputs:
            continue
        others = replace(target, args=call.args, kwargs=call.kwargs, values=inputs, sizes=())
        outcome = whole_model.try_exports(others, [export], progress, rules)[export]
        if not outcome.is_right:
            why = f"{outcome.why}; these values {wording.kept_otherwise(kept)}"
            return _OtherSides(replace(outcome, kind="example", why=why, fault="branch"))
        reached |= dict.fromkeys(taken_sides.taken_differently(call, kept, inputs))
    return _OtherSides(None, tuple(reached))


def one_sided_conditions(report: Report) -> list[Place]:
    """Return the kept conditions of which no inputs that are tried take another side, where no file
    of the TorchScript exporter is right, of which these are tried. No inputs that are tried have
    a NaN or an infinity, for which a condition may ask.
    """
    target = report.target
    lines = ((place, places.code_of(*place.innermost)) for place in report.kept.places)
    kept = [place for place, code in lines if not _SPECIAL_VALUES.search(code)]
    if not kept or _traced(report.whole):
        return []
    call = target.call("TorchScript")
    sets = chain(target.values, target.sizes, _candidates(call))
    return taken_sides.never_taken_differently(call, kept, sets, _SECONDS)


def _read_at_other_sizes(target: Target, kept: Sequence[Place]) -> list[Place]:
    """Return the lines at which Python reads values of tensors at other sizes alone, and that are
    not known to be kept: conditions and numbers of which a trace at these sizes keeps one.
    """
    first, other = target.call("TorchScript"), target.dynamic("TorchScript")
    if other is None or first.is_program:
        return []
    try:
        lines_at_other = _lines_of_reads(other)
        lines_at_first = _lines_of_reads(first) if lines_at_other else []
    except Exception:  # noqa: BLE001 - of the user's model
        return []
    found_before = {str(place) for place in (*lines_at_first, *kept)}
    new = [line for line in _each_once(lines_at_other) if str(line) not in found_before]
    with_results = [line for line in new if not has_no_results(line)]
    # The conditions on a number that is read at one of these lines may be known lines.
    return [
        line
        for line in number_conditions.conditions_in_place_of_numbers(with_results)
        if str(line) not in found_before
    ]


def _each_once(lines: Iterable[Place]) -> Iterable[Place]:
    return {str(line): line for line in lines}.values()


def _lines_of_reads(call: Call) -> list[Place]:
    """Return the lines at which Python reads values of tensors. Raises the model's errors."""
    return [read.line for read in reads.of_run(call)]


def _reaching(call: Call, kept: Sequence[Place]) -> tuple[Tensors, ...]:
    """Return inputs with which PyTorch runs other code of the files that have the conditions, or
    else reads other numbers there.
    """
    code, numbers = _decided(call, kept)
    seen = [(code, numbers)]
    end = time.monotonic() + _SECONDS
    of_code: list[Tensors] = []
    of_numbers: list[Tensors] = []
    for tensors in _candidates(call):
        if len(of_code) == _MOST or time.monotonic() > end:
            break
        with suppress(Exception):  # of the user's model
            decided = _decided(call.with_tensors(tensors), kept)
            if decided not in seen:
                is_of_code = decided[0] not in [code for code, _ in seen]
                (of_code if is_of_code else of_numbers).append(tensors)
                seen.append(decided)
    return (*of_code, *of_numbers)[:_MOST]


def _decided(call: Call, kept: Sequence[Place]) -> tuple[set[tuple[str, int, int]], list[str]]:
    """Return what the call runs of the files with the kept conditions, and the numbers that it
    reads at these lines, or for them. Raises the model's errors.
    """
    at = {place.innermost for place in kept}
    numbers = [
        read.value
        for read in reads.of_run(call)
        if not read.is_condition and not at.isdisjoint(_deciding(read.place))
    ]
    return places.parts_run(call.returned, at), numbers


def _deciding(place: Place) -> list[tuple[str, int]]:
    """Return a line that reads a number, and the lines of the conditions on it."""
    lines = [place, *number_conditions.conditions_on(place)]
    return [line.innermost for line in lines]


def _candidates(call: Call) -> Iterator[Tensors]:
    """Yield other values of all tensors, and of each alone."""
    tensors = call.tensors
    for change in CHANGES:
        changed = [changed_by(tensor, change) for tensor in tensors]
        yield tuple(changed)
        if len(tensors) > 1:
            for at in range(len(tensors)):
                yield (*tensors[:at], changed[at], *tensors[at + 1 :])


def changed_by(tensor: torch.Tensor, change: Change) -> torch.Tensor:
    if tensor.dtype == torch.bool:
        return ~tensor
    changed: torch.Tensor = change(tensor.detach()).to(tensor.dtype)
    return changed


CHANGES: tuple[Change, ...] = (
    torch.zeros_like,
    torch.neg,
    lambda tensor: tensor * 0 + tensor.flatten()[0] if tensor.numel() else tensor,
    lambda tensor: tensor.abs(),
    lambda tensor: -tensor.abs(),
    lambda tensor: tensor * 100,
    lambda tensor: tensor / 100,
    torch.ones_like,
    lambda tensor: tensor / 2,
)
"""Values that often reach another side: none, equal, of one sign, large, small and halved ones."""
