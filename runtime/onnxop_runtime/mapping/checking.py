"""Validation of a mapping: its calls, and ONNX's inference of each sample at each opset."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from onnx import ModelProto, shape_inference

from ..inference import infer_with_sizes
from .definitions import ELEMENT_TYPES, FLOATS, form
from .known import MOST_NUMBERS, too_many_numbers
from .numbers import items_of
from .opsets import Opsets, ops_of, opsets
from .problems import MappingError, MappingProblem, span_of_instruction
from .sample_model import Mapped, SampleModel

Result = tuple[str, tuple[int | None, ...] | None]
"""A tensor's dtype in PyTorch's terms, and its known sizes; None for unknown ones."""

_REFUSED = re.compile(r"\(op_type:\w*, node name: ([^)]*)\): ?(.*?)(?=\(op_type:|\Z)", re.DOTALL)
_OF_PROPAGATION = "Invalid rank for "  # data propagation handles no integers of rank 2 and more
# Errors that follow from another one: of nodes after the failing node, or around it.
_OF_OTHERS = r"|Inference error\(s\):|Graph attribute inferencing failed:|.*instead is null.*"
_TORCH = {"FLOAT": "float32", "DOUBLE": "float64"}


@dataclass(frozen=True)
class Checked:
    """The opsets of a mapping, and its models and results for each sample."""

    opsets: Opsets
    models: Sequence[Mapping[int, SampleModel]]
    """A model for each opset at which the nodes change, lowest first."""
    results: Sequence[Sequence[Result | None]]
    """The results at the lowest opset; None stands for a result that is left out."""


def check(mapped: Mapped, samples: Mapping[str, Mapping[str, Any]], *, remedy: str) -> Checked:
    """Check a mapping whose text is allowed, on samples by their names in messages. Raise
    MappingError with all its problems. A problem without a remedy gets ``remedy``.
    """
    spans = opsets(mapped.to_onnx, mapped.opset, dynamo=mapped.dynamo)
    problems: dict[object, MappingProblem] = {}
    models: list[Mapping[int, SampleModel]] = []
    results: list[Sequence[Result | None]] = []
    for name, sample in samples.items():
        try:
            models_of_sample, results_of_sample = _checked_sample(mapped, name, sample, spans)
        except _Refused as refused:
            for problem in refused.problems:
                fact = f"{problem.fact}, as in {refused.where}"
                told = replace(problem, fact=fact, remedy=problem.remedy or remedy)
                problems.setdefault((problem.span, problem.fact), told)
        else:
            models.append(models_of_sample)
            results.append(results_of_sample)
    if problems:
        raise MappingError(problems.values())
    return Checked(spans, models, results)


def _checked_sample(
    mapped: Mapped, name: str, sample: Mapping[str, Any], spans: Opsets
) -> tuple[dict[int, SampleModel], Sequence[Result | None]]:
    """Check a mapping on a sample at each opset at which its nodes, or the forms of their ops,
    change. Return the models of the opsets at which the nodes change, and the results at the lowest
    one. Raise _Refused with the problems at the first opset that has some.
    """
    models: dict[int, SampleModel] = {}
    results: Sequence[Result | None] = ()
    has_names = any(any(getattr(i, "names", ())) for v in sample.values() for i in items_of(v))
    for opset in _traced_at(mapped.to_onnx, spans):
        where = f"{name} at opset {opset}" if opset > mapped.opset else name
        with _problems_of(where):
            built = mapped.model(opset, sample)
            model = _inferred(built)
            if opset == mapped.opset:
                results = _results(built, model)
        if opset in spans.starts:
            models[opset] = built
        if has_names:
            with _problems_of(f"{where}, with its named sizes dynamic"):
                _inferred(mapped.dynamic(opset, sample, built))
    return models, results


class _Refused(Exception):
    """The problems of a mapping on a sample, and where it has them."""

    def __init__(self, problems: Sequence[MappingProblem], where: str) -> None:
        super().__init__(where)
        self.problems, self.where = problems, where


@contextmanager
def _problems_of(where: str) -> Iterator[None]:
    """Raise _Refused for the problems of a block."""
    try:
        yield
    except MappingError as error:
        raise _Refused(error.problems, where) from error


def _traced_at(to_onnx: Callable[..., object], spans: Opsets) -> list[int]:
    """Return the opsets at which a mapping's nodes, or the forms of their ops, change."""
    forms = {o: [form(op, o) for op in ops_of(to_onnx, o)] for o in sorted(spans.holds)}
    return [o for o in forms if o in spans.starts or forms[o] != forms[o - 1]]


