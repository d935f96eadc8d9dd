"""The mapping of each sample, held against ONNX's own inference of element types and shapes.

What it refuses, ``onnx.checker`` refuses in the model that the package would write of the sample.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import listed
from ..mapping import lowering as mapping
from ..mapping import onnxdefs, opsets
from ..mapping.evaluate import CannotTell, NoValue
from ..mapping.graph import (
    TORCH_TYPES,
    Graph,
    Node,
    nodes_of,
)
from ..schema.signature import OpSchema
from ..words import facts, pyexpr
from ..words.pyexpr import ExpressionProblem, ExpressionProblems, Source, parse
from .sample_model import Sample, SampleModel

_QUESTION = "what ONNX refuses of {}, by sample"
_LATER = "the later opsets at which ONNX refuses {}"
_REFUSED = re.compile(r"\(op_type:\w*, node name: n(\d+)\): ?(.*?)(?=\(op_type:|\Z)", re.DOTALL)
_UNSUPPORTED = re.compile(r"(\w+) typestr: (\w+), has unsupported type: tensor\((\w+)\)")
_OF_INNER = ("", "Inference error(s):", "Graph attribute inferencing failed:")
_MISMATCHED = re.compile(
    r"Mismatched tensor element type(?: for output \d+)?:? (?:inferred|then)=(\w+) (?:declared|else)=(\w+)"
)
_CHANGED = re.compile(r"Input element type of (\d+) does not match existing output type of (\d+)")
_INCONSISTENT = re.compile(r"(\w+) has inconsistent type tensor\((\w+)\)")

_Sizes = tuple[int | None, ...] | None
Result = tuple[str, _Sizes]
"""A tensor's dtype as PyTorch calls it, and its sizes as far as they are known."""


@dataclass(frozen=True)
class Refused:
    """A node that is refused, by its place among all nodes, in ONNX's words; or an expression that
    cannot be computed, and no node. ``since`` is the opset from which on nothing is.
    """

    sample: int
    node: int | None
    words: str
    since: int | None = None
    expression: str = ""


def problems(
    text: str,
    schema: OpSchema,
    opset: int,
    samples: Sequence[Sample],
    *,
    are_given: bool = True,
) -> Iterator[ExpressionProblem]:
    """What ONNX refuses of a mapping that is sound by itself, one problem a node.

    ``are_given``: the samples are those of the spec.
    """

    def find() -> list[dict[str, Any]]:
        return [vars(refused) for refused in _refused(text, schema, opset, samples)]

    answer = [Refused(**found) for found in facts.ask(_QUESTION.format(schema.title), find)]
    if not answer:
        return
    source, body = parse(text)
    nodes = list(nodes_of(mapping.lower(text, schema, opset).statements))
    for place in dict.fromkeys((refused.node, refused.expression) for refused in answer):
        first = next(each for each in answer if (each.node, each.expression) == place)
        sample = f"sample {first.sample + 1}" if are_given else DEFAULT
        if first.node is None:
            yield _problem_with_value(source, body, first, sample)
        else:
            yield _problem(source, nodes[first.node], opset, first, sample)


def refused_later(
    bodies: Sequence[tuple[range, Graph]], schema: OpSchema, samples: Sequence[Sample]
) -> list[int]:
    """The opsets behind the first at which ONNX refuses what the mapping is there: ``op.Split(x)``
    needs ``num_outputs`` from 18 on, say.
    """

    def find() -> list[int]:
        found: list[int] = []
        for span, graph in bodies:
            versions: list[int] = []
            is_refused = False
            for opset in span:
                before, versions = versions, _versions(graph, opset)
                if versions != before and opset > bodies[0][0].start:
                    is_refused = any(_tried(graph, schema, opset, samples))
                found += [opset] if is_refused else []
        return found

    question = _LATER.format(schema.title)
    return [int(later) for later in facts.ask(question, find)]


def _versions(graph: Graph, opset: int) -> list[int]:
    """The versions of the mapping's ops at an opset."""
    definitions = [onnxdefs.definition(node.op, opset) for node in nodes_of(graph.statements)]
    return [definition.since_version for definition in definitions if definition is not None]


def _refused(
    text: str, schema: OpSchema, opset: int, samples: Sequence[Sample]
) -> Iterator[Refused]:
    graph = mapping.lower(text, schema, opset)
    for position, found in _tried(graph, schema, opset, samples):
        since = _since(text, schema, opset, samples[position])
        for node, words in found:
            if isinstance(node, str):
                yield Refused(position, None, words, expression=node)
            else:
                yield Refused(position, node, words, since)


