"""A mapping, checked before anything is built: its calls, and each sample at each opset by ONNX's inference."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onnx import ModelProto, shape_inference

from .definitions import FLOATS, element_types, form
from .opsets import Opsets, ops_of, opsets
from .problems import MappingError, Problem, error, span_at
from .sample_model import Mapped, SampleModel

Sample = Mapping[str, Any]
Result = tuple[str, tuple[int | None, ...] | None]
"""A tensor's dtype as PyTorch calls it, and its sizes as far as they are known."""

_REFUSED = re.compile(r"\(op_type:\w*, node name: ([^)]*)\): ?(.*?)(?=\(op_type:|\Z)", re.DOTALL)
_OF_PROPAGATION = "Invalid rank for "  # which propagates no integers of several dimensions
# A node whose input is of one that is refused is refused, and so is one that holds it.
_OF_OTHERS = r"|Inference error\(s\):|Graph attribute inferencing failed:|.*instead is null.*"
_TORCH = {"FLOAT": "float32", "DOUBLE": "float64"}


@dataclass(frozen=True)
class Checked:
    """What is known of a mapping: where it holds; of each sample, its models by the opsets from which on the
    nodes are others, the lowest first, and its results at that; None of a result that is left out.
    """

    opsets: Opsets
    models: Sequence[Mapping[int, SampleModel]]
    results: Sequence[Sequence[Result | None]]


def check(mapped: Mapped, samples: Mapping[str, Sample], *, remedy: str) -> Checked:
    """Check a mapping whose text is allowed.

    Args:
        mapped: the mapping.
        samples: tensors, lists of them, and what is none, by argument; by what messages call them.
        remedy: what helps where nothing better is known.

    Raises:
        MappingError: all that is wrong with it.
    """
    spans = opsets(mapped.to_onnx, mapped.opset, dynamo=mapped.dynamo)
    problems: dict[object, Problem] = {}
    models, results = list[dict[int, SampleModel]](), []
    for name, sample in samples.items():
        at = ""
        models.append({})
        try:
            for opset in _traced_at(mapped.to_onnx, spans):
                at = f" at opset {opset}" * (opset > mapped.opset)
                built = mapped.model(opset, sample)
                model = _inferred(built)
                if opset == mapped.opset:
                    results.append(_results(built, model))
                if opset in spans.starts:
                    models[-1][opset] = built
                if any(_has_names(value) for value in sample.values()):
                    at += ", of which sizes with names are dynamic"
                    _inferred(mapped.dynamic(opset, sample, built))
        except MappingError as refused:
            for p in refused.problems:
                told = replace(p, fact=f"{p.fact}, as in {name}{at}", remedy=p.remedy or remedy)
                problems.setdefault((p.span, p.fact), told)
    if problems:
        raise MappingError(problems.values())
    return Checked(spans, models, results)


def _traced_at(to_onnx: Any, spans: Opsets) -> list[int]:
    """Return the opsets at which a mapping's nodes are others than before, or of another form."""

    def forms(opset: int) -> list[int]:
        return [form(op, opset) for op in ops_of(to_onnx, opset)]

    held = sorted(spans.holds)
    return [o for o in held if o in spans.starts or forms(o) != forms(o - 1)]


def _has_names(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return any(any(getattr(item, "names", ())) for item in items)


def _inferred(built: SampleModel) -> ModelProto:
    """Return a model with the types and shapes that ONNX infers. Raises MappingError where it refuses it."""
    written, found = built.model.SerializeToString(), built.model
    # Values are propagated through what is sound alone: a wrong size may be more than memory holds.
    for has_data in (False, True):
        try:
            found = shape_inference.infer_shapes(
                written, check_type=True, strict_mode=True, data_prop=has_data
            )
        except MemoryError:
            raise error("its tensors are larger than memory") from None
        except shape_inference.InferenceError as problem:
            if not has_data or _OF_PROPAGATION not in str(problem):
                raise _located(built, str(problem)) from None
    _check_unsaid(built, found)
    return found


def _located(built: SampleModel, words: str) -> MappingError:
    """Return what ONNX's inference says, at the place of the first node that it is about."""
    words = " ".join(re.sub(r"\[\w+Error\]", "", words).split())
    told = [(found[1], found[2].strip()) for found in _REFUSED.finditer(words)] or [("", words)]
    own = [each for each in told if not re.fullmatch(_OF_OTHERS, each[1])]
    name, fact = (own or told)[0]
    what = f"op.{built.nodes[name].op}" if name in built.nodes else "this"
    return _refused(built, name, f"ONNX refuses {what}: {fact.rstrip('.')}")


def _refused(built: SampleModel, name: str, fact: str, remedy: str = "") -> MappingError:
    node = built.nodes.get(name)
    return MappingError([Problem(fact, remedy, span_at(node.place) if node else None)])


def _check_unsaid(built: SampleModel, model: ModelProto) -> None:
    """Raise MappingError of what is wrong with nodes, and ONNX's inference is silent of."""
    graph, kinds = model.graph, element_types()
    if mods := [node for node in graph.node if node.op_type == "Mod"]:
        known = [*graph.input, *graph.value_info, *graph.output]
        floats = {v.name for v in known if kinds.get(v.type.tensor_type.elem_type) in FLOATS}
        for node in mods:
            if node.input[0] in floats and not any(
                a.name == "fmod" and a.i for a in node.attribute
            ):
                fact = "attribute fmod of op.Mod must be 1 for floats"
                raise _refused(built, node.name, fact, "write fmod=1")
    for port in graph.output:
        is_tensor = port.type.WhichOneof("value") in (None, "tensor_type")
        if is_tensor and kinds.get(port.type.tensor_type.elem_type) != "STRING":
            continue
        told = "the result is no tensor", "write the result of an op that gives one"
        if is_tensor:
            told = "the result is of strings, of which PyTorch has no tensors", "write numbers"
        maker = next(node for node in graph.node if port.name in node.output)
        raise _refused(built, maker.name, *told)


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
