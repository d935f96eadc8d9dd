"""A mapping, checked before anything is built: its calls, and each sample at each opset by ONNX's inference."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onnx import ModelProto, TensorProto, shape_inference

from .definitions import element_types, since
from .opsets import Opsets, ops_of, opsets, problems
from .problems import MappingError, Problem, error, span_at
from .sample_model import Mapped, SampleModel

Sample = Mapping[str, Any]
Sizes = tuple[int | None, ...] | None
Result = tuple[str, Sizes]
"""A tensor's dtype as PyTorch calls it, and its sizes as far as they are known."""

_REFUSED = re.compile(r"\(op_type:\w*, node name: ([^)]*)\): ?(.*?)(?=\(op_type:|\Z)", re.DOTALL)
_OF_PROPAGATION = "Invalid rank for "  # which propagates no integers of several dimensions
_OF_INNER = ("", "Inference error(s):", "Graph attribute inferencing failed:")
_TORCH = {"FLOAT": "float32", "DOUBLE": "float64"}
_FLOATS = (TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16)


@dataclass(frozen=True)
class Checked:
    """What is known of a mapping.

    Attributes:
        problems: what is wrong with it; if nothing is, the rest is known.
        opsets: where it holds.
        models: of each sample, its model at the lowest opset.
        results: of each sample, what ONNX infers of its results; None of one that is left out.
    """

    problems: Sequence[Problem]
    opsets: Opsets | None = None
    models: Sequence[SampleModel] = ()
    results: Sequence[Sequence[Result | None]] = ()


def inferred(
    mapped: Mapped, opset: int, sample: Sample, *, is_dynamic: bool = False
) -> tuple[SampleModel, ModelProto]:
    """Return the model of a sample, and the same with the types and shapes that ONNX infers.

    Raises:
        MappingError: the mapping or ONNX refuses the sample.
    """
    built = mapped.model(opset, sample, is_dynamic=is_dynamic)
    # Values are propagated through what is sound alone: a wrong size may be more than memory holds.
    found = _inferred(built, has_data=False)
    try:
        found = _inferred(built, has_data=True)
    except MappingError as problem:
        if _OF_PROPAGATION not in str(problem):
            raise
    for name, fact in _unsaid(found):
        raise _refused(built, name, fact)
    return built, found


def check(
    mapped: Mapped,
    samples: Sequence[Sample],
    *,
    sample_name: Callable[[int], str],
    is_default: bool = False,
) -> Checked:
    """Check a mapping whose text is allowed.

    Args:
        mapped: the mapping.
        samples: tensors, lists of them, and what is none, by argument.
        sample_name: what a sample is called in messages, by its place.
        is_default: whether nobody wrote the samples.
    """
    if told := problems(mapped.to_onnx, mapped.opset):
        return Checked(told)
    found: dict[object, Problem] = {}
    models, results = [], []
    for place, sample in enumerate(samples):
        name = f"as in {sample_name(place)}"
        try:
            built, model = inferred(mapped, mapped.opset, sample)
            models.append(built)
            results.append(_results(built, model))
            if any(_has_names(value) for value in sample.values()):
                name += ", of which sizes with names are dynamic"
                inferred(mapped, mapped.opset, sample, is_dynamic=True)
        except MappingError as refused:
            remedy = f"change the mapping, or {'write [[samples]]' if is_default else 'the sample'}"
            for p in refused.problems:
                told_ = replace(p, fact=f"{p.fact}, {name}", remedy=p.remedy or remedy)
                found.setdefault((p.span, p.fact), told_)
    if found:
        return Checked([*found.values()])
    spans = opsets(mapped.to_onnx, mapped.opset, dynamo=mapped.dynamo)
    return Checked([], _without_refused(mapped, spans, samples), models, results)


def _has_names(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return any(any(getattr(item, "names", ())) for item in items)


def _without_refused(mapped: Mapped, spans: Opsets, samples: Sequence[Sample]) -> Opsets:
    """Return the opsets but for those behind the first at which ONNX refuses a sample: ``op.Split(x)``
    needs ``num_outputs`` from 18 on, say.
    """
    refused: list[int] = []
    for sample in samples:
        before, is_refused = None, False
        for opset in sorted(spans.holds):
            start = max(each for each in spans.starts if each <= opset)
            key = start, [since(op, opset) for op in sorted(ops_of(mapped.to_onnx, opset))]
            if key != before:
                before, is_refused = (
                    key,
                    opset > mapped.opset and _is_refused(mapped, opset, sample),
                )
            refused += [opset] if is_refused else []
    return spans.without(refused)


def _is_refused(mapped: Mapped, opset: int, sample: Sample) -> bool:
    try:
        inferred(mapped, opset, sample)
    except MappingError:
        return True
    return False


def _inferred(built: SampleModel, *, has_data: bool) -> ModelProto:
    try:
        return shape_inference.infer_shapes(
            built.model, check_type=True, strict_mode=True, data_prop=has_data
        )
    except MemoryError:
        raise error("its tensors are larger than memory") from None
    except shape_inference.InferenceError as problem:
        words = re.sub(r"\[\w+Error\]\s*", "", str(problem))
        told = [(found[1], found[2].strip()) for found in _REFUSED.finditer(words)]
        # A node whose input is of one that is refused is refused, and so is one that holds it.
        first = [each for each in told if "instead is null" not in each[1]]
        first = [each for each in first if each[1] not in _OF_INNER] or told
        name, fact = first[0] if first else ("", " ".join(words.split()))
        raise _refused(built, name, f"ONNX refuses {{}}: {fact.rstrip('.')}") from None


def _refused(built: SampleModel, name: str, fact: str) -> MappingError:
    """Return what is wrong with a node, at its place in the mapping."""
    node = built.nodes.get(name)
    fact = fact.replace("{}", f"op.{node.op}" if node else "this")
    fact, _, remedy = fact.partition("; write ")
    told = Problem(fact, f"write {remedy}" if remedy else "", span_at(node.place) if node else None)
    return MappingError([told])


def _unsaid(model: ModelProto) -> Iterator[tuple[str, str]]:
    """Yield the nodes of which ONNX's inference is silent, and what is wrong with them."""
    known = [*model.graph.input, *model.graph.value_info, *model.graph.output]
    types = {value.name: value.type for value in known}
    outputs = {value.name for value in model.graph.output}
    for node in model.graph.node:
        is_of_floats = (
            node.op_type == "Mod" and types[node.input[0]].tensor_type.elem_type in _FLOATS
        )
        if is_of_floats and not any(a.name == "fmod" and a.i for a in node.attribute):
            yield node.name, "attribute fmod of {} must be 1 for floats; write fmod=1"
        for name in outputs & {*node.output}:
            if types[name].WhichOneof("value") not in (None, "tensor_type"):
                yield node.name, "the result is no tensor; write the result of an op that gives one"
            elif types[name].tensor_type.elem_type == TensorProto.STRING:
                yield (
                    node.name,
                    "the result is of strings, of which PyTorch has no tensors; write numbers",
                )


def _results(built: SampleModel, model: ModelProto) -> list[Result | None]:
    """Return what ONNX infers of a sample's results, None of one that is left out."""
    kinds = {value.name: value.type.tensor_type for value in model.graph.output}
    return [_result(kinds[name]) if name else None for name in built.results]


def _result(kind: Any) -> Result | None:
    name = element_types().get(kind.elem_type)
    if name is None:
        return None
    sizes = [each.dim_value if each.HasField("dim_value") else None for each in kind.shape.dim]
    return _TORCH.get(name, name.lower()), tuple(sizes) if kind.HasField("shape") else None
