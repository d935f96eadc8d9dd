"""A model → the outcome of each export of it: as its owner calls the exporter, and where that is
refused, in other ways.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import torch

from onnxop_runtime import processes

from ...trial import trial
from ...trial.call import Call, Without, differing_dims, format_arguments
from ...trial.outcome import WAYS, WORDS, Outcome, Way
from ..calls import traces
from ..model.exports import TRACERS, Export, Progress
from ..model.target import Target

_LIMITS = processes.Limits(seconds=1800.0)
_BOUND = 24
"""The seconds of CPU of an export with dynamic dimensions, while another exporter's file is right."""
_GRADIENT_WORDS = "grad", "differentiat"  # in errors that torch.no_grad may take away

_OTHER_WAYS: tuple[Way, ...] = ("no_grad", "tensors", "results", "dynamic")
"""The ways to call an exporter that refuses a plain call, in the order in which they are tried."""

ExportStep = Callable[[Target, Export, trial.Rules, Outcome], Outcome]
"""Exports a model by rules, of which the former outcome is known, and returns the new one."""


def try_exports(
    target: Target,
    exports: Sequence[Export],
    progress: Progress,
    rules: trial.Rules = trial.STOCK,
    right_at_own_sizes: Collection[Export] = (),
) -> dict[Export, Outcome]:
    """Return the outcome of each export, as `try_each_export` finds it."""
    outcomes = dict(try_each_export(target, exports, progress, rules, right_at_own_sizes))
    return {export: outcomes[export] for export in exports}  # in the order of the request


def try_each_export(
    target: Target,
    exports: Sequence[Export],
    progress: Progress,
    rules: trial.Rules = trial.STOCK,
    right_at_own_sizes: Collection[Export] = (),
) -> Iterator[tuple[Export, Outcome]]:
    """Try the model in each export, where that is refused, in other ways, and where it passes, with
    dynamic dimensions. Yield each outcome as soon as it is known; one that is known better later,
    again. Rules beside PyTorch's own are tried without the code that the model runs in exports
    alone. Exports that are ``right_at_own_sizes`` by other rules are tried with dynamic dimensions
    at once.
    """
    former_outcomes = dict.fromkeys(right_at_own_sizes, Outcome("right"))
    model = _ModelExports(target, rules, progress, former_outcomes)
    yield from former_outcomes.items()
    yield from model.export_plainly([export for export in exports if export not in former_outcomes])
    yield from model.export_in_other_ways(exports)
    yield from model.export_at_other_sizes(exports)
    yield from model.begin_afresh(exports)


def try_runtime(
    target: Target, progress: Progress, outcomes: Mapping[Export, Outcome]
) -> dict[Export, Outcome]:
    """Try `onnxop_runtime.export` where no export of PyTorch alone is right. Return the outcomes,
    those replaced that are right by it.
    """
    if any(outcome.is_right for outcome in outcomes.values()):
        return {**outcomes}
    wrong = [export for export, outcome in outcomes.items() if _may_be_mended(export, outcome)]
    model = _ModelExports(target, trial.RUNTIME, progress, outcomes)
    tried = dict(model.run_step(wrong, WAYS["runtime"], _export_by_runtime))
    return {**outcomes, **tried, **dict(model.begin_afresh(wrong))}


def resume_stopped(
    target: Target, progress: Progress, outcomes: Mapping[Export, Outcome]
) -> dict[Export, Outcome]:
    """Return the outcomes, those replaced of exports that were stopped at a bound of CPU, if no
    other export is right at other sizes any more.
    """
    model = _ModelExports(target, trial.STOCK, progress, outcomes)
    return {**outcomes, **dict(model.resume_stopped())}


