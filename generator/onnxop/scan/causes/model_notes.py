"""A report → notes on the whole model: its training mode, code for exports alone, rules of few digits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from onnxop_runtime.messages import join_words
from onnxop_runtime.torch_internals import schema_of

from ...trial.trial import IS_IN_EXPORT
from ..calls.recorded_calls import RecordedCall
from ..report.cause import Note
from ..report.report import Report
from .facts import FACTS


def of_training(report: Report, kinds: Sequence[str]) -> list[Note]:
    """Return a note on the modules in training mode, where the exported model differs or is random."""
    if not kinds or all(out.kind in ("right", "order") for out in report.whole.values()):
        return []
    text = (
        f"The model is in training mode, which changes the results of {join_words(kinds)}. "
        "Return model.eval()"
    )
    return [Note(text)]


def of_inexact(report: Report) -> list[Note]:
    """Return notes on the calls without a finding that an exporter's own rule computes wrongly for
    few values.
    """
    wrong = {(finding.op, export) for finding in report.findings for export in finding.outcomes}
    notes: list[Note] = []
    for op, fact in FACTS["inexact"].items():
        written = [
            export
            for export in report.whole
            if export.exporter in fact["exporters"] and not report.is_stopped(export)
        ]
        exports = [export for export in written if (op, export) not in wrong]
        calls = chain(*(report.traced.calls[export.exporter] for export in exports))
        inexact = [call for call in calls if call.op == op and _is_inexact(call, fact)]
        lines = dict.fromkeys(place.with_code for call in inexact for place in call.places)
        if lines:
            exporters = join_words(map(str, exports))
            text = f"{exporters}: {op} ({join_words(lines)}) is {fact['text']}"
            notes.append(Note(text, tuple(exports)))
    return notes


def _is_inexact(call: RecordedCall, fact: Mapping[str, Any]) -> bool:
    """Return whether a fact on the rule of an operator is about its call: about floats, or about
    integers that PyTorch divides with a rounding mode.
    """
    name = schema_of(call.overload).overload_name
    is_of_overload = name in fact.get("overloads", [name])
    return is_of_overload and _has_floats(call) == ("floats" in fact)


def _has_floats(call: RecordedCall) -> bool:
    """Return whether a tensor or a number among the call's arguments is a float: by a number that is
    one, PyTorch computes with integers in floats, too.
    """
    is_number = any(isinstance(argument, float) for argument in call.args)
    return is_number or "float" in call.inputs


def of_export_only(report: Report) -> list[Note]:
    """Return a note on the lines that the model runs in exports alone, with other results."""
    lines = report.target.export_only
    if not lines:
        return []
    shown = join_words(line.with_code for line in lines)
    text = (
        "Where torch.onnx.is_in_onnx_export() is true, as in exports, the model gives other "
        f"results in PyTorch itself, as it then runs {shown}. To export what it runs else, "
        f'export in this block: with onnxop_runtime.replaced({{"{IS_IN_EXPORT}": lambda: False}})'
    )
    return [Note(text)]


def of_numbers(report: Report) -> list[Note]:
    """Return a note on the numbers of which files have inputs that each run has to be given."""
    outcomes = [outcome for outcome in report.whole.values() if outcome.numbers]
    if not outcomes:
        return []
    names = outcomes[0].numbers
    pronoun = "it a constant" if len(names) == 1 else "them constants"
    attribute = "an attribute" if len(names) == 1 else "attributes"
    text = (
        f"The file of the TorchScript exporter has {outcomes[0].further_inputs}, which each run has to "
        f"be given: the exporter makes inputs of numbers, those of forward's defaults, too. "
        f"onnxop_runtime.export(..., dynamo=False) makes {pronoun}; so does {attribute} of the model "
        "in place of the argument"
    )
    return [Note(text)]