_Found = tuple[int | str, str]
"""A node, or the text of an expression, and why it is refused."""


def _tried(
    graph: Graph, schema: OpSchema, opset: int, samples: Sequence[Sample]
) -> Iterator[tuple[int, list[_Found]]]:
    """The samples that are refused, by their places, with the nodes, and why."""
    try:
        import onnx  # noqa: F401
    except ImportError:  # what is missing refuses nothing
        return
    tried: set[str] = set()
    for position, sample in enumerate(samples):
        if repr(sample) in tried:
            continue
        tried.add(repr(sample))
        if found := list(_try(graph, schema, opset, sample)):
            yield position, found


def _since(text: str, schema: OpSchema, opset: int, sample: Sample) -> int | None:
    """The first later opset at which the sample's mapping is refused no more."""
    for later in range(opset + 1, opsets.HIGHEST + 1):
        try:
            graph = mapping.lower(text, schema, later)
        except ExpressionProblems:
            return None
        if not list(_try(graph, schema, later, sample)):
            return later
    return None


def results(text: str, schema: OpSchema, opset: int, sample: Sample) -> list[Result | None] | None:
    """What the mapping gives of a sample, by ONNX's inference, None for a result that is left out;
    None where the sample does not tell all values.
    """
    try:
        from onnx import shape_inference
    except ImportError:
        return None
    try:
        built = SampleModel(mapping.lower(text, schema, opset), schema, opset, sample)
        model = built.model()
    except CannotTell:
        return None
    inferred = shape_inference.infer_shapes(
        model, check_type=True, strict_mode=True, data_prop=True
    )
    types = {value.name: value.type.tensor_type for value in inferred.graph.output}
    return [_result(types[name]) if name else None for name in built.results]


def _result(kind: Any) -> Result | None:
    from onnx import TensorProto

    name = TensorProto.DataType.Name(kind.elem_type)
    if name not in TORCH_TYPES:
        return None
    return TORCH_TYPES[name], _sizes(kind)


def _sizes(kind: Any) -> _Sizes:
    sizes = [each.dim_value if each.HasField("dim_value") else None for each in kind.shape.dim]
    return tuple(sizes) if kind.HasField("shape") else None


def _try(graph: Graph, schema: OpSchema, opset: int, sample: Sample) -> Iterator[_Found]:
    """The nodes that are refused, and why; nothing where the sample does not tell all values."""
    from onnx import shape_inference

    try:
        built = SampleModel(graph, schema, opset, sample)
        model = built.model()
    except NoValue as why:
        yield why.expression, str(why)
        return
    except CannotTell:
        return
    yield from built.refused
    if built.refused:
        return
    try:
        inferred = shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
        yield from _unsaid(inferred)
    except shape_inference.InferenceError as error:
        found = [(int(match[1]), match[2]) for match in _REFUSED.finditer(str(error))]
        told = [(node, re.sub(r"\[\w+Error\]\s*", "", words).strip()) for node, words in found]
        for node, words in told:
            # Its input is of a node that is refused, or a node in a graph of its own is.
            if "instead is null" not in words and (words not in _OF_INNER or len(told) == 1):
                yield node, words


