"""A model → the operator calls that each exporter sees in it, and where it sees none, the reason."""

from __future__ import annotations

import traceback
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from onnxop_runtime import processes
from onnxop_runtime.torch_internals import TracerWarning

from ...trial import places
from ...trial.call import Untied
from ...trial.outcome import first_error
from ...trial.places import Place
from ..model.exports import TRACERS, Progress
from ..model.target import Target
from . import recorded_calls, traces
from .recorded_calls import RecordedCall

CallsByExporter = Mapping[str, Sequence[RecordedCall]]


@dataclass(frozen=True)
class TracedModel:
    """A model as the exporters' tracers see it.

    Attributes:
        calls: the calls that each exporter sees; of an exporter that refuses the model, or that is
            left out, those that the other one sees.
        constants: the warnings of `torch.jit.trace` by the lines at which it makes values
            constants.
        errors: the errors of the exporters that refuse the model.
        stops: the lines at which the traces of these stop.
    """

    calls: Mapping[str, list[RecordedCall]] = field(default_factory=dict)
    constants: Mapping[Place, str] = field(default_factory=dict)
    errors: Mapping[str, Exception] = field(default_factory=dict)
    stops: Mapping[str, Place] = field(default_factory=dict)

    @property
    def unreadable_exporters(self) -> set[str]:
        """The exporters that may take the model: scan cannot read their graphs."""
        errors = self.errors.items()
        return {name for name, error in errors if isinstance(error, NotImplementedError)}

    @property
    def has_scripted_code(self) -> bool:
        """Whether the trace of `torch.jit.trace` has scripted code."""
        return "TorchScript" in self.unreadable_exporters

    def calls_of(self, op: str) -> list[RecordedCall]:
        """Return the calls of an operator."""
        return [call for calls in self.calls.values() for call in calls if call.op == op]


def trace_model(target: Target, progress: Progress, left_out: Collection[str] = ()) -> TracedModel:
    """Trace the model as each exporter does, except those that are left out."""
    recorded: dict[str, list[RecordedCall]] = {}
    constants: dict[Place, str] = {}
    errors: dict[str, Exception] = {}
    tracers = {name: function for name, function in TRACERS.items() if name not in left_out}
    for exporter, function in tracers.items():
        progress(f"tracing the model with {function}")
        with processes.quiet(), warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            try:
                recorded[exporter] = _recorded(target, exporter)
            except Exception as error:  # noqa: BLE001 - of the user's model, or of the exporter
                errors[exporter] = first_error(error)
        of_trace = [warning for warning in warned if issubclass(warning.category, TracerWarning)]
        lines = [(warning.filename, warning.lineno, str(warning.message)) for warning in of_trace]
        constants.update(lines_of(lines))
    (calls,) = merge_calls(recorded)
    others = next(iter(calls.values()), [])
    calls |= {exporter: others for exporter in TRACERS if exporter not in recorded}
    lines_of_stops = {exporter: stops_at(error) for exporter, error in errors.items()}
    stops = {exporter: place for exporter, place in lines_of_stops.items() if place}
    return TracedModel(calls, constants, errors, stops)


def calls_at_several_inputs(
    target: Target, exporter: str
) -> tuple[list[RecordedCall], Place | None]:
    """Return the calls that an exporter sees, each with its arguments at other sizes and values; or
    none, and the line at which it refuses other sizes.
    """
    try:
        with processes.quiet():
            return _recorded(target, exporter, at_several_inputs=True), None
    except Exception as error:  # noqa: BLE001 - exporters raise anything
        return [], stops_at(first_error(error))


def merge_calls(*groups: CallsByExporter) -> list[dict[str, list[RecordedCall]]]:
    """Return the groups of calls, with equal calls, of whichever exporter and group, as one object,
    which has the outcomes of all.
    """
    equal: dict[tuple[str, ...], list[RecordedCall]] = {}
    for group in groups:
        for call in chain.from_iterable(group.values()):
            equal.setdefault(call.key, []).append(call)
    merged = {key: _merged_call(calls) for key, calls in equal.items()}
    return [
        {
            name: [*dict.fromkeys(merged[call.key] for call in calls)]
            for name, calls in group.items()
        }
        for group in groups
    ]


def _merged_call(calls: Sequence[RecordedCall]) -> RecordedCall:
    """Return equal calls as one: the first, with the results that any of them uses, and with the
    arguments for other inputs of the first that has some.
    """
    merged = replace(calls[0])
    for call in calls[1:]:
        merged.use(call.used)
    with_others = next((call for call in calls if call.others), None)
    if with_others is None:
        return merged
    # Its own arguments, too: of other exporters, arguments may have other names.
    own = with_others
    return replace(merged, args=own.args, kwargs=own.kwargs, fixed=own.fixed, others=own.others)


def stops_at(error: Exception) -> Place | None:
    """Return the line, the user's or a library's, at which an exporter's trace stops."""
    frames = traceback.extract_tb(error.__traceback__)
    place = places.of_asking([(frame.filename, frame.lineno or 0) for frame in frames])
    return place or places.of_stack(str(error))


def lines_of(warned: Iterable[tuple[str, int, str]]) -> Iterator[tuple[Place, str]]:
    """Yield the lines, the user's or a library's, of warnings (file, line, text), with the texts."""
    for file, line, text in warned:
        if places.is_changeable(file):
            yield Place(file, line, ""), text


def _recorded(
    target: Target, exporter: str, *, at_several_inputs: bool = False
) -> list[RecordedCall]:
    """Return the calls that an exporter sees, with arguments for other inputs, too. Raise its
    errors.
    """
    # Of a program, the exported graph alone knows the user's lines.
    exporter = "dynamo" if target.is_program else exporter
    call = replace(target.call(exporter), others=())
    call = call.spare() or call  # a trace may leave tensors of its own in the model
    record_calls = (
        traces.calls_in_trace if exporter == "TorchScript" else recorded_calls.calls_in_program
    )
    if not at_several_inputs:
        return record_calls(call, ())
    dynamic = target.dynamic(exporter)
    sizes = [tensors for tensors in target.sizes if not isinstance(tensors, Untied)]
    sets = (call.tensors, *sizes, *target.values)
    return record_calls(replace(dynamic, model=call.model) if dynamic else call, sets)
