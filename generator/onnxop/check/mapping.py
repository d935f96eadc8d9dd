"""A spec's mapping, traced on its samples → its problems: wrong types and shapes, and calls that it
refuses.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache

from onnxop_runtime.mapping import MappingError, checking, language
from onnxop_runtime.mapping import opsets as runtime_opsets
from onnxop_runtime.mapping.checking import Result
from onnxop_runtime.mapping.opsets import Opsets, ends
from onnxop_runtime.mapping.placeholders import Value
from onnxop_runtime.mapping.problems import span_of
from onnxop_runtime.mapping.sample_model import Mapped, SampleModel
from onnxop_runtime.specs import mapping_text
from onnxop_runtime.specs.op_schema import OpSchema

from ..spec.draft import Draft
from ..spec.model import LEFT_OUT, Spec
from ..spec.onnx_table import check_can_be_node
from .calls import ComparedCall, calls_with_none, changed_calls, enlarged_calls, values_of


@dataclass(frozen=True)
class CallTrace:
    """A call, and the mapping's models of it by opset, with the dtypes and sizes of its results.

    There are no models if the mapping is wrong, or if there is none.
    """

    call: ComparedCall
    models: Mapping[int, SampleModel] = field(default_factory=dict)
    results: Sequence[Result | None] = ()


def trace(
    draft: Draft, calls: Sequence[ComparedCall], *, is_run: bool
) -> tuple[Draft, list[CallTrace]]:
    """Trace the mapping on calls, and add its problems. Return the draft with the element types of
    its results, and the traces.

    ``is_run``: trace further calls, too, on which the values will be compared.
    """
    traces = [CallTrace(call) for call in calls]
    text, schema = draft.document.onnx.mapping, draft.schema
    if schema is None or not draft.is_valid("onnx", "samples"):
        return draft, traces
    if text is not None:
        mapping = _mapped(text, draft.mapping.opset, schema, dynamo=draft.mapping.dynamo)
        try:
            traces, types = _traced(draft, schema, mapping, calls, is_run=is_run)
        except MappingError as error:
            _add(draft, text, mapping, error)
        else:
            draft = replace(draft, mapping=replace(draft.mapping, element_types=types))
    check_can_be_node(draft)
    return draft, traces


def _add(draft: Draft, text: str, mapping: Mapped, error: MappingError) -> None:
    """Add the problems of an error, by default at the mapping's last line."""
    *_, last = ends(mapping.to_onnx.tree)
    for problem in error.at(span_of(last.value or last)).problems:
        mapping_text.add(draft.problems, text, problem)


def _traced(
    draft: Draft,
    schema: OpSchema,
    mapping: Mapped,
    calls: Sequence[ComparedCall],
    *,
    is_run: bool,
) -> tuple[list[CallTrace], tuple[str, ...]]:
    """Return the traces, and the element types of the results. Raise MappingError with all
    problems.
    """
    remedy = "change the mapping, or write [[samples]]"
    if draft.document.samples:
        remedy = "change the mapping, or the sample"
    traces = _traces(mapping, schema, calls, remedy)
    models = [trace.models[mapping.opset] for trace in traces]
    if not calls:
        return traces, _element_types(models)
    first = values_of(calls[0].sample, schema)
    never_none = _never_none(calls, schema)
    models += _with_inverted_flags(mapping, schema, first)
    _check_none(mapping, first, never_none)
    if is_run:
        further = [*enlarged_calls(calls), *calls_with_none(calls[0], never_none)]
        for call in changed_calls(calls, schema):
            if _supports(mapping, values_of(call.sample, schema)):
                further.append(call)
        traces += _traces(mapping, schema, further, remedy)
    return traces, _element_types(models)


def _traces(
    mapping: Mapped, schema: OpSchema, calls: Sequence[ComparedCall], remedy: str
) -> list[CallTrace]:
    """Return the traces of calls. Raise MappingError for those that the mapping or ONNX refuses."""
    values = {call.name: values_of(call.sample, schema) for call in calls}
    checked = checking.check(mapping, values, remedy=remedy)
    rows = zip(calls, checked.models, checked.results, strict=True)
    return [CallTrace(call, models, results) for call, models, results in rows]


