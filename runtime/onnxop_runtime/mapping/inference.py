"""The model of a sample, held against ONNX's own inference of element types and shapes."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from onnx import TensorProto, shape_inference

from .definitions import element_types
from .problems import Problem, span_at
from .sample_model import SampleModel
from .tracing import Written

Sizes = tuple[int | None, ...] | None
Result = tuple[str, Sizes]
"""A tensor's dtype as PyTorch calls it, and its sizes as far as they are known."""

_REFUSED = re.compile(r"\(op_type:\w*, node name: n(\d+)\): ?(.*?)(?=\(op_type:|\Z)", re.DOTALL)
_UNSUPPORTED = re.compile(r"(\w+) typestr: (\w+), has unsupported type: tensor\((\w+)\)")
_OF_PROPAGATION = "Invalid rank for "  # which propagates no integers of several dimensions
_OF_INNER = ("", "Inference error(s):", "Graph attribute inferencing failed:")
_MISMATCHED = re.compile(
    r"Mismatched tensor element type(?: for output \d+)?:? (?:inferred|then)=(\w+) (?:declared|else)=(\w+)"
)
_CHANGED = re.compile(r"Input element type of (\d+) does not match existing output type of (\d+)")
_INCONSISTENT = re.compile(r"(\w+) has inconsistent type tensor\((\w+)\)")
_NUMBERS = {"FLOAT": 1, "INT64": 7, "BOOL": 9, "INT32": 6, "DOUBLE": 11, "UINT8": 2}
_TORCH = {"FLOAT": "float32", "DOUBLE": "float64"}

_Found = tuple[int, str]
"""The number of a node, and why it is refused."""


def refused(built: SampleModel) -> list[_Found]:
    """Return the nodes of a sample's model that ONNX refuses, and why."""
    found = _refused(built, has_data=False)
    # Values are propagated through what is sound alone: a wrong size may be more than memory holds.
    found = found or _refused(built, has_data=True)
    return [each for each in found if not each[1].startswith(_OF_PROPAGATION)]


def _refused(built: SampleModel, *, has_data: bool) -> list[_Found]:
    last = len(built.nodes) - 1  # of what is said of no node
    try:
        model = shape_inference.infer_shapes(
            built.model, check_type=True, strict_mode=True, data_prop=has_data
        )
    except MemoryError:
        return [(last, "its tensors are larger than memory")]
    except shape_inference.InferenceError as error:
        found = [(int(match[1]), match[2]) for match in _REFUSED.finditer(str(error))]
        told = [(node, re.sub(r"\[\w+Error\]\s*", "", words).strip()) for node, words in found]
        if not told:
            return [(last, " ".join(str(error).split()))]
        # Its input is of a node that is refused, or a node in a graph of its own is.
        is_one = len(told) == 1
        return [
            w for w in told if "instead is null" not in w[1] and (is_one or w[1] not in _OF_INNER)
        ]
    return [*_unsaid(model)]


def results(built: SampleModel) -> list[Result | None]:
    """Return what ONNX infers of a sample's results, None of one that is left out."""
    model = built.model
    for has_data in (True, False):  # what is known of values refuses sound models, too
        try:
            model = shape_inference.infer_shapes(model, strict_mode=True, data_prop=has_data)
        except shape_inference.InferenceError:
            continue
        break
    types = {value.name: value.type.tensor_type for value in model.graph.output}
    return [_result(types[name]) if name else None for name in built.results]


def _result(kind: Any) -> Result | None:
    name = element_types().get(kind.elem_type)
    return None if name is None else (_TORCH.get(name, name.lower()), _sizes(kind))


def _sizes(kind: Any) -> Sizes:
    sizes = [each.dim_value if each.HasField("dim_value") else None for each in kind.shape.dim]
    return tuple(sizes) if kind.HasField("shape") else None


def _unsaid(model: Any) -> Iterator[_Found]:
    """Yield the nodes of which ONNX's inference is silent, but its prose is not; and those that give what
    is no tensor of PyTorch's.
    """
    yield from _unsaid_in(model.graph, {})
    types = {value.name: value.type for value in model.graph.output}
    for node in model.graph.node:
        for name in types.keys() & {*node.output}:
            at = int(node.name[1:])
            if types[name].WhichOneof("value") not in (None, "tensor_type"):
                yield at, "the result is no tensor; write the result of an op that gives one"
            elif types[name].tensor_type.elem_type == TensorProto.STRING:
                yield at, "the result is of strings, which PyTorch has no tensors of; write numbers"