class _ModelExports:
    """Exports of a model by the same rules, and their last ``outcomes``, which each step replaces."""

    def __init__(
        self,
        target: Target,
        rules: trial.Rules,
        progress: Progress,
        outcomes: Mapping[Export, Outcome],
    ) -> None:
        is_stock = rules == trial.STOCK
        self._target = target
        self._rules = rules if is_stock else replace(rules, is_eager=bool(target.export_only))
        self._progress = progress
        self._outcomes = dict(outcomes)

    def export_plainly(self, exports: Sequence[Export]) -> Iterator[tuple[Export, Outcome]]:
        """Call the exporters as the model's owner does, at its own sizes."""
        yield from self.run_step(exports, "", _export_plainly)

    def export_in_other_ways(self, exports: Sequence[Export]) -> Iterator[tuple[Export, Outcome]]:
        """Try the exports that refuse a plain call in each way that may help."""
        for way in _OTHER_WAYS:
            refused = [e for e in exports if way in _ways(self._target, e, self._outcomes[e])]
            yield from self.run_step(refused, WAYS[way], partial(_export_in_way, way=way))

    def export_at_other_sizes(self, exports: Sequence[Export]) -> Iterator[tuple[Export, Outcome]]:
        """Try the right exports with dynamic dimensions, if PyTorch takes other sizes."""
        right = [e for e in exports if self._outcomes[e].is_right and self._target.sizes]
        right = [export for export in right if self._outcomes[export].how != "dynamic"]
        awaiting = {export: replace(self._outcomes[export], awaits_sizes=True) for export in right}
        self._outcomes |= awaiting
        yield from awaiting.items()
        for exporter in TRACERS:  # torch.export's program, which has bounds of sizes, serves both
            self._target = self._target.with_known(self._outcomes.values())
            of_exporter = [export for export in right if export.exporter == exporter]
            yield from self._export_dynamic(of_exporter, self._right_exporter_beside(exporter))
        yield from self.resume_stopped()

    def resume_stopped(self) -> Iterator[tuple[Export, Outcome]]:
        """Try the exports again without a bound of CPU that were stopped at one, if none of the
        others is right at other sizes.
        """
        if any(map(_is_right_at_other_sizes, self._outcomes.values())):
            return
        stopped = {e: outcome for e, outcome in self._outcomes.items() if outcome.stopped}
        resumed = {export: replace(outcome, stopped="") for export, outcome in stopped.items()}
        self._outcomes |= resumed
        yield from resumed.items()
        yield from self._export_dynamic([*resumed])

    def _right_exporter_beside(self, exporter: str) -> str:
        """Return another exporter that has a right file, as far as is known, or ``""``."""
        others = (
            export.exporter
            for export, outcome in self._outcomes.items()
            if export.exporter != exporter and outcome.is_right and not outcome.stopped
        )
        return next(others, "")

    def _export_dynamic(
        self, exports: Sequence[Export], right_exporter: str = ""
    ) -> Iterator[tuple[Export, Outcome]]:
        """Try the exports with dynamic dimensions. If another exporter has a right file, each takes
        at most `_BOUND` seconds of CPU, and one that took half as long without them is not tried.
        """
        before = dict(self._outcomes)
        slow = [e for e in exports if right_exporter and before[e].cpu_seconds > _BOUND / 2]
        for export in slow:
            fact = f"the first ones took {before[export].cpu_seconds:.0f} s"
            yield export, self._stop(export, before[export], fact, right_exporter)
        quick = [export for export in exports if export not in slow]
        limits = replace(_LIMITS, cpu_seconds=_BOUND) if right_exporter else _LIMITS
        step = self.run_step(quick, " with dynamic dimensions", _export_dynamic, limits)
        for export, outcome in step:
            if outcome.fault == "cpu_time":
                fact = f"stopped after {_BOUND} s"
                outcome = self._stop(export, before[export], fact, right_exporter)
            yield export, outcome

    def _stop(self, export: Export, former: Outcome, fact: str, right_exporter: str) -> Outcome:
        """Put the former outcome of an export in its place again, with why it takes too much CPU
        with dynamic dimensions, and what waits for it.
        """
        why = (
            f"{fact} of CPU, and the {right_exporter} exporter's file is right; "
            f"--exporter {export.exporter} waits for it"
        )
        outcome = self._outcomes[export] = replace(former, stopped=why)
        return outcome

    def begin_afresh(self, exports: Sequence[Export]) -> Iterator[tuple[Export, Outcome]]:
        """Compare the files by `torch.jit.trace`, which are right for the model after the export,
        with the first call of a fresh model: they begin with what the exporter's own call leaves in
        its buffers.
        """
        written = self._target.written
        if not written.later_difference:
            return  # the results do not depend on them
        fact = (
            f"the file begins with what the exporter's own call left in {written}, so a fresh "
            f"model's first call differs: {written.later_difference}"
        )
        for export in exports:
            if export.exporter == "TorchScript" and self._outcomes[export].is_right:
                former = self._outcomes[export]
                self._outcomes[export] = replace(former, kind="values", why=fact, fault="buffers")
                yield export, self._outcomes[export]

    def run_step(
        self,
        exports: Sequence[Export],
        label: str,
        step: ExportStep,
        limits: processes.Limits = _LIMITS,
    ) -> Iterator[tuple[Export, Outcome]]:
        """Do a step for these exports, each in a process that has not run the model yet."""
        if not exports:
            return
        self._progress(f"exporting the whole model{label}: {', '.join(map(str, exports))}")
        target = self._target
        start = trial.run_works if target.process is None else target.process.run_works
        works = [
            partial(
                _timed,
                step,
                target,
                export,
                self._rules,
                self._outcomes.get(export, Outcome("right")),
            )
            for export in exports
        ]
        for index, outcome in start(works, limits):
            export = exports[index]
            self._outcomes[export] = outcome
            yield export, outcome
            self._progress(f"exported the whole model{label}: {export}")