def _never_none(calls: Sequence[ComparedCall], schema: OpSchema) -> list[str]:
    """Return the optional arguments that no sample leaves at None."""
    values = [values_of(call.sample, schema) for call in calls]
    optional = [argument.name for argument in schema.caller_arguments if argument.is_optional]
    return [name for name in optional if all(row[name] is not None for row in values)]


def _with_inverted_flags(
    mapping: Mapped, schema: OpSchema, values: Mapping[str, object]
) -> Iterator[SampleModel]:
    """Yield the models of a call with each boolean argument inverted in turn, if the mapping takes
    it.
    """
    for argument in schema.caller_arguments:
        if argument.base_type == "bool" and not argument.is_list:
            inverted = {**values, argument.name: not values[argument.name]}
            with suppress(MappingError):
                yield mapping.model(mapping.opset, inverted)


def _check_none(mapping: Mapped, values: Mapping[str, object], names: Sequence[str]) -> None:
    """Raise MappingError if one of these arguments cannot be None in the mapping."""
    for name in names:
        try:
            mapping.model(mapping.opset, {**values, name: None})
        except MappingError as error:
            remedy = f"write {name} if {name} is not None else 0.0, for example"
            raise MappingError(
                replace(problem, fact=f"{name} may be None, where {problem.fact}", remedy=remedy)
                for problem in error.problems
            ) from None


def _supports(mapping: Mapped, values: Mapping[str, object]) -> bool:
    """Return whether the mapping supports the call."""
    with suppress(MappingError):
        return bool(mapping.model(mapping.opset, values))
    return False


def _element_types(models: Sequence[SampleModel]) -> tuple[str, ...]:
    """Return the element types of the results; "" for one that differs between models."""
    rows = [[_element_type(value) for value in model.values] for model in models]
    if not rows or len({len(row) for row in rows}) > 1:
        return ()
    columns = zip(*rows, strict=True)
    return tuple(column[0] if len({*column}) == 1 else "" for column in columns)


def _element_type(value: Value | None) -> str:
    if value is None:
        return LEFT_OUT
    if value.element_type is None:
        return ""
    if isinstance(value.element_type, Value):
        return f"like {value.element_type.raw.name.partition('[')[0]}"
    return str(value.element_type)


def mapped(spec: Spec) -> Mapped:
    """Return the mapping of a checked spec, as the runtime takes it."""
    return _mapped(spec.mapping.text, spec.mapping.opset, spec.schema, dynamo=spec.mapping.dynamo)


@lru_cache(maxsize=1024)  # callers often ask for the opsets of a checked mapping
def _mapped(text: str, opset: int, schema: OpSchema, *, dynamo: bool) -> Mapped:
    result_count = None if schema.returns_list else len(schema.results)
    function = language.function(text, tuple(argument.name for argument in schema.caller_arguments))
    return Mapped(function, opset, scalars_of(schema), result_count, dynamo)


def scalars_of(schema: OpSchema) -> dict[str, str]:
    """Return the types of the arguments that are not tensors, in the runtime's words."""
    runtime_types = {"Scalar": "number", "SymInt": "int"}
    return {a.name: runtime_types.get(a.base_type, a.base_type) for a in schema.scalars}


def opsets_of(spec: Spec) -> Opsets:
    """Return the opset versions that the exporters write for a checked spec."""
    if not spec.mapping.is_given:
        first, last = runtime_opsets.DYNAMO[0], runtime_opsets.TORCHSCRIPT[-1]
        dynamo = runtime_opsets.DYNAMO if spec.mapping.is_decomposed else range(0)
        return Opsets((), dynamo[: last + 1 - first], dynamo, first, frozenset())
    mapping = mapped(spec)
    return runtime_opsets.opsets(mapping.to_onnx, mapping.opset, dynamo=mapping.dynamo)
