"""A call of an ONNX op in a mapping, held against ``onnx.defs``: inputs, attributes, results."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ..errors import did_you_mean, listed
from ..words import pyexpr
from ..words.pyexpr import ExpressionProblem, Source
from . import attributes, evaluate, forms, onnxdefs, opsets, scalars
from .bodies import BODIES, NOTHING_HELD, Held, with_defaults
from .evaluate import CannotTell
from .graph import (
    CONSTANT_TYPES,
    Attribute,
    Choice,
    Constant,
    ElementType,
    Found,
    Omitted,
    Scalar,
    Spread,
    Tensor,
    Tensors,
    Unknown,
    Value,
    as_value,
    may_be_omitted,
    natural_type,
)
from .onnxdefs import (
    ATTRIBUTE_EXAMPLES,
    REPLACED,
    Definition,
    Field,
    bind,
    bound_type,
    constant_type,
    convert,
    count_of,
    first_opset,
    formal_at,
    nearest_op,
    spoken,
    spoken_type,
    usage,
)

Input = tuple[ast.expr, Found]
Keywords = dict[str, tuple[ast.keyword, Found]]


@dataclass(frozen=True)
class Call:
    """``op.<Name>(inputs, keywords)`` or an operator on tensors, as it stands at ``place``; the
    values are read already. ``are_results`` says that its outputs are the mapping's results, of
    which 0 stands for as many as the op must have. ``held`` are its graphs.
    """

    place: ast.expr
    op: str
    inputs: tuple[Input, ...]
    keywords: Keywords
    outputs: int
    are_results: bool = False
    held: Held = NOTHING_HELD


@dataclass(frozen=True)
class Checked:
    """What a node is made of; ``types`` are those of its outputs, where they can be told."""

    inputs: tuple[Value, ...]
    attributes: tuple[Attribute, ...]
    types: tuple[ElementType | None, ...]
    formal_outputs: int


@contextmanager
def noting(problems: list[ExpressionProblem]) -> Iterator[None]:
    """Within it, a problem that is raised is noted, and ends the block."""
    try:
        yield
    except ExpressionProblem as problem:
        problems.append(problem)


class Nodes:
    """Checks calls at an opset. What is wrong goes to ``problems``, or is raised."""

    def __init__(
        self,
        source: Source,
        opset: int,
        problems: list[ExpressionProblem],
        *,
        is_converted: bool,
    ) -> None:
        self._source, self._opset, self._problems = source, opset, problems
        self._is_converted = is_converted
        self.versions: dict[str, int] = {}  # of the ops that were checked

    def checked(self, call: Call) -> Checked | None:
        """The parts of the node, or None once their problems are noted."""
        definition = self._definition(call)
        noted = len(self._problems)
        inputs, keywords = list(call.inputs), dict(call.keywords)
        found: tuple[Attribute, ...] = ()
        with noting(self._problems):  # a call of another form has no attributes of this one
            inputs = self._positions(call.place, definition, inputs, keywords)
            self._check_none(definition, inputs)
            found = self._attributes(call, definition, inputs, keywords)
        self._check_outputs(call, definition)
        if len(self._problems) > noted:
            return None
        bound = bind(definition, inputs)
        fixed = self._fixed_output(call.op, found)
        values = tuple(
            as_value(
                value, constant_type(definition, formal_at(definition.inputs, index), bound, value)
            )
            for index, (_, value) in enumerate(inputs)
        )
        for (place, _), value in zip(inputs, values, strict=True):
            self.check_constant(place, value)
        while values and isinstance(values[-1], Omitted):
            values = values[:-1]
        if call.op == "Loop":
            values = with_defaults(values)
        types = call.held.types or tuple(
            fixed or bound_type(definition, formal_at(definition.outputs, index), bound)
            for index in range(call.outputs or definition.min_output)
        )
        formal = definition.outputs
        is_variadic = formal[-1].option == "Variadic"
        return Checked(values, found, types, len(types) if is_variadic else len(formal))

    def check_has_notation(self, node: ast.Call, op: str) -> None:
        """Raises a problem of an op with graphs in it, whatever it is given."""
        definition = onnxdefs.definition(op, self._opset)
        fields = definition.attributes.values() if definition is not None else ()
        is_graph = any(field.type.startswith("GRAPH") and field.required for field in fields)
        if is_graph and op not in BODIES:
            raise self._source.problem(
                node.func,
                f"op.{op} holds a graph that the TorchScript exporter cannot write; write op.Loop, "
                "whose body takes op.Gather(x, i, axis=0) in round i, say",
            )

    def _check_outputs(self, call: Call, definition: Definition) -> None:
        lowest, highest = definition.min_output, definition.max_output
        if count := len(call.held.types):
            lowest = highest = count
        if lowest <= (call.outputs or lowest) <= highest:
            return
        outputs = count_of(lowest, highest, "output")
        are = f"{call.outputs} {'is' if call.outputs == 1 else 'are'}"
        fact = f"op.{call.op} has {outputs}, but {are} assigned; name {outputs}"
        if call.are_results and call.outputs == 1:
            fact = (
                f"op.{call.op} has {outputs}, but the schema returns one Tensor; assign {outputs} "
            )
            fact += "to names on a line above, as in x, y = ..., and return one of them"
        elif call.are_results:
            fact = f"op.{call.op} has {outputs}, but the schema returns {call.outputs} tensors; "
            fact += f"return {call.outputs} with commas between them, as in return x, y"
        raise self._source.problem(call.place, fact)

    def _definition(self, call: Call) -> Definition:
        op = call.op
        place = call.place.func if isinstance(call.place, ast.Call) else call.place
        definition = onnxdefs.definition(op, self._opset)
        if definition is not None and not definition.deprecated:
            self.versions[op] = definition.since_version
            return definition
        if definition is not None:
            remedy = REPLACED.get(op, "use the operator that replaced it")
            fact = f"op.{op} is deprecated at opset {self._opset}; {remedy}"
        elif (first := first_opset(op)) is not None:
            fact = (
                f"op.{op} does not exist at opset {self._opset}; it came with opset {first}: "
                f"write opset = {first}"
            )
            if first > opsets.HIGHEST:
                fact = fact.partition(": write")[0]
                fact += f", which no exporter writes: write it with ops up to {opsets.HIGHEST}"
        else:
            fact = f"op.{op} is not an ONNX op at opset {self._opset}{nearest_op(op, self._opset)}"
        raise self._source.problem(place, fact)

    def nearest(self, function: str) -> str:
        """The op that is meant by a function, or how to write one."""
        called = {name.lower(): name for name in onnxdefs.names(self._opset)}
        op = called.get(function.replace("_", "").lower())
        return f"; did you mean op.{op}?" if op else "; write op.Add(a, b), say"

    def _positions(
        self,
        node: ast.expr,
        definition: Definition,
        inputs: list[Input],
        keywords: Keywords,
    ) -> list[Input]:
        """The inputs in ONNX's order, those taken from ``keywords`` included; checks how many."""
        placed, written = list(inputs), dict(keywords)
        formals = [formal.name for formal in definition.inputs]
        for name in [name for name in keywords if name in formals]:
            if name in definition.attributes:
                continue
            index = formals.index(name)
            keyword, value = keywords.pop(name)
            if index < len(inputs):
                raise self._source.problem(
                    keyword,
                    f"input {name} of op.{definition.name} is given twice; remove one of them",
                )
            while len(placed) <= index:
                placed.append((node, Omitted()))
            placed[index] = (keyword.value, value)
        count = len(placed)
        for index, (place, value) in enumerate(placed):
            is_list = isinstance(value, Spread | Tensors)
            if is_list and formal_at(definition.inputs, index).option != "Variadic":
                example = "op.Concat(*tensors, axis=0)"
                raise self._source.problem(
                    place,
                    f"input {formal_at(definition.inputs, index).name} of op.{definition.name} is "
                    f"one tensor, not a list of them; write tensors[0], or {example}, say",
                )
            if isinstance(value, Tensors):
                raise self._source.problem(
                    place,
                    f"a list of tensors is given to op.{definition.name} by *; write "
                    f"*{pyexpr.show(place)}",
                )
            if isinstance(value, Spread) and value.tensors.may_have_none:
                raise self._source.problem(
                    place,
                    "tensors of the list may be None, but those of "
                    f"op.{definition.name} must be given; write [t if t is not None else 0.0 for "
                    "t in ...] before",
                )
        if any(isinstance(value, Spread) for _, value in placed):
            count = max(count, definition.min_input)
        if not definition.min_input <= count <= definition.max_input:
            expected = count_of(definition.min_input, definition.max_input, "input")
            given = f"{count} {'is' if count == 1 else 'are'}"
            words = {name: (word.value, value) for name, (word, value) in written.items()}
            # A tensor by a name that the op does not know is one of its inputs.
            known = {*formals, *definition.attributes}
            named = [k for k in words if k not in known and isinstance(words[k][1], Tensor)]
            meant = [*inputs, *(words.pop(name) for name in named)]
            raise self._source.problem(
                node,
                f"op.{definition.name} takes {expected} at opset {self._opset}, but {given} "
                f"given; {forms.remedy(definition, self._opset, meant, words)}",
            )
        for index, (place, value) in enumerate(placed):
            formal = formal_at(definition.inputs, index)
            if isinstance(value, Omitted) and formal.option != "Optional":
                raise self._source.problem(
                    place,
                    f"input {formal.name} of op.{definition.name} cannot be left out; give a tensor",
                )
        return placed

    def _check_none(self, definition: Definition, inputs: list[Input]) -> None:
        """Notes the inputs that may be None where the op wants a tensor, or Python a number."""
        for index, (place, value) in enumerate(inputs):
            formal = formal_at(definition.inputs, index)
            is_optional = formal.option == "Optional"
            if not is_optional and not isinstance(value, Omitted) and may_be_omitted(value):
                name = value.name if isinstance(value, Tensor) else "x"
                fact = f"{name} may be None" if isinstance(value, Tensor) else "this may be None"
                self._problems.append(
                    self._source.problem(
                        place,
                        f"{fact}, but input {formal.name} of op.{definition.name} must be given; "
                        f"write {name} if {name} is not None else 0.0, say",
                    )
                )
            self.needed(place, value, "None" if is_optional else "")

    def _attributes(
        self,
        call: Call,
        definition: Definition,
        inputs: list[Input],
        keywords: Keywords,
    ) -> tuple[Attribute, ...]:
        bodies = [body.attribute for body in call.held.bodies]
        known = {n: field for n, field in definition.attributes.items() if n not in bodies}
        found: list[Attribute] = []
        for name, (keyword, value) in keywords.items():
            if name not in known:
                hint = did_you_mean(name, [*known, *(formal.name for formal in definition.inputs)])
                if new := forms.input_of(name, definition):
                    hint = f"; it is an input now: write {new}={pyexpr.item(keyword.value)}"
                has = f"it has {listed(sorted(known))}" if known else "it has none: remove this"
                fact = f"op.{definition.name} has no attribute {name} at opset {self._opset}"
                problem = self._source.problem(keyword, f"{fact}{hint or '; ' + has}")
                problem.length = len(name)
                self._problems.append(problem)
            elif not isinstance(value, Omitted | Unknown):
                with noting(self._problems):
                    place = keyword.value
                    found.append(self._attribute(definition, known[name], place, value))
        missing = sorted(
            name
            for name, field in known.items()
            if field.required and (name not in keywords or isinstance(keywords[name][1], Omitted))
        )
        if missing:
            what = "attributes" if len(missing) > 1 else "attribute"
            words = [pyexpr.item(place) for place, _ in inputs]
            given = {a.name: pyexpr.item(keywords[a.name][0].value) for a in found}
            raise self._source.problem(
                call.place,
                f"op.{definition.name} needs the {what} {listed(missing)}; write "
                f"{usage(definition, words, given)}",
            )
        return tuple(found)

    def _attribute(
        self, definition: Definition, field: Field, place: ast.expr, value: Found
    ) -> Attribute:
        op = definition.name
        kind = field.type
        wanted = onnxdefs.attribute_type(field)
        if wanted is None:
            raise self._source.problem(
                place,
                f"attribute {field.name} of op.{op} is a {kind.lower()}, which has no notation; leave it out",
            )
        fact = f"attribute {field.name} of op.{op} takes {spoken(kind)}"
        example = f"{field.name}={ATTRIBUTE_EXAMPLES[kind]}, say"
        if not isinstance(value, Scalar):
            raise self._source.problem(place, f"{fact}, not a tensor; write {example}")
        if value.type.endswith("?"):
            raise self._source.problem(place, scalars.instead_of_none(value))
        converted = convert(value, wanted)
        if converted is None:
            raise self._source.problem(
                place,
                f"{fact}, not {spoken_type(value.type)}; write {example}",
            )
        if not self._is_converted:
            self._check_value(definition, field, place, value.node)
        return Attribute(field.name, kind, pyexpr.show(converted))

    def _check_value(
        self, definition: Definition, field: Field, place: ast.expr, node: ast.expr
    ) -> None:
        """Raises a problem for a value that is known already, and which the attribute cannot be."""
        if isinstance(node, ast.IfExp):
            self._check_value(definition, field, place, node.body)
            self._check_value(definition, field, place, node.orelse)
            return
        with suppress(CannotTell):
            if why := attributes.problem_with(definition, field, evaluate.value(node)):
                raise self._source.problem(place, why)

    def _fixed_output(self, op: str, found: tuple[Attribute, ...]) -> ElementType | None:
        """The element type that an attribute sets, for the ops whose inputs do not tell it."""
        for attribute in found:
            if op == "Cast" and attribute.name == "to" and attribute.expression.isdigit():
                name = onnxdefs.element_type(int(attribute.expression))
                return ElementType(fixed=name) if name is not None else None
            if op == "Constant" and attribute.name.startswith("value_"):
                kind = {"float": "FLOAT", "int": "INT64", "string": "STRING"}
                return ElementType(fixed=kind[attribute.name[len("value_") :].removesuffix("s")])
        return None

    def needed(self, place: ast.expr, value: Found, fallback: str = "") -> Found:
        """The value; `Unknown` once it is noted that it is a non-tensor that may be None."""
        if not isinstance(value, Scalar) or not value.type.endswith("?"):
            return value
        self._problems.append(self._source.problem(place, scalars.instead_of_none(value, fallback)))
        return Unknown()

    def check_constant(self, place: ast.expr, value: Found) -> None:
        """Notes a value that no tensor can be made of."""
        if isinstance(value, Choice) and isinstance(place, ast.IfExp):
            self.check_constant(place.body, value.then)
            self.check_constant(place.orelse, value.otherwise)
        elif isinstance(value, Scalar | Constant):
            natural = value.natural if isinstance(value, Constant) else natural_type(value)
            kind = value.type if isinstance(value, Constant) and value.type else natural
            if natural.fixed == "STRING":
                self._problems.append(
                    self._source.problem(
                        place, "text cannot be a tensor; write a number, or an attribute's name"
                    )
                )
            elif not kind.like and kind.fixed not in CONSTANT_TYPES:
                self._problems.append(
                    self._source.problem(
                        place,
                        f"a constant cannot be of the element type {kind.fixed}; write "
                        "op.Cast(a, to=1), say, for the tensor beside it",
                    )
                )
