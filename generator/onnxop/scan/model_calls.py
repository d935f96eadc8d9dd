"""A model → the operator calls that each exporter sees in it, and where it sees none, the reason."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from onnxop_runtime import processes
from onnxop_runtime.torch_internals import TracerWarning

from ..trial.outcome import first_error
from ..trial.places import Place
from . import calls, notes, traces
from .calls import Recorded
from .report import TRACERS, Progress
from .target import Target


@dataclass
class TracedModel:
    """A model as the exporters' tracers see it.

    Attributes:
        calls: the calls that each exporter sees; of an exporter that refuses the model, those that
            the other one sees.
        constants: the warnings of `torch.jit.trace` by the lines at which it makes values
            constants.
        errors: the errors of the exporters that refuse the model.
        stops: the lines at which the traces of these stop.
    """

    calls: dict[str, list[Recorded]] = field(default_factory=dict)
    constants: dict[Place, str] = field(default_factory=dict)
    errors: dict[str, Exception] = field(default_factory=dict)
    stops: dict[str, Place] = field(default_factory=dict)


def trace_model(target: Target, progress: Progress) -> TracedModel:
    """Trace the model as each exporter does."""
    traced = TracedModel()
    for exporter, function in TRACERS.items():
        progress(f"tracing the model with {function}")
        with processes.quiet(), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                recorded = _recorded(target, exporter)
                traced.calls[exporter] = joined(recorded, traced.calls.values())
            except Exception as error:  # noqa: BLE001 - of the user's model, or of the exporter
                traced.errors[exporter] = first_error(error)
                place = notes.stops_at(traced.errors[exporter])
                if place:
                    traced.stops[exporter] = place
        of_trace = [warning for warning in warned if issubclass(warning.category, TracerWarning)]
        lines = [(warning.filename, warning.lineno, str(warning.message)) for warning in of_trace]
        traced.constants.update(notes.lines_of(lines))
    for exporter in traced.errors:
        others = [traced.calls[other] for other in TRACERS if other not in traced.errors]
        traced.calls[exporter] = others[0] if others else []
    return traced


def calls_at_several_inputs(
    target: Target, exporter: str, dynamic_stops: dict[str, Place] | None = None
) -> list[Recorded]:
    """Return the calls that an exporter sees, each with its arguments at other sizes and values;
    none if it refuses other sizes. Add the line at which it does to ``dynamic_stops``.
    """
    try:
        with processes.quiet():
            return _recorded(target, exporter, at_several_inputs=True)
    except Exception as error:  # noqa: BLE001 - exporters raise anything
        place = notes.stops_at(first_error(error))
    if place is not None and dynamic_stops is not None:
        dynamic_stops[exporter] = place
    return []


def joined(recorded: Sequence[Recorded], seen: Iterable[Sequence[Recorded]]) -> list[Recorded]:
    """Return the calls, with equal ones of the other exporter as one object, which has all
    outcomes.
    """
    known = {call.key: call for other in seen for call in other}
    joined_calls = []
    for call in recorded:
        first = known.setdefault(call.key, call)
        first.use(call.used)
        if call.others and not first.others:  # of other exporters, arguments may have other names
            first.args, first.kwargs, first.fixed = call.args, call.kwargs, call.fixed
            first.others = call.others
        joined_calls.append(first)
    return list(dict.fromkeys(joined_calls))


def _recorded(target: Target, exporter: str, *, at_several_inputs: bool = False) -> list[Recorded]:
    """Return the calls that an exporter sees, with arguments for other inputs, too. Raise its
    errors.
    """
    # Of a program, the exported graph alone knows the user's lines.
    exporter = "dynamo" if target.is_program else exporter
    call = replace(target.call(exporter), others=())
    call = call.spare() or call  # a trace may leave tensors of its own in the model
    record = traces.traced if exporter == "TorchScript" else calls.exported
    if not at_several_inputs:
        return record(call, ())
    dynamic = target.dynamic(exporter)
    sets = (call.tensors, *target.sizes, *target.values)
    return record(replace(dynamic, model=call.model) if dynamic else call, sets)