def _inferred(built: SampleModel) -> ModelProto:
    """Return a model with the types and shapes that ONNX infers. Raise MappingError if inference
    fails.
    """
    try:
        # First without the values of sizes, which could be those of tensors of wrong sizes.
        inferred = shape_inference.infer_shapes(built.model, check_type=True, strict_mode=True)
    except shape_inference.InferenceError as problem:
        raise _located(built, str(problem)) from None
    _check_sizes(built, inferred)
    inferred = _inferred_with_sizes(built, inferred)
    _check_sizes(built, inferred)
    _check_unreported(built, inferred)
    return inferred


def _inferred_with_sizes(built: SampleModel, inferred: ModelProto) -> ModelProto:
    """Return the model with what the values of its sizes tell, too; as it was inferred without them
    if ONNX cannot propagate these.
    """
    try:
        return infer_with_sizes(built.model, inferred, is_strict=True)
    except shape_inference.InferenceError as problem:
        if _OF_PROPAGATION in str(problem):
            return inferred
        raise _located(built, str(problem)) from None


def _located(built: SampleModel, text: str) -> MappingError:
    """Return the error of ONNX's inference, at the place of the node that caused it."""
    text = " ".join(re.sub(r"\[\w+Error\]", "", text).split())
    failures = [(m[1], m[2].strip()) for m in _REFUSED.finditer(text)] or [("", text)]
    causes = [failure for failure in failures if not re.fullmatch(_OF_OTHERS, failure[1])]
    name, fact = (causes or failures)[0]
    subject = f"op.{built.nodes[name].op}" if name in built.nodes else "this"
    return _refused(built, name, f"ONNX refuses {subject}: {fact.rstrip('.')}")


def _refused(built: SampleModel, name: str, message: str, remedy: str = "") -> MappingError:
    node = built.nodes.get(name)
    return MappingError(
        [MappingProblem(message, remedy, span_of_instruction(node.instruction) if node else None)]
    )


def _check_sizes(built: SampleModel, model: ModelProto) -> None:
    """Raise MappingError at the first node whose output is too large to compute, as one that joins
    a tensor with itself again and again.
    """
    values = {value.name: value for value in (*model.graph.value_info, *model.graph.output)}
    for node in model.graph.node:
        for name in node.output:
            dims = values[name].type.tensor_type.shape.dim if name in values else ()
            if math.prod(dim.dim_value for dim in dims) > MOST_NUMBERS:
                refusal = too_many_numbers(node.op_type)
                raise _refused(built, node.name, refusal.fact, refusal.remedy)


def _check_unreported(built: SampleModel, model: ModelProto) -> None:
    """Raise MappingError for errors that ONNX's inference does not report."""
    graph = model.graph
    if mods := [node for node in graph.node if node.op_type == "Mod"]:
        values = [*graph.input, *graph.value_info, *graph.output]
        floats = {
            v.name for v in values if ELEMENT_TYPES.get(v.type.tensor_type.elem_type) in FLOATS
        }
        for node in mods:
            has_fmod = any(a.name == "fmod" and a.i for a in node.attribute)
            if node.input[0] in floats and not has_fmod:
                fact = "attribute fmod of op.Mod must be 1 for floats"
                raise _refused(built, node.name, fact, "write fmod=1")
    for port in graph.output:
        is_tensor = port.type.WhichOneof("value") in (None, "tensor_type")
        if is_tensor and ELEMENT_TYPES.get(port.type.tensor_type.elem_type) != "STRING":
            continue
        message = "the result is not a tensor", "return the output of an op that gives one"
        if is_tensor:
            message = "the result has strings, but PyTorch has no such tensors", "return numbers"
        producer = next(node for node in graph.node if port.name in node.output)
        raise _refused(built, producer.name, *message)


def _results(built: SampleModel, model: ModelProto) -> list[Result | None]:
    """Return the dtypes and sizes that ONNX infers for a sample's results; None for omitted
    results.
    """
    by_name: dict[str, Result] = {}
    for value in model.graph.output:
        tensor_type = value.type.tensor_type
        sizes = tuple(
            d.dim_value if d.HasField("dim_value") else None for d in tensor_type.shape.dim
        )
        if name := ELEMENT_TYPES.get(tensor_type.elem_type):
            dtype = _TORCH.get(name, name.lower())
            by_name[value.name] = dtype, sizes if tensor_type.HasField("shape") else None
    return [by_name.get(name) for name in built.results]