def _unsaid_in(graph: Any, around: Mapping[str, int]) -> Iterator[_Found]:
    """Yield those of a graph, of what stands ``around`` which the element types are known."""
    known = [*graph.input, *graph.value_info, *graph.output]
    kinds = {value.name: value.type.tensor_type.elem_type for value in known}
    kinds = {**kinds, **around}
    sizes = {value.name: _sizes(value.type.tensor_type) for value in known}
    floats = {TensorProto.FLOAT, TensorProto.DOUBLE, TensorProto.FLOAT16, TensorProto.BFLOAT16}
    for node in graph.node:
        at = int(node.name[1:])
        is_fmod = any(attribute.name == "fmod" and attribute.i for attribute in node.attribute)
        if node.op_type == "Mod" and kinds.get(node.input[0]) in floats and not is_fmod:
            yield at, "attribute fmod of op.Mod must be 1 for floats; write fmod=1"
        if told := _of_sizes(node, sizes):
            yield at, told
        for body in (attribute.g for attribute in node.attribute if attribute.HasField("g")):
            first = (TensorProto.INT64, TensorProto.BOOL)
            given = (*first, *(kinds.get(name, 0) for name in node.input[len(first) :]))
            ports = {port.name: kind for port, kind in zip(body.input, given, strict=False)}
            yield from _unsaid_in(body, {**kinds, **ports})
            goes_on = body.output[0].type.tensor_type.elem_type
            if node.op_type == "Loop" and goes_on not in (0, TensorProto.BOOL):
                fact = "the result of op.Loop's body that says whether to go on is"
                fact = f"{fact} {element_types()[goes_on]}"
                yield at, f"{fact}; write it as BOOL, or the parameter that says so"


def _of_sizes(node: Any, known: Mapping[str, Sizes]) -> str:
    """Return what is wrong with the sizes that a node gives of its input's, as far as they are known."""
    if node.op_type not in ("Reshape", "Transpose"):
        return ""
    given, results = known.get(node.input[0]), known.get(node.output[0])
    if given is None or results is None:
        return ""
    if node.op_type == "Transpose":
        count, right = len(results), len(given)
        fact = f"attribute perm of op.Transpose has {count} numbers for {right} dimensions"
        remedy = f"write perm={[*range(right)][::-1]}, say"
    else:
        if None in (*given, *results):
            return ""
        right, count = (math.prod(n or 0 for n in sizes) for sizes in (given, results))
        fact = f"the number of elements is {right} before op.Reshape and {count} after it"
        remedy = "write a shape of as many, in which -1 is what is left"
    return "" if count == right else f"{fact}; {remedy}"


def problem(node: Written, opset: int, sample: str, words: str, remedy_of_sample: str) -> Problem:
    """Return what ONNX says of a node, with its place in the mapping."""
    fact, remedy = _words(node, opset, sample, words, remedy_of_sample)
    return Problem(fact, remedy, span_at(node.place), "op")


def _words(node: Written, opset: int, sample: str, words: str, other: str) -> tuple[str, str]:
    op, definition = node.op, node.definition
    if found := _UNSUPPORTED.search(words):
        formals = [*definition.inputs, *definition.inputs[-1:] * len(node.inputs)]
        allowed: Sequence[str] = next(
            (definition.allowed(f) for f in formals if found[1].startswith(f.name)), []
        )
        can = " or ".join(filter(None, [", ".join(allowed[:-1]), *allowed[-1:]]))
        fact = f"input {found[1]} of op.{op} is {found[3].upper()} in {sample}"
        fact += f", but at opset {opset} it can be {can or 'of other types'}"
        to = next((number for kind, number in _NUMBERS.items() if kind in allowed), 1)
        return fact, f"write op.Cast(x, to={to}) for an input x"
    if found := _INCONSISTENT.search(words):
        fact = f"inputs of op.{op} must be of one element type, but in {sample} {found[1]} is "
        fact += f"{found[2].upper()}, unlike what stands before it"
        return fact, "write op.Cast for one, or op.CastLike"
    if (found := _MISMATCHED.search(words)) and op == "If":
        kinds = [element_types()[int(k)] if k.isdigit() else k.upper() for k in found.groups()]
        fact = f"the branches of op.If give {' and '.join(sorted(kinds))} in {sample}"
        fact += ", but must give one element type"
        return fact, "write op.Cast, or op.CastLike, in one of them"
    if (found := _CHANGED.search(words)) and op == "Loop":
        was, now = (element_types()[int(number)] for number in (found[2], found[1]))
        fact = f"what op.Loop carries is {was} in {sample}, but its body gives {now} for it"
        return fact, "write op.Cast, or op.CastLike, so that it stays of one element type"
    if words.startswith(("attribute ", "the result ", "the number ")):
        fact, _, remedy = words.partition("; ")
        return f"{fact}, as in {sample}", remedy
    return f"ONNX refuses op.{op} of {sample}: {words.rstrip('.')}", other
