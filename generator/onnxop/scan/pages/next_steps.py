"""A report → what to do next: the call that writes a right file, or what blocks it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from onnxop_runtime.messages import join_words
from onnxop_runtime.operator import registry

from ...trial.call import format_arguments
from ...trial.outcome import Outcome, indented
from ..model.exports import Export
from ..one_side import data_conditions
from ..remedies.packaged import BuiltPackage
from ..report.failed_export import FailedExport, failed_exports
from ..report.report import Report
from . import blocking, export_calls, specs_left


@dataclass(frozen=True)
class _EndedScan:
    """A scan that has ended: its report, the package that was built, and the folder of the specs."""

    report: Report
    package: BuiltPackage | None
    folder: Path | None


def steps(scanned: Report, package: BuiltPackage | None, folder: Path | None) -> Iterator[str]:
    """Yield the lines of the last paragraph: what to do, the call or command for it, and what it
    gives.
    """
    ended = _EndedScan(scanned, package, folder)
    if scanned.stopped:
        yield from _untried(scanned)
    yield from _leave_training_mode(scanned)
    told = (lines for step in _STEPS if (lines := [*step(ended)]))
    yield from next(told, ())


def _export_by_pytorch(ended: _EndedScan) -> Iterator[str]:
    """Yield the call of PyTorch's export, if that is right as a user would call it."""
    scanned = ended.report
    outcomes = scanned.whole
    right = [export for export in scanned.right_exports if not outcomes[export].stopped]
    plain = [export for export in right if not outcomes[export].how]
    if plain:
        yield from _by_pytorch(scanned, plain[0])


def _export_by_package(ended: _EndedScan) -> Iterator[str]:
    """Yield the call of the package's export, if a package was built and has the model right."""
    scanned, package = ended.report, ended.package
    if package is None:
        return
    right = [export for export, outcome in package.whole.items() if outcome.is_right]
    if not right:
        return
    export = right[0]
    instead = {name: f"{package.name}.{op}" for name, op in package.replaced.items()}
    needs_runtime = instead or export_calls.has_export_only(scanned)
    modules = f"onnxop_runtime and {package.name}" if needs_runtime else package.name
    yield f"Next: import {modules}, and export with"
    yield from export_calls.of_package(
        scanned, export, package.whole[export], package.name, instead
    )
    yield indented(f"You get {_file(package.whole[export])}.", "")
    yield from export_calls.beside_right(scanned, export, package.whole[export], is_stock=False)


def _export_in_another_way(ended: _EndedScan) -> Iterator[str]:
    """Yield the call of the first right export, in the way in which it is right."""
    scanned = ended.report
    if not scanned.right_exports:
        return
    export = scanned.right_exports[0]
    if not scanned.whole[export].is_by_runtime:
        yield from _by_pytorch(scanned, export)
        return
    yield "Next: import onnxop_runtime, and export with"
    yield from export_calls.of_runtime(scanned, export)
    yield from _what_you_get(scanned, export)


def _mend_the_build(ended: _EndedScan) -> Iterator[str]:
    """Yield that the package could not be built."""
    if ended.report.build_failure:
        yield "Next: mend what keeps the package from being built, as told above, and scan again."


def _build_a_package(ended: _EndedScan) -> Iterator[str]:
    """Yield the command that builds a package of the specs with which the model is right."""
    scanned = ended.report
    right = [export for export, outcome in scanned.with_specs.items() if outcome.is_right]
    if not right or ended.package is not None:
        return
    trust = " --trust" if scanned.target.name.endswith(".pt2") else ""
    yield "Next: build a package of the specs with"
    yield f"  onnxop scan {scanned.target.name}{trust} --write {ended.folder or 'specs'} --build"
    yield f"It exports this model right ({right[0]})."


def _write_the_specs(ended: _EndedScan) -> Iterator[str]:
    """Yield the options that write the specs which may help."""
    scanned = ended.report
    is_new = ended.package is None and ended.folder is None
    if (
        not is_new
        or not specs_left.has_specs(scanned)
        or all(map(scanned.is_blocked, scanned.whole))
    ):
        return
    is_unfinished = specs_left.kinds_to_write(scanned) == {"unfinished"}
    skeletons = " and kernel skeletons to complete" if is_unfinished else ""
    yield (
        f"Next: scan with --write DIR to write the specs{skeletons}, or with --build to build a "
        "package of them"
    )
    remaining = blocking.lines(scanned)
    if remaining:
        yield "Remaining, which no spec mends:"
    yield from _causes(remaining)


def _scan_again(ended: _EndedScan) -> Iterator[str]:
    """Yield that a stopped scan, which knows no cause, needs more time."""
    if ended.report.stopped and not blocking.lines(ended.report):
        yield "Next: scan again, with more time."


def _change_the_model(ended: _EndedScan) -> Iterator[str]:
    """Yield what blocks a right file, and what is left to do on the specs; the outcomes where
    neither is known.
    """
    scanned, package = ended.report, ended.package
    remaining = [*blocking.lines(scanned), *specs_left.skeletons_of_package(package)]
    on_specs = "" if package else specs_left.next_step(scanned, ended.folder)
    if not remaining and not on_specs:
        remaining = blocking.outcomes(scanned.whole, "")
        if package:
            remaining = blocking.outcomes(package.whole, ", with the package")
    if remaining:
        yield "Next: change what blocks a right file:"
        yield from _causes(remaining)
    if on_specs:
        yield indented(f"{'Then' if remaining else 'Next:'} {on_specs}.", "")
    yield from _for_one_size(scanned)


