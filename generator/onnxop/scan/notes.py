"""What a scan tells in sentences, beside its findings."""

from __future__ import annotations

import traceback
from collections.abc import Iterator, Mapping, Sequence

from ..errors import listed
from ..find import gallery
from ..trial import places
from ..trial.call import is_empty
from ..trial.outcome import NO_TENSORS, Outcome, named, said
from ..trial.places import Place
from .report import TAKES, Export, Finding, Report


def note_untaken(report: Report, failed: Mapping[str, Exception]) -> None:
    """Says which exporters could not be asked for the calls; where that is why they do not export the
    model, that no spec helps.
    """
    for exporter, error in failed.items():
        own = {e: outcome for e, outcome in report.whole.items() if e.exporter == exporter}
        if not own:
            continue
        is_final = not isinstance(error, NotImplementedError)
        refusal = f"{TAKES[exporter]} does not take the model"
        other = next(name for name in TAKES if name != exporter)
        instead = f"; the calls that {TAKES[other]} sees are tried instead" * (other not in failed)
        told = (
            refusal
            if is_final
            else f"What {TAKES[exporter]} makes of the model cannot be looked into"
        )
        why = f"{said(error)}{_where(error)}" if is_final else str(error)
        note = f"{told}{instead}: {why.rstrip('.')}."
        if is_final and not any(outcome.is_right for outcome in own.values()):
            report.whole |= dict.fromkeys(own, Outcome("export", refusal))
            if op := _computed(report, exporter, said(error)):
                report.notes.append(f"{note} It takes what the gallery's spec makes of {op}.")
                continue
            report.untaken[exporter] = refusal
            is_way = any(o.is_right for e, o in report.whole.items() if e.exporter == other)
            way = f", or take the {other} exporter, in which it is right" * is_way
            what = "there" if _place(error) else "or what it is given"
            note += f" No spec helps with that: change the model {what}{way}."
        report.notes.append(note)


def _computed(report: Report, exporter: str, why: str) -> str:
    """An operator that is not taken for the same reason, and that the gallery's spec computes."""
    return next(
        (
            finding.op
            for finding in report.findings
            for export, outcome in finding.outcomes.items()
            if export.exporter == exporter and outcome.why == why and gallery.has_kernel(finding.op)
        ),
        "",
    )


def _place(error: BaseException) -> Place | None:
    """The line of the user's, or of a library's, that it comes from, or that it tells of."""
    frames = traceback.extract_tb(error.__traceback__)
    inner = [frame for frame in frames if not places.is_own(frame.filename)]
    place = places.of_frames([(frame.filename, frame.lineno or 0) for frame in inner])
    return place or places.of_stack(str(error))


def _where(error: BaseException) -> str:
    place = _place(error)
    return f", at {_line(place)}" if place else ""


def _line(place: Place) -> str:
    return f"{place}: {place.code}" + f" (through {place.through})" * bool(place.through)


def note_empty(report: Report) -> None:
    """A call that the model gives no values, and that is not right alone, is a finding where the exporter
    names it. Otherwise what becomes of it with values is not known, which is said.
    """
    left_out: list[Finding] = []
    for finding in report.findings:
        asked = [op for e in finding.outcomes for op, _ in named(report.whole[e])]
        if finding.op not in asked and is_empty(finding.call.call()):
            left_out.append(finding)
    report.findings = [finding for finding in report.findings if finding not in left_out]
    exports = {e for finding in left_out for e in finding.outcomes if not report.whole[e].is_right}
    known = {finding.op for finding in report.findings}
    told = [f for f in left_out if exports & f.outcomes.keys() and f.op not in known]
    if told:
        ops = [f"{f.op}{_lines(f.call.places)}" for f in told]
        report.notes.append(
            f"With these inputs, the model gives {listed(list(dict.fromkeys(ops)))} nothing to compute "
            "with: what becomes of it with values is not known; try other inputs."
        )


def _lines(found: Sequence[Place]) -> str:
    lines = "; ".join(dict.fromkeys(_line(place) for place in found))
    return f" ({lines})" if lines else ""


def note_training(report: Report, kinds: Sequence[str]) -> None:
    """Says which kinds of modules are in training mode, where what an exporter writes is not the same, or
    is random.
    """
    if kinds and any(each.kind not in ("right", "order") for each in report.whole.values()):
        report.notes.append(
            f"The model is in training mode, in which {listed(kinds)} is not what an exporter writes: "
            "return model.eval()."
        )


def frozen(found: Mapping[Export, Outcome]) -> Iterator[str]:
    """A sentence on the lines that a trace of the model keeps as these inputs have them."""
    for kept in dict.fromkeys(outcome.frozen for outcome in found.values() if outcome.frozen):
        yield (
            f"torch.jit.trace keeps for all inputs what the values of these decide{_lines(kept)}: what the "
            "TorchScript exporter writes may be wrong for others. Compute it with tensors, as "
            "torch.where does, or take the dynamo exporter and torch.cond; leave out what is a check "
            "alone."
        )


def leave_out(report: Report, export: Export) -> None:
    """What is not right alone, in an export in which the whole model is, is none of the user's affair."""
    wrong = [finding for finding in report.findings if finding.outcomes.pop(export, None)]
    here = " for these values" * (report.whole[export].kind == "frozen")
    report.findings = [finding for finding in report.findings if finding.outcomes]
    if wrong:
        ops = listed(list(dict.fromkeys(finding.op for finding in wrong)))
        report.notes.append(
            f"{export}: the model is right{here}. A call of {ops} is not, alone: nothing to mend."
        )


def unlike_alone(report: Report, found: Mapping[Export, Outcome]) -> Iterator[str]:
    """A sentence for each export that is refused, or not right, though no call is so alone: with the
    lines of the operator that the refusal names.
    """
    for export, outcome in found.items():
        told = {f.op for f in report.findings if export in f.outcomes}
        asked = [op for op, _ in named(outcome)]
        calls = [call for call in report.calls if call.op in asked and call.op not in told]
        orders = [call for call, how in report.loose.get(export, []) if how.kind == "order"]
        if calls:
            where = _lines([place for call in calls for place in call.places])
            yield (
                f"{export}: {calls[0].op}{where} is right alone, where sizes are numbers, and refused in "
                "the model, where they may be computed of others. Give it numbers, as in int(x.shape[0])."
            )
        elif orders and outcome.kind == "values":
            what = [f"{call.op}{_lines(call.places)}" for call in orders]
            yield (
                f"{export}: the values say little, as each runtime orders equal ones in its own way, and "
                f"{listed(list(dict.fromkeys(what)))} is given some. Try trained weights, or other inputs."
            )
        elif not (told or outcome.is_right_here or outcome.frozen or _gives_none(outcome)):
            yield (
                f"{export}: each call is right alone, and the model is not. Look for conditions and sizes "
                "that depend on values, and for orders of equal values, as in sorting."
            )


def _gives_none(outcome: Outcome) -> bool:
    return outcome.why.startswith(NO_TENSORS)
