"""A spec's mapping → its problems: code that is not allowed, wrong calls of ops, wrong types and shapes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any

from onnxop_runtime.mapping import MappingError, checking, language
from onnxop_runtime.mapping import opsets as runtime_opsets
from onnxop_runtime.mapping.opsets import Opsets, ends
from onnxop_runtime.mapping.problems import span_of
from onnxop_runtime.mapping.sample_model import Mapped, SampleModel, Tensor
from onnxop_runtime.mapping.values import Value
from onnxop_runtime.specs import mapping_text
from onnxop_runtime.specs.arguments import Argument

from ..errors import Path
from ..kernel.kinds import Kernel
from ..schema.signature import OpSchema
from ..spec.model import Spec
from ..spec.tables import Tables
from ..spec.tensors import Literal, RandomTensor, SampleValue, TensorList
from . import results

Sample = Mapping[str, SampleValue]
_PATH: Path = ("onnx", "mapping")


class MappingExaminer:
    """Checks mappings by the runtime; ``is_run``: compares their values with the kernel's, too."""

    def __init__(self, *, is_run: bool = False) -> None:
        self._is_run = is_run
        self._asked: list[Iterator[None]] = []

    def check_text(self, tables: Tables, schema: OpSchema | None) -> None:
        """Add the problems in the text and its calls, at all its opset versions."""
        parameters = _parameters(schema) if schema else None
        results_ = schema.results if schema else ()
        mapping_text.check(tables.document, tables.problems, parameters, results_)

    def check_node(self, tables: Tables, schema: OpSchema | None) -> None:
        """Add a problem if the operator as one node has the name of an ONNX op."""
        called = schema.called if schema else ""
        mapping_text.check_op_type(tables.document, tables.problems, called)

    def result_kinds(
        self, tables: Tables, schema: OpSchema, kernel: Kernel | None, samples: Sequence[Sample]
    ) -> tuple[str, ...]:
        """Add the mapping's problems with the samples; return its results' element types."""
        text, opset = tables.document.onnx.mapping, tables.document.onnx.opset
        checked, kinds = None, tuple[str, ...]()
        calls = results.named(tables, samples)
        if text is not None and opset is not None:
            mapping = _mapped(text, opset, schema, dynamo=tables.document.onnx.dynamo)
            remedy = f"change the mapping, or {'the sample' if tables.document.samples else 'write [[samples]]'}"
            values = {call.name: values_of(call.sample, schema) for call in calls}
            optional = [argument.name for argument in schema.free if argument.is_optional]
            absent = [n for n in optional if all(s[n] is not None for s in values.values())]
            try:
                checked = checking.check(mapping, values, remedy=remedy)
                lowest = [models[opset] for models in checked.models]
                kinds = _kinds([*lowest, *_otherwise(mapping, schema, [*values.values()], absent)])
                if self._is_run:
                    others = results.larger(calls) + results.without(calls, absent)
                    for call in results.varied(calls, schema):
                        if _is_taken(mapping, values_of(call.sample, schema)):
                            others.append(call)
                    values = {call.name: values_of(call.sample, schema) for call in others}
                    more = checking.check(mapping, values, remedy=remedy)
                    calls += others
                    models = [*checked.models, *more.models]
                    both = [*checked.results, *more.results]
                    checked = replace(checked, models=models, results=both)
            except MappingError as error:
                checked = None
                *_, last = ends(mapping.to_onnx.tree)
                for problem in error.at(span_of(last.value or last)).problems:
                    mapping_text.add(tables.problems, text, problem)
        is_run = self._is_run and checked is not None
        answers = results.check(tables, schema, kernel, checked, calls, is_run=is_run)
        next(answers, None)
        self._asked.append(answers)
        return kinds

    def finish(self) -> None:
        """Add the problems in PyTorch's answers."""
        while self._asked:
            next(self._asked.pop(0), None)


def _parameters(schema: OpSchema) -> tuple[str, ...]:
    return tuple(argument.name for argument in schema.free)


def scalars_of(schema: OpSchema) -> dict[str, str]:
    """Return the kinds of the arguments that are not tensors, in the runtime's words."""
    runtime_kinds = {"Scalar": "number", "SymInt": "int"}
    return {a.name: runtime_kinds.get(a.kind, a.kind) for a in schema.free if not a.is_tensor}