_STEPS: tuple[Callable[[_EndedScan], Iterator[str]], ...] = (
    _export_by_pytorch,
    _export_by_package,
    _export_in_another_way,
    _mend_the_build,
    _build_a_package,
    _write_the_specs,
    _scan_again,
    _change_the_model,
)
"""What to do, the shortest first; a step that does not apply yields nothing."""


def _untried(scanned: Report) -> Iterator[str]:
    """Yield what a stopped scan did not try."""
    if not scanned.whole:
        yield f"Stopped by {scanned.stopped}, before the whole model was exported."
        return
    tried = sum(not scanned.whole[export].is_right for _, export in scanned.alone.outcomes)
    if scanned.alone.count:
        yield (
            f"Stopped by {scanned.stopped}: of {scanned.alone.count} calls to try alone, {tried} "
            "were tried."
        )
    else:
        yield f"Stopped by {scanned.stopped}, before single calls were tried."
    if not scanned.traced.calls:
        yield "Not looked for: conditions of which a file keeps one side."
    yield "Not tried: remedies that are not named above."


def _leave_training_mode(scanned: Report) -> Iterator[str]:
    """Yield that the model is to leave training mode, if its results are random in it."""
    kinds = scanned.target.kinds_in_training
    is_random = any(outcome.kind == "random" for outcome in scanned.whole.values())
    if kinds and is_random:
        text = (
            "First: return model.eval(), and scan again, unless the exported file is to draw the "
            f"random numbers of {join_words(kinds)}, too."
        )
        yield indented(text, "")


def _by_pytorch(scanned: Report, export: Export) -> Iterator[str]:
    """Yield the call of PyTorch's own export, and what it gives."""
    yield "Next: export with"
    yield from export_calls.of_pytorch(scanned, export)
    yield from _what_you_get(scanned, export)


def _what_you_get(scanned: Report, export: Export) -> Iterator[str]:
    """Yield sentences on the file of an export without a package."""
    file = _file(scanned.whole[export])
    registered = _registered_rules(scanned)
    if registered:
        yield indented(
            f"You get {file}, in a process that has the rules which the model's module registers: "
            f"{join_words(registered)}.",
            "",
        )
    else:
        yield indented(f"You get {file}; no package is needed.", "")
    outcome = scanned.whole[export]
    is_stock = not outcome.is_by_runtime
    yield from export_calls.beside_right(scanned, export, outcome, is_stock=is_stock)


def _file(outcome: Outcome) -> str:
    """Describe the file of a right export."""
    file = "a file that is right for the inputs above"
    if outcome.kind == "random":
        file += " except for random results"
    if outcome.numbers:
        file += f", with {outcome.further_inputs}"
    return f"{file}, as long as {outcome.equal_sizes}" if outcome.equal else file


def _registered_rules(scanned: Report) -> list[str]:
    """Return the operators of the model, each with the package of its rule, where the model's
    module has registered one: exports use it, as they do in the user's process.
    """
    called = {call.op for calls in scanned.traced.calls.values() for call in calls}
    # The first operator of a target has precedence, as in exports.
    rules = {
        target: operator.package.name
        for operator in reversed(registry.operators())
        for target in operator.targets
    }
    return [f"{op} ({rules[op]})" for op in sorted(called & rules.keys())]


def _causes(lines: list[str]) -> Iterator[str]:
    yield from (indented(line, "  ", "      ") for line in lines)


def _for_one_size(scanned: Report) -> Iterator[str]:
    """Yield the call of an export that is right for the sizes of the example inputs, or for all
    within the bounds of torch.export's program, where other sizes alone fail.
    """
    of_sizes = [
        failed
        for failed in failed_exports(scanned, scanned.whole)
        if failed.outcome.is_of_sizes and not data_conditions.may_be_cause(failed)
    ]
    if not of_sizes:
        return
    within_bounds = (failed for failed in of_sizes if _fails_beyond_bounds_alone(failed))
    bounded = next(within_bounds, None)
    export = bounded.export if bounded else of_sizes[0].export
    sizes = format_arguments(scanned.target.call(export.exporter).tensors, {})
    condition = f"no other sizes than {sizes}"
    if bounded:
        condition = f"no sizes such as {format_arguments(bounded.outcome.inputs, {})}"
    yield indented(f"Or, if the model gets {condition}, export with", "")
    yield from export_calls.of_pytorch(scanned, export)
    if bounded:
        yield from export_calls.beside_right(scanned, export, bounded.outcome)


def _fails_beyond_bounds_alone(failed: FailedExport) -> bool:
    """Return whether a file is right for all sizes that were tried within the bounds of
    torch.export's program: those beyond them are tried last.
    """
    outcome = failed.outcome
    beyond = outcome.beyond or failed.report.target.beyond or ()
    shapes = [[tensor.shape for tensor in tensors] for tensors in beyond]
    return bool(outcome.inputs) and [tensor.shape for tensor in outcome.inputs] in shapes