def _timed(
    step: ExportStep, target: Target, export: Export, rules: trial.Rules, former: Outcome
) -> Outcome:
    """Do a step, and put the time of the processor that it takes into its outcome."""
    start = time.process_time()
    outcome = step(target, export, rules, former)
    return replace(outcome, cpu_seconds=time.process_time() - start)


def _is_right_at_other_sizes(outcome: Outcome) -> bool:
    return outcome.is_right and not outcome.awaits_sizes and not outcome.equal


def _export_plainly(
    target: Target, export: Export, rules: trial.Rules, _former: Outcome
) -> Outcome:
    return trial.try_export(target.call(export.exporter), export.exporter, export.opset, rules)


def _ways(target: Target, export: Export, outcome: Outcome) -> Iterator[Way]:
    """Yield other ways to call the exporter that may help a model which it refuses."""
    if not outcome.is_refused or outcome.is_of_model or target.is_program:
        return
    if _is_of_gradients(outcome):
        yield "no_grad"
    call = target.call(export.exporter)
    is_plain = all(isinstance(value, torch.Tensor) for value in call.args) and not call.kwargs
    if not is_plain and not (outcome.has_no_rule or outcome.is_of_data_condition):
        yield "tensors"
    if traces.CONSTANT_RESULT in outcome.why:
        yield "results"
    if "INTERNAL ASSERT" in outcome.why and target.sizes and target.axes:
        yield "dynamic"  # PyTorch's inference of shapes has failed at a size of the example


def _export_in_way(
    target: Target, export: Export, rules: trial.Rules, former: Outcome, *, way: Way
) -> Outcome:
    """Return the outcome of the export in another way, or the former one if that changes nothing."""
    if way == "results":
        return _without_constants(target, export, rules, former)
    if way == "dynamic":
        return _with_dynamic_dimensions(target, export, rules, former)
    call = call_in_way(Outcome("right", how=way), target.call(export.exporter))
    outcome = trial.try_export(call, export.exporter, export.opset, rules)
    is_known = way == "tensors" or _is_of_gradients(outcome)
    if outcome.is_refused and is_known:
        return former
    return replace(outcome, how=way, refused=former.why)


def _may_be_mended(export: Export, outcome: Outcome) -> bool:
    """Return whether `onnxop_runtime.export` may be right without specs where PyTorch's own export
    is not.
    """
    if outcome.has_no_rule or outcome.is_of_model or outcome.is_of_buffers or outcome.how:
        return False
    if export.exporter == "TorchScript":
        return True
    # What torch.export refuses, or makes a constant, it does under `onnxop_runtime.export`, too.
    return not (outcome.is_refused or outcome.is_specialised)