def _unsaid(model: Any) -> Iterator[_Found]:
    """The nodes of a model of which ONNX's inference is silent, but its prose is not; and those
    that give what is no tensor of PyTorch's.
    """
    from onnx import TensorProto

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
    """Those of a graph, of what stands ``around`` which the element types are known."""
    from onnx import TensorProto

    known = [*graph.input, *graph.value_info, *graph.output]
    kinds = {value.name: value.type.tensor_type.elem_type for value in known}
    kinds = {**kinds, **around} | {t.name: t.data_type for t in graph.initializer}
    sizes = {value.name: _sizes(value.type.tensor_type) for value in known}
    sizes |= {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    floats = {getattr(TensorProto, name) for name in ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16")}
    for node in graph.node:
        at = int(node.name[1:])
        is_fmod = any(attribute.name == "fmod" and attribute.i for attribute in node.attribute)
        if node.op_type == "Mod" and kinds.get(node.input[0]) in floats and not is_fmod:
            yield at, "attribute fmod of op.Mod must be 1 for floats; write fmod=1"
        if words := _of_sizes(node, sizes):
            yield at, words
        for body in (attribute.g for attribute in node.attribute if attribute.HasField("g")):
            first = (TensorProto.INT64, TensorProto.BOOL)
            given = (*first, *(kinds.get(name, 0) for name in node.input[len(first) :]))
            ports = {port.name: kind for port, kind in zip(body.input, given, strict=False)}
            yield from _unsaid_in(body, {**kinds, **ports})
            goes_on = body.output[0].type.tensor_type.elem_type
            if node.op_type == "Loop" and goes_on not in (0, TensorProto.BOOL):
                name = TensorProto.DataType.Name(goes_on)
                fact = f"the result of op.Loop's body that says whether to go on is {name}"
                yield at, f"{fact}; write it as BOOL, or the parameter that says so"


def _of_sizes(node: Any, known: Mapping[str, _Sizes]) -> str:
    """What is wrong with the sizes that a node gives of its input's, as far as they are known."""
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


DEFAULT = "the default sample, float32[1, 3, 10, 10] each"


def _problem(
    source: Source, node: Node, opset: int, refused: Refused, sample: str
) -> ExpressionProblem:
    fact, remedy = _words(node, opset, sample, refused.words)
    if refused.since is not None:
        remedy = f"write opset = {refused.since}, or {remedy.removeprefix('write ')}"
    return source.problem(node.place or ast.Pass(), f"{fact}; {remedy}")


def _problem_with_value(
    source: Source, body: list[ast.stmt], refused: Refused, sample: str
) -> ExpressionProblem:
    """An expression that cannot be computed, where it stands in the mapping."""
    places = [part for line in body for part in ast.walk(line) if isinstance(part, ast.expr)]
    place = next((p for p in places if _text_of(p) == refused.expression), ast.Pass())
    fact = f"{refused.expression or 'the mapping'} cannot be computed in {sample}: {refused.words}"
    return source.problem(place, f"{fact}; {_remedy(sample)}")


def _text_of(node: ast.expr) -> str:
    try:
        return pyexpr.show(node)
    except TypeError:
        return ""


def _remedy(sample: str) -> str:
    return "change the mapping, or " + ("write [[samples]]" if sample == DEFAULT else "the sample")


def _words(node: Node, opset: int, sample: str, words: str) -> tuple[str, str]:
    """The fact and the remedy for what ONNX says of a node."""
    definition = onnxdefs.definition(node.op, opset)
    if definition and (found := _UNSUPPORTED.search(words)):
        formals = [*definition.inputs, *definition.inputs[-1:] * len(node.inputs)]
        allowed = next(
            (onnxdefs.allowed(definition, f) for f in formals if found[1].startswith(f.name)), []
        )
        fact = f"input {found[1]} of op.{node.op} is {found[3].upper()} in {sample}"
        fact += f", but at opset {opset} it can be {listed(allowed, 'or') or 'of other types'}"
        to = next((number for kind, number in _NUMBERS.items() if kind in allowed), 1)
        return fact, f"write op.Cast(x, to={to}) for an input x"
    if found := _INCONSISTENT.search(words):
        fact = f"inputs of op.{node.op} must be of one element type, but in {sample} {found[1]} is "
        fact += f"{found[2].upper()}, unlike what stands before it"
        return fact, "write op.Cast for one, or op.CastLike"
    if found := _MISMATCHED.search(words) if node.op == "If" else None:
        kinds = [
            onnxdefs.element_type(int(k)) if k.isdigit() else k.upper() for k in found.groups()
        ]
        fact = f"the branches of op.If give {listed(sorted(map(str, kinds)))} in {sample}"
        fact += ", but must give one element type"
        return fact, "write op.Cast, or op.CastLike, in one of them"
    if (found := _CHANGED.search(words)) and node.op == "Loop":
        was, now = (onnxdefs.element_type(int(number)) for number in (found[2], found[1]))
        fact = f"what op.Loop carries is {was} in {sample}, but its body gives {now} for it"
        return fact, "write op.Cast, or op.CastLike, so that it stays of one element type"
    if words.startswith(("attribute ", "the result ", "the number ")):
        fact, _, remedy = words.partition("; ")
        return f"{fact}, as in {sample}", remedy
    fact = f"ONNX refuses op.{node.op} of {sample}: {words.rstrip('.')}"
    return fact, _remedy(sample)


_NUMBERS = {"FLOAT": 1, "INT64": 7, "BOOL": 9, "INT32": 6, "DOUBLE": 11, "UINT8": 2}