def values_of(sample: Sample, schema: OpSchema) -> dict[str, Any]:
    """Return the arguments of a sample as the runtime takes them."""
    defaults = {a.name: a.default if a.has_default else None for a in schema.free}
    values = {name: [*v] if isinstance(v, tuple) else v for name, v in defaults.items()}
    return values | {a.name: _value(sample[a.name], a) for a in schema.free if a.name in sample}


def _value(value: SampleValue | None, argument: Argument) -> Any:
    match value:
        case TensorList(items=items):
            return [_value(item, argument) for item in items]
        case RandomTensor(dtype=dtype, shape=shape, sizes=sizes):
            names = tuple(size if size.isidentifier() else "" for size in sizes)
            return Tensor(dtype, tuple(shape), names)
        case Literal(dtype=dtype, shape=shape) if dtype:
            return Tensor(dtype, tuple(shape))
        case Literal(expression=text) if text.startswith("torch."):
            return results.number_of(text.removeprefix("torch."))
        case Literal(expression=text):  # made from TOML values
            constant = eval(text, {"__builtins__": {}, "float": float})
            is_one = argument.is_list and argument.length and isinstance(constant, int | float)
            return [constant] * (argument.length or 1) if is_one else constant
    return None


def mapped(spec: Spec) -> Mapped:
    """Return the mapping of a checked spec, as the runtime takes it."""
    return _mapped(spec.mapping.text, spec.mapping.opset, spec.schema, dynamo=spec.mapping.dynamo)


def opsets_of(spec: Spec) -> Opsets:
    """Return the opset versions that the exporters write for a checked spec."""
    if not spec.mapping.is_given:
        first, last = runtime_opsets.DYNAMO[0], runtime_opsets.TORCHSCRIPT[-1]
        dynamo = runtime_opsets.DYNAMO if spec.mapping.is_decomposed else range(0)
        return Opsets((), dynamo[: last + 1 - first], dynamo, first, frozenset())
    mapping = mapped(spec)
    return runtime_opsets.opsets(mapping.to_onnx, mapping.opset, dynamo=mapping.dynamo)


@lru_cache(maxsize=1024)  # callers often ask for the opsets of a checked mapping
def _mapped(text: str, opset: int, schema: OpSchema, *, dynamo: bool) -> Mapped:
    results_ = None if schema.returns_list else len(schema.results)
    function = language.function(text, _parameters(schema))
    return Mapped(function, opset, scalars_of(schema), results_, dynamo)


def _otherwise(
    mapped: Mapped, schema: OpSchema, samples: Sequence[Mapping[str, Any]], absent: Sequence[str]
) -> Iterator[SampleModel]:
    """Yield the models of a sample with each boolean argument inverted in turn. Raise MappingError
    if an argument in ``absent``, which no sample sets to None, cannot be None in the mapping.
    """
    for argument in schema.free if samples else ():
        name, first = argument.name, samples[0]
        if argument.kind == "bool" and not argument.is_list:
            with suppress(MappingError):
                yield mapped.model(mapped.opset, {**first, name: not first[name]})
        if name in absent:
            try:
                mapped.model(mapped.opset, {**first, name: None})
            except MappingError as error:
                remedy = f"write {name} if {name} is not None else 0.0, for example"
                raise MappingError(
                    replace(p, fact=f"{name} may be None, where {p.fact}", remedy=remedy)
                    for p in error.problems
                ) from None


def _is_taken(mapped: Mapped, sample: Mapping[str, Any]) -> bool:
    """Return whether the mapping supports the call."""
    with suppress(MappingError):
        return bool(mapped.model(mapped.opset, sample))
    return False


def _kinds(models: Sequence[SampleModel]) -> tuple[str, ...]:
    """Return the element types of the results; "" for a result whose type differs between samples."""
    kinds = [[_kind(value) for value in model.values] for model in models]
    if not kinds or len({len(row) for row in kinds}) > 1:
        return ()
    return tuple(column[0] if len({*column}) == 1 else "" for column in zip(*kinds, strict=True))


def _kind(value: Any) -> str:
    if value is None:
        return "left out"
    kind = value.kind
    if kind is None:
        return ""
    return f"like {kind.raw.name.partition('[')[0]}" if isinstance(kind, Value) else str(kind)