def _export_by_runtime(
    target: Target, export: Export, rules: trial.Rules, former: Outcome
) -> Outcome:
    """Return the outcome of `onnxop_runtime.export`, or the former one if that is not right at all
    sizes.
    """
    outcome = Outcome("right")
    if not former.is_of_sizes:
        call = _with_failing_inputs(target.call(export.exporter), former)
        outcome = trial.try_export(call, export.exporter, export.opset, rules)
    if outcome.is_right and target.sizes:
        outcome = _export_dynamic(target, export, rules, outcome)
    return replace(outcome, how="runtime", refused=str(former)) if outcome.is_right else former


def _with_failing_inputs(call: Call, former: Outcome) -> Call:
    """Return the call with the inputs first for which the former file fails, if only values differ."""
    if not former.inputs or differing_dims(call.tensors, former.inputs):
        return call
    return replace(call, others=(former.inputs, *call.others))


def _is_of_gradients(outcome: Outcome) -> bool:
    return any(word in outcome.why for word in _GRADIENT_WORDS)


def _without_constants(
    target: Target, export: Export, rules: trial.Rules, former: Outcome
) -> Outcome:
    """Return the outcome of the model without the results that depend on no input, or the former
    one if that is refused.
    """
    call = target.call(export.exporter)
    dropped = traces.constant_results(call)
    if not dropped or len(dropped) == len(call.returned()):
        return former
    way = Outcome("right", how="results", dropped=tuple(dropped))
    outcome = trial.try_export(call_in_way(way, call), export.exporter, export.opset, rules)
    if outcome.is_refused:
        return former
    return replace(outcome, how="results", refused=former.why, dropped=way.dropped)


def _with_dynamic_dimensions(
    target: Target, export: Export, rules: trial.Rules, former: Outcome
) -> Outcome:
    """Return the outcome of the export with dynamic dimensions, or the former one if that is not
    right.
    """
    call = target.dynamic(export.exporter)
    assert call is not None
    outcome = trial.try_export(call, export.exporter, export.opset, rules)
    return replace(outcome, how="dynamic", refused=former.why) if outcome.is_right else former


def call_in_way(outcome: Outcome, call: Call) -> Call:
    """Return the call in the way that an outcome names."""
    if outcome.dropped:
        call = replace(call, model=Without(call.model, outcome.dropped), known=(), exact=())
    is_as_written = outcome.how not in ("tensors", "results")
    is_no_grad = outcome.how == "no_grad"
    return replace(call, is_no_grad=is_no_grad, is_as_written=is_as_written)


def _export_dynamic(target: Target, export: Export, rules: trial.Rules, former: Outcome) -> Outcome:
    """Return the outcome with dynamic dimensions, or the former one if that is right, too."""
    former = replace(former, awaits_sizes=False)
    call = target.dynamic(export.exporter)
    assert call is not None
    if rules != trial.STOCK:  # no export at its own sizes may have been compared for these values
        call = replace(call, others=(*call.others, *target.values))
    call = call_in_way(former, call) if former.how else call
    outcome = trial.try_export(call, export.exporter, export.opset, rules)
    if outcome.kind == "right":
        return replace(former, beyond=outcome.beyond, equal=outcome.equal, exact=outcome.exact)
    outcome = replace(outcome, how=former.how, refused=former.refused, dropped=former.dropped)
    if outcome.is_right:
        return outcome
    return right_for_example_only(outcome, f" from {format_arguments(call.tensors, {})}")


def right_for_example_only(outcome: Outcome, how: str = "") -> Outcome:
    """Return the outcome of a call that passes at its own sizes and fails with dynamic dimensions."""
    fact = ", " if outcome.fails_for_others else f": {WORDS[outcome.kind]}: "
    why = f"exported{how} with dynamic dimensions{fact}{outcome.why}"
    then = outcome.then if outcome.fails_for_others else outcome.kind
    return replace(outcome, kind="example", why=why, fault=outcome.fault or "sizes", then=then)
