"""The mapping of each sample, held against ONNX's own inference of element types and shapes.

What it refuses, ``onnx.checker`` refuses in the model that the package would write of the sample.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import listed
from ..mapping import attributes, evaluate, onnxdefs, opsets
from ..mapping import lowering as mapping
from ..mapping.evaluate import CannotTell
from ..mapping.graph import (
    Branch,
    Choice,
    Constant,
    Each,
    Graph,
    Item,
    Let,
    Listed,
    Node,
    Omitted,
    Repeat,
    Set,
    Spread,
    Statement,
    Tensor,
    Tensors,
    Value,
    nodes_of,
)
from ..schema.signature import OpSchema
from ..words import facts
from ..words.pyexpr import ExpressionProblem, ExpressionProblems, Source, parse
from .tensors import Literal, RandomTensor, SampleValue, TensorList

_QUESTION = "what ONNX refuses of {}, by sample"
_LATER = "the later opsets at which ONNX refuses {}"
_TYPES = {"float32": "FLOAT", "float64": "DOUBLE"}
_REFUSED = re.compile(r"\(op_type:\w*, node name: n(\d+)\): ?(.*?)(?=\(op_type:|\Z)", re.DOTALL)
_UNSUPPORTED = re.compile(r"(\w+) typestr: (\w+), has unsupported type: tensor\((\w+)\)")
_INCONSISTENT = re.compile(r"(\w+) has inconsistent type tensor\((\w+)\)")

Sample = Mapping[str, SampleValue]


@dataclass(frozen=True)
class Refused:
    """A node that is refused, by its place among all nodes, in ONNX's words; ``since`` is the
    opset from which on nothing is.
    """

    sample: int
    node: int
    words: str
    since: int | None = None


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

    answer = [
        Refused(**found)
        for found in facts.ask(_QUESTION.format(f"{schema.namespace}::{schema.name}"), find)
    ]
    if not answer:
        return
    source, _ = parse(text)
    nodes = list(nodes_of(mapping.lower(text, schema, opset).statements))
    for place in dict.fromkeys(refused.node for refused in answer):
        first = next(refused for refused in answer if refused.node == place)
        sample = f"sample {first.sample + 1}" if are_given else _DEFAULT
        yield _problem(source, nodes[place], opset, first, sample)


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

    question = _LATER.format(f"{schema.namespace}::{schema.name}")
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
        yield from (Refused(position, node, words, since) for node, words in found)


def _tried(
    graph: Graph, schema: OpSchema, opset: int, samples: Sequence[Sample]
) -> Iterator[tuple[int, list[tuple[int, str]]]]:
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


def _try(graph: Graph, schema: OpSchema, opset: int, sample: Sample) -> Iterator[tuple[int, str]]:
    """The nodes that are refused, and why; nothing where the sample does not tell all values."""
    from onnx import shape_inference

    try:
        built = _Model(graph, schema, opset, sample)
        model = built.model()
    except CannotTell:
        return
    yield from built.refused
    if built.refused:
        return
    try:
        inferred = shape_inference.infer_shapes(model, check_type=True, strict_mode=True)
        yield from _unsaid(inferred)
    except shape_inference.InferenceError as error:
        for match in _REFUSED.finditer(str(error)):
            words = re.sub(r"\[\w+Error\]\s*", "", match[2]).strip()
            if "instead is null" not in words:  # its input is of a node that is refused
                yield int(match[1]), words


def _unsaid(model: Any) -> Iterator[tuple[int, str]]:
    """The nodes of a model of which ONNX's inference is silent, but its prose is not; and those
    that give what is no tensor of PyTorch's.
    """
    from onnx import TensorProto

    known = [*model.graph.input, *model.graph.value_info, *model.graph.output]
    types = {value.name: value.type for value in known}
    kinds = {name: kind.tensor_type.elem_type for name, kind in types.items()}
    kinds |= {tensor.name: tensor.data_type for tensor in model.graph.initializer}
    floats = {getattr(TensorProto, name) for name in ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16")}
    results = {output.name for output in model.graph.output}
    for node in model.graph.node:
        at = int(node.name[1:])
        is_fmod = any(attribute.name == "fmod" and attribute.i for attribute in node.attribute)
        if node.op_type == "Mod" and kinds.get(node.input[0]) in floats and not is_fmod:
            yield at, "attribute fmod of op.Mod must be 1 for floats; write fmod=1"
        for name in results.intersection(node.output):
            if types[name].WhichOneof("value") not in (None, "tensor_type"):
                yield at, "the result is no tensor; write the result of an op that gives one"
            elif kinds[name] == TensorProto.STRING:
                yield at, "the result is of strings, which PyTorch has no tensors of; write numbers"


class _Model:
    """The nodes that the mapping has for one sample, as a model."""

    def __init__(self, graph: Graph, schema: OpSchema, opset: int, sample: Sample) -> None:
        from onnx import helper

        self._graph, self._opset, self._helper = graph, opset, helper
        self._places = {id(node): i for i, node in enumerate(nodes_of(graph.statements))}
        self._names: dict[str, Any] = {}
        self._types: dict[str, str] = {}  # of tensors that are given
        self._inputs: list[Any] = []
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._chosen: dict[str, str] = {}
        self._shapes: dict[str, list[int]] = {}
        self._round = ""  # of a comprehension
        self.refused: list[tuple[int, str]] = []
        self._names["op"] = self
        for argument in schema.free:
            given = sample.get(argument.name)
            if isinstance(given, TensorList):
                words = [f"{argument.name}_{place}" for place in range(len(given.items))]
                for word, item in zip(words, given.items, strict=True):
                    self._add_input(word, item)
                self._names[argument.name] = words
                first = next(
                    (w for w, item in zip(words, given.items, strict=True) if item.dtype), ""
                )
                self._types[argument.name] = self._types.get(first, "")
            elif given is not None and given.dtype:
                self._add_input(argument.name, given)
            elif isinstance(given, Literal) and given.expression.startswith("torch."):
                dtype = given.expression.removeprefix("torch.")
                self._names[argument.name] = _number(_TYPES.get(dtype, dtype.upper()))
            elif given is not None:
                self._names[argument.name] = evaluate.text(getattr(given, "expression", "None"))
            elif argument.has_default:
                default = argument.default
                is_tuple = isinstance(default, tuple)
                self._names[argument.name] = [*default] if is_tuple else default  # type: ignore[misc]

    def _add_input(self, name: str, given: RandomTensor | Literal) -> None:
        if not given.dtype:
            self._names[name] = None
            return
        kind = _TYPES.get(given.dtype, given.dtype.upper())
        self._types[name], self._names[name] = kind, ...
        self._shapes[name] = list(given.shape)
        info = self._helper.make_tensor_value_info(name, _number(kind), self._shapes[name])
        self._inputs.append(info)

    # What a mapping asks of its arguments, as `evaluate` calls it.

    def rank(self, name: str) -> int:
        return len(self.shape(name))

    def shape(self, name: str) -> list[int]:
        return self._shapes[self._chosen.get(name, name)]

    def size(self, name: str, dimension: int) -> int:
        return self.shape(name)[dimension]

    def model(self) -> Any:
        helper = self._helper
        self._add(self._graph.statements)
        results = [word for result in self._graph.results for word in self._tensors(result)]
        outputs = [helper.make_empty_tensor_value_info(name) for name in results if name]
        graph = helper.make_graph(self._nodes, "mapping", self._inputs, outputs, self._constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", self._opset)])

    def _add(self, statements: Iterable[Statement]) -> None:
        for statement in statements:
            match statement:
                case Branch(outputs=outputs):
                    holds = evaluate.text(statement.condition, self._names)
                    self._add(statement.then if holds else statement.otherwise)
                    results = statement.then_results if holds else statement.otherwise_results
                    for output, result in zip(outputs, results, strict=True):
                        if isinstance(result, Tensors):
                            self._names[output] = self._tensors(result)
                        else:
                            self._chosen[output] = self._tensor(result)
                case Each():
                    self._add_each(statement)
                case Repeat():
                    self._add_repeat(statement)
                case Let(output=output, expression=expression):
                    self._names[output] = evaluate.text(expression, self._names)
                case Set(outputs=outputs, values=values):
                    self._set(outputs, values)
                case Listed(values=values, output=output):
                    self._names[output] = [word for each in values for word in self._tensors(each)]
                case Item(tensors=tensors, index=index, output=output):
                    found = evaluate.text(f"{tensors}[{index}]", self._names)
                    if isinstance(found, list):
                        self._names[output] = found
                    else:
                        self._bind(output, found)
                case Node():
                    self._nodes.append(self._node(statement))

    def _add_each(self, each: Each) -> None:
        made: list[str] = []
        outer = self._round
        for place, item in enumerate(evaluate.text(f"list({each.items})", self._names)):
            self._round = f"{outer}#{place}"
            values = [item] if len(each.variables) == 1 else item
            for name, value in zip(each.variables, values, strict=True):
                self._bind(name, value)
            self._add(each.statements)
            made += self._tensors(each.result)
        self._round = outer
        self._names[each.output] = made

    def _add_repeat(self, repeat: Repeat) -> None:
        outer = self._round
        for place, item in enumerate(evaluate.text(f"list({repeat.items})", self._names)):
            self._round = f"{outer}#{place}"
            values = [item] if len(repeat.variables) == 1 else item
            for name, value in zip(repeat.variables, values, strict=True):
                self._bind(name, value)
            self._add(repeat.statements)
        self._round = outer

    def _set(self, outputs: Sequence[str], values: Sequence[Value]) -> None:
        found = [self._tensors(v) if isinstance(v, Tensors) else self._tensor(v) for v in values]
        for output, value in zip(outputs, found, strict=True):
            if isinstance(value, list):
                self._names[output] = value
            else:
                self._chosen[output] = value

    def _bind(self, name: str, value: Any) -> None:
        """Gives a name to a number, or to a tensor, which is known by its own."""
        self._names[name] = value
        if isinstance(value, str):
            self._chosen[name], self._names[name] = value, self._names.get(value, ...)
            if value in self._types:
                self._types[name] = self._types[value]

    def _tensors(self, value: Value) -> list[str]:
        """What the tensors of a list are called; of one tensor, that one."""
        match value:
            case Spread(tensors=Tensors(name=name)) | Tensors(name=name):
                words: list[str] = self._names[name]
                return ["" if self._names.get(word, ...) is None else word for word in words]
            case _:
                return [self._tensor(value)]

    def _node(self, node: Node) -> Any:
        from onnx import AttributeProto

        place = self._places[id(node)]
        inputs = [word for value in node.inputs for word in self._tensors(value)]
        outputs = [f"{output}{self._round}" for output in node.outputs]
        self._chosen.update(zip(node.outputs, outputs, strict=True))
        made = self._helper.make_node(node.op, inputs, outputs, name=f"n{place}")
        definition = onnxdefs.definition(node.op, self._opset)
        for attribute in node.attributes:
            value = evaluate.text(attribute.expression, self._names)
            field = definition.attributes[attribute.name] if definition else None
            why = (
                attributes.problem_with(definition, field, value) if definition and field else None
            )
            if why := why or _problem_with_outputs(node, attribute.name, value):
                self.refused.append((place, why))
                continue
            kind = getattr(AttributeProto, attribute.kind)
            made.attribute.append(
                self._helper.make_attribute(attribute.name, value, attr_type=kind)
            )
        return made

    def _tensor(self, value: Value) -> str:
        """What the tensor is called in the model; empty where it is left out."""
        match value:
            case Omitted():
                return ""
            case Constant():
                return self._constant(value)
            case Spread() | Tensors():
                raise TypeError(value)
            case Choice(condition=condition, then=then, otherwise=otherwise):
                holds = evaluate.text(condition, self._names)
                return self._tensor(then if holds else otherwise)
            case Tensor():
                is_left_out = value.name in self._names and self._names[value.name] is None
                return "" if is_left_out else self._chosen.get(value.name, value.name)

    def _constant(self, constant: Constant) -> str:
        kind = constant.type or constant.natural
        if kind.like and not self._types.get(kind.like):
            raise CannotTell
        name = f"constant {len(self._constants)}"
        value = evaluate.text(constant.expression, self._names)
        items = value if isinstance(value, list) else [value]
        shape = [len(value)] if isinstance(value, list) else []
        number = _number(self._types[kind.like] if kind.like else kind.fixed)
        try:
            with warnings.catch_warnings(action="ignore"):  # a large float is infinite
                tensor = self._helper.make_tensor(name, number, shape, items)
        except (ValueError, TypeError, OverflowError):
            raise CannotTell from None
        self._constants.append(tensor)
        return name


def _problem_with_outputs(node: Node, name: str, value: Any) -> str | None:
    """Why the attribute cannot be this of a node with so many outputs. ONNX's inference does not
    say so of Split: it ends the process.
    """
    count = len(node.outputs)
    if node.op != "Split" or name != "num_outputs" or value == count:
        return None
    return f"attribute num_outputs of op.Split is {value}, but it has {count}; write {count}"


def _number(kind: str) -> int:
    from onnx import TensorProto

    try:
        return int(TensorProto.DataType.Value(kind))
    except ValueError:
        raise CannotTell from None


_DEFAULT = "the default sample, float32[1, 3, 10, 10] each"


def _problem(
    source: Source, node: Node, opset: int, refused: Refused, sample: str
) -> ExpressionProblem:
    fact, remedy = _words(node, opset, sample, refused.words)
    if refused.since is not None:
        remedy = f"write opset = {refused.since}, or {remedy.removeprefix('write ')}"
    return source.problem(node.place or ast.Pass(), f"{fact}; {remedy}")


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
    if words.startswith(("attribute ", "the result ")):
        fact, _, remedy = words.partition("; ")
        return f"{fact}, as in {sample}", remedy
    fact = f"ONNX refuses op.{node.op} of {sample}: {words.rstrip('.')}"
    remedy = "change the mapping, or "
    return fact, remedy + ("write [[samples]]" if sample == _DEFAULT else "the sample")


_NUMBERS = {"FLOAT": 1, "INT64": 7, "BOOL": 9, "INT32": 6, "DOUBLE": 11, "UINT8": 2}
