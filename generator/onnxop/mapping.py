"""The mapping: onnxscript notation, parsed with ``ast`` and checked against ``onnx.defs``.

The result is a small graph of values and nodes; both exporters' rules are printed from it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from onnxop import names, opsets, pyexpr
from onnxop.errors import did_you_mean, listed
from onnxop.graph import (
    CONSTANT_TYPES,
    Attribute,
    Branch,
    Choice,
    Constant,
    ElementType,
    Found,
    Graph,
    Node,
    Omitted,
    Scalar,
    Statement,
    Tensor,
    Unknown,
    as_value,
    form_of,
    is_list,
    may_be_omitted,
    natural_type,
    type_of,
)
from onnxop.onnxdefs import (
    ATTRIBUTE_EXAMPLES,
    ATTRIBUTE_TYPES,
    REPLACED,
    bind,
    bound_type,
    convert,
    count_of,
    first_opset,
    formal_at,
    nearest_op,
    spoken,
    spoken_type,
    usage,
)
from onnxop.pyexpr import ExpressionProblem, ExpressionProblems, Source
from onnxop.schema import UNKNOWN_TYPE, OpSchema


def lower(text: str, schema: OpSchema | None, opset: int) -> Graph:
    """The graph of a mapping at an opset.

    Without a schema every name may be an argument's, and the graph serves no purpose.

    Raises:
        ExpressionProblems: all that is wrong with it.
    """
    try:
        source, body = pyexpr.parse(text)
    except ExpressionProblem as problem:
        raise ExpressionProblems([problem]) from None
    lowering = _Lowering(source, schema, opset)
    graph = lowering.graph(body)
    if graph is None:
        raise ExpressionProblems(lowering.problems)
    return graph


def last_opset(text: str, schema: OpSchema, first: int) -> int:
    """The highest opset up to which a mapping that holds at ``first`` goes on to hold, and to be
    the same nodes: ``axes`` of ``ReduceSum``, say, is an attribute before 13 and an input since.
    """
    form = form_of(lower(text, schema, first).statements)
    for opset in range(first + 1, opsets.HIGHEST + 1):
        try:
            graph = lower(text, schema, opset)
        except ExpressionProblems:
            return opset - 1
        if form_of(graph.statements) != form:
            return opset - 1
    return opsets.HIGHEST


_OPERATORS: dict[type[ast.AST], str] = {
    ast.Add: "Add",
    ast.Sub: "Sub",
    ast.Mult: "Mul",
    ast.Div: "Div",
    ast.Pow: "Pow",
    ast.MatMult: "MatMul",
    ast.USub: "Neg",
    ast.Lt: "Less",
    ast.LtE: "LessOrEqual",
    ast.Gt: "Greater",
    ast.GtE: "GreaterOrEqual",
    ast.Eq: "Equal",
}
_SCALAR_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_TAKEN = frozenset(
    "Any bool constant float int ir omitted op str symbolic symbolic_helper torch translation".split()
)
"""What the code of a mapping may name besides its own: modules, types and functions."""


_SUBSET = (
    "a mapping may hold op.<Name>(...), argument names, literals, lists, arithmetic, "
    "x if condition else y, assignments and return"
)


class _Lowering:
    """Walks the mapping. What is wrong goes to ``problems``, and stands for an `Unknown` value."""

    def __init__(self, source: Source, schema: OpSchema | None, opset: int) -> None:
        self._source, self._opset = source, opset
        self._is_open = schema is None
        self._names: dict[str, Found] = {}
        for argument in schema.arguments if schema else ():
            value: Found = Scalar(ast.Name(argument.name), argument.type)
            if argument.is_tensor:
                value = Tensor(argument.name, ElementType(like=argument.name))
            elif argument.type == UNKNOWN_TYPE:
                value = Unknown()
            self._names[argument.name] = value
        self._arguments = tuple(self._names)
        self._taken = {*self._names, *_TAKEN}
        self._statements: list[Statement] = []
        self.problems: list[ExpressionProblem] = []

    def graph(self, body: list[ast.stmt]) -> Graph | None:
        """The graph of the statements, or None once their problems are noted."""
        if not body:
            self.problems.append(ExpressionProblem("empty; write op.Add(a, b), say", 0))
            return None
        *before, last = body
        for statement in before:
            with self._noting():
                self._assign(statement)
        result: Found = Unknown()
        with self._noting():
            result = self._result(last, is_alone=not before)
        if self.problems or isinstance(result, Unknown):
            return None
        return Graph(tuple(self._statements), as_value(result, None))

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except ExpressionProblem as problem:
            self.problems.append(problem)

    def _result(self, last: ast.stmt, *, is_alone: bool) -> Found:
        may_end = isinstance(last, ast.Return) or (isinstance(last, ast.Expr) and is_alone)
        node = last.value if isinstance(last, ast.Return | ast.Expr) else None
        if node is None or not may_end:
            if not isinstance(last, ast.Return):
                with self._noting():
                    self._assign(last)
            raise self._source.problem(
                last, "the last line must return the result; write return op.Add(a, b), say"
            )
        result = self._value(node, hint="result")
        if isinstance(result, Scalar | Omitted) or may_be_omitted(result):
            raise self._source.problem(
                node, "the result must be a tensor: write the output of an op.<Name>(...)"
            )
        if isinstance(result, Tensor) and result.name in self._arguments:
            raise self._source.problem(
                node,
                f"the result is argument {result.name} itself; write op.Identity({result.name})",
            )
        return result

    def _assign(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Return):
            raise self._source.problem(
                statement, "the lines after this return are never reached; remove them or it"
            )
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            raise self._source.problem(statement, f"not allowed here: {_SUBSET}")
        target = statement.targets[0]
        words = target.elts if isinstance(target, ast.Tuple) else [target]
        wanted = [word.id if isinstance(word, ast.Name) else "" for word in words]
        for word in words:
            with self._noting():
                self._check_target(word)
        results: tuple[Found, ...] = tuple(Unknown() for _ in wanted)
        with self._noting():
            if isinstance(target, ast.Tuple):
                results = self._outputs(statement.value, tuple(wanted))
            else:
                results = (self._value(statement.value, hint=wanted[0]),)
        self._names.update(zip(wanted, results, strict=True))

    def _check_target(self, word: ast.expr) -> None:
        if not isinstance(word, ast.Name):
            raise self._source.problem(
                word, "only a plain name can be assigned to; write x = op.Add(a, b), say"
            )
        if word.id == "op":
            raise self._source.problem(word, "op stands for ONNX's operators; rename it")
        if why := names.problem_with(word.id):
            raise self._source.problem(word, f"the name {word.id!r} {why}; choose another")

    def _value(self, node: ast.expr, hint: str = "") -> Found:
        try:
            return self._read(node, hint)
        except ExpressionProblem as problem:
            self.problems.append(problem)
            return Unknown()

    def _read(self, node: ast.expr, hint: str) -> Found:
        match node:
            case ast.Name(id=name):
                return self._named(node, name)
            case ast.Constant(value=None):
                return Omitted()
            case ast.Constant(value=bool() | int() | float() | str() as value):
                if isinstance(value, int) and not -(2**63) <= value < 2**63:
                    raise self._source.problem(
                        node, "this integer does not fit in 64 bits; write a float, such as 1e20"
                    )
                return Scalar(node, type(value).__name__)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return self._list(node, items)
            case ast.Call():
                return self._outputs(node, (hint,))[0]
            case ast.UnaryOp() | ast.BinOp() | ast.Compare() | ast.BoolOp():
                return self._operation(node, hint)
            case ast.IfExp():
                return self._conditional(node, hint)
            case _:
                raise self._source.problem(node, f"not allowed here: {_SUBSET}")

    def _named(self, node: ast.expr, name: str) -> Found:
        if name in self._names:
            return self._names[name]
        if self._is_open and name != "op":
            return Unknown()
        if name == "op":
            raise self._source.problem(node, "op alone is no value; write op.Add(a, b), say")
        known = [known for known in self._names if known]
        raise self._source.problem(
            node,
            f"{name} is neither an argument nor assigned before"
            f"{did_you_mean(name, known) or '; known here: ' + listed(known)}",
        )

    def _list(self, node: ast.expr, items: list[ast.expr]) -> Found:
        scalars: list[Scalar] = []
        for item in items:
            value = self._value(item)
            if isinstance(value, Scalar):
                scalars.append(value)
            elif not isinstance(value, Unknown):
                self.problems.append(
                    self._source.problem(
                        item,
                        "a list holds literals and non-tensor arguments; for tensors write "
                        "op.Concat(a, b, axis=0), say",
                    )
                )
        if len(scalars) < len(items):
            return Unknown()
        types = {scalar.type for scalar in scalars}
        if types == {"int", "float"}:
            types = {"float"}
        if len(types) > 1 or any(kind.endswith("[]") for kind in types):
            raise self._source.problem(node, "a list must hold scalars of one type; write [1, 2]")
        return Scalar(ast.List([s.node for s in scalars]), f"{(types or {'int'}).pop()}[]")

    def _operation(self, node: ast.expr, hint: str) -> Found:
        parts: list[Any]
        match node:
            case ast.UnaryOp(operand=operand):
                operands, parts = [operand], [node.op]
            case ast.BinOp(left=left, right=right):
                operands, parts = [left, right], [node.op]
            case ast.Compare(left=left, ops=signs, comparators=others):
                operands, parts = [left, *others], list(signs)
            case ast.BoolOp(values=operands):
                parts = [node.op]
            case _:
                raise TypeError(node)
        values = [self._value(operand) for operand in operands]
        if any(isinstance(value, Unknown) for value in values):
            return Unknown()
        scalars = [value for value in values if isinstance(value, Scalar)]
        if len(scalars) == len(values):
            return self._scalar_operation(node, parts, scalars)
        op = _OPERATORS.get(type(parts[0])) if len(parts) == 1 else None
        if op is None:
            raise self._source.problem(
                node, "this operator does not work on tensors; write it with op.<Name>(...)"
            )
        return self._node(node, op, list(zip(operands, values, strict=True)), {}, (hint,))[0]

    def _scalar_operation(self, node: ast.expr, parts: list[Any], scalars: list[Scalar]) -> Scalar:
        types = {scalar.type for scalar in scalars}
        nodes = [scalar.node for scalar in scalars]
        numbers = types <= {"int", "float", "bool"}
        match node:
            case ast.Compare(ops=signs) if numbers or types == {"str"}:
                return Scalar(ast.Compare(nodes[0], signs, nodes[1:]), "bool")
            case ast.BoolOp(op=sign) if types == {"bool"}:
                return Scalar(ast.BoolOp(sign, nodes), "bool")
            case ast.UnaryOp(op=ast.Not()) if types == {"bool"}:
                return Scalar(ast.UnaryOp(ast.Not(), nodes[0]), "bool")
            case ast.UnaryOp(op=sign) if numbers and not isinstance(sign, ast.Not | ast.Invert):
                kind = "float" if "float" in types else "int"
                return Scalar(ast.UnaryOp(sign, nodes[0]), kind)
            case ast.BinOp(op=sign) if numbers and isinstance(sign, _SCALAR_OPERATORS):
                whole = "float" not in types and not isinstance(sign, ast.Div)
                return Scalar(ast.BinOp(nodes[0], sign, nodes[1]), "int" if whole else "float")
            case ast.BinOp(op=ast.Add() as sign) if len(types) == 1 and "[]" in types.copy().pop():
                return Scalar(ast.BinOp(nodes[0], sign, nodes[1]), types.pop())
            case _:
                raise self._source.problem(
                    node, f"this does not work on {listed(sorted(types))}; {_SUBSET}"
                )

    def _conditional(self, node: ast.IfExp, hint: str) -> Found:
        test = self._value(node.test)
        if not isinstance(test, Scalar | Unknown) or is_list(test):
            test = Unknown()
            self.problems.append(
                self._source.problem(
                    node.test,
                    "the condition must be on non-tensor arguments; for tensors write "
                    "op.Where(condition, x, y)",
                )
            )
        outer, self._statements = self._statements, []
        then, then_statements = self._value(node.body), tuple(self._statements)
        self._statements = []
        otherwise, else_statements = self._value(node.orelse), tuple(self._statements)
        self._statements = outer
        if isinstance(test, Unknown) or isinstance(then, Unknown) or isinstance(otherwise, Unknown):
            return Unknown()
        condition = pyexpr.show(test.node)
        if isinstance(then, Scalar) and isinstance(otherwise, Scalar):
            types = {then.type, otherwise.type}
            if types not in ({then.type}, {"int", "float"}):
                raise self._source.problem(node, "both branches must have one type")
            kind = then.type if len(types) == 1 else "float"
            return Scalar(ast.IfExp(test.node, then.node, otherwise.node), kind)
        self._check_constant(node.body, then)
        self._check_constant(node.orelse, otherwise)
        if not then_statements and not else_statements:
            return Choice(condition, as_value(then, None), as_value(otherwise, None))
        left, right = as_value(then, type_of(otherwise)), as_value(otherwise, type_of(then))
        if isinstance(left, Omitted) or isinstance(right, Omitted):
            raise self._source.problem(
                node, "a branch that computes cannot stand beside None; assign it first"
            )
        name = self._fresh(hint or "chosen")
        self._statements.append(
            Branch(condition, then_statements, else_statements, left, right, name)
        )
        return Tensor(name, type_of(left))

    def _outputs(self, node: ast.expr, wanted: tuple[str, ...]) -> tuple[Found, ...]:
        func = node.func if isinstance(node, ast.Call) else None
        if not (
            isinstance(node, ast.Call)
            and isinstance(func, ast.Attribute)
            and isinstance(func.value, ast.Name)
            and func.value.id == "op"
        ):
            if isinstance(node, ast.Call):
                for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                    self._value(part)
            raise self._source.problem(
                node if func is None else func, f"only op.<Name>(...) can be called: {_SUBSET}"
            )
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self._source.problem(argument, "* is not allowed; write the inputs out")
        inputs = [(argument, self._value(argument)) for argument in node.args]
        keywords: dict[str, tuple[ast.keyword, Found]] = {}
        for keyword in node.keywords:
            value = self._value(keyword.value)
            if keyword.arg is None:
                raise self._source.problem(
                    keyword.value, "** is not allowed; write the attributes out"
                )
            if keyword.arg in keywords:
                raise self._source.problem(
                    keyword, f"{keyword.arg} is given twice; remove one of them"
                )
            keywords[keyword.arg] = (keyword, value)
        return self._node(node, func.attr, inputs, keywords, wanted)

    def _node(
        self,
        node: ast.expr,
        op: str,
        inputs: list[tuple[ast.expr, Found]],
        keywords: dict[str, tuple[ast.keyword, Found]],
        wanted: tuple[str, ...],
    ) -> tuple[Found, ...]:
        definition = self._definition(node, op)
        noted = len(self.problems)
        with self._noting():
            inputs = self._positions(node, definition, inputs, keywords)
        attributes = self._attributes(node, definition, keywords)
        if not definition.min_output <= len(wanted) <= definition.max_output:
            outputs = count_of(definition.min_output, definition.max_output, "output")
            raise self._source.problem(
                node, f"op.{op} has {outputs}, but {len(wanted)} are assigned; name {outputs}"
            )
        if len(self.problems) > noted:
            return tuple(Unknown() for _ in wanted)
        bound = bind(definition, inputs)
        fixed = self._fixed_output(node, op, attributes)
        values = tuple(
            as_value(value, bound_type(definition, formal_at(definition.inputs, index), bound))
            for index, (_, value) in enumerate(inputs)
        )
        for (place, _), value in zip(inputs, values, strict=True):
            self._check_constant(place, value)
        while values and isinstance(values[-1], Omitted):
            values = values[:-1]
        fresh = tuple(self._fresh(name or names.snake(op)) for name in wanted)
        self._statements.append(Node(op, values, attributes, fresh))
        return tuple(
            Tensor(name, fixed or bound_type(definition, formal_at(definition.outputs, i), bound))
            for i, name in enumerate(fresh)
        )

    def _fixed_output(
        self, node: ast.expr, op: str, attributes: tuple[Attribute, ...]
    ) -> ElementType | None:
        """The element type that an attribute sets, for the ops whose inputs do not tell it."""
        for attribute in attributes:
            if op == "Cast" and attribute.name == "to" and attribute.expression.isdigit():
                from onnx import TensorProto

                known = {number: name for name, number in TensorProto.DataType.items() if number}
                name = known.get(int(attribute.expression))
                if name is None:
                    raise self._source.problem(
                        node,
                        f"{attribute.expression} is no element type of ONNX; write to=1 for "
                        "float32, to=7 for int64 or to=10 for float16, say",
                    )
                return ElementType(fixed=name)
            if op == "Constant" and attribute.name.startswith("value_"):
                kind = {"float": "FLOAT", "int": "INT64", "string": "STRING"}
                return ElementType(fixed=kind[attribute.name[len("value_") :].removesuffix("s")])
        return None

    def _check_constant(self, place: ast.expr, value: Found) -> None:
        """Notes a value that no tensor can be made of."""
        if isinstance(value, Choice) and isinstance(place, ast.IfExp):
            self._check_constant(place.body, value.then)
            self._check_constant(place.orelse, value.otherwise)
        elif isinstance(value, Scalar | Constant):
            natural = value.natural if isinstance(value, Constant) else natural_type(value)
            kind = value.type if isinstance(value, Constant) and value.type else natural
            if natural.fixed == "STRING":
                self.problems.append(
                    self._source.problem(
                        place, "text cannot be a tensor; write a number, or an attribute's name"
                    )
                )
            elif not kind.like and kind.fixed not in CONSTANT_TYPES:
                self.problems.append(
                    self._source.problem(
                        place,
                        f"a constant cannot be of the element type {kind.fixed}; write "
                        "op.Cast(a, to=1), say, for the tensor beside it",
                    )
                )

    def _definition(self, node: ast.expr, op: str) -> Any:
        from onnx import defs

        place = node.func if isinstance(node, ast.Call) else node
        try:
            definition = defs.get_schema(op, self._opset, "")
        except defs.SchemaError:
            definition = None
        if definition is not None and not definition.deprecated:
            return definition
        if definition is not None:
            remedy = REPLACED.get(op, "use the operator that replaced it")
            fact = f"op.{op} is deprecated at opset {self._opset}; {remedy}"
        elif (first := first_opset(op)) is not None:
            fact = (
                f"op.{op} does not exist at opset {self._opset}; it came with opset {first}: "
                f"write opset = {first}"
            )
        else:
            fact = f"op.{op} is not an ONNX op at opset {self._opset}{nearest_op(op, self._opset)}"
        raise self._source.problem(place, fact)

    def _positions(
        self,
        node: ast.expr,
        definition: Any,
        inputs: list[tuple[ast.expr, Found]],
        keywords: dict[str, tuple[ast.keyword, Found]],
    ) -> list[tuple[ast.expr, Found]]:
        """The inputs in ONNX's order, those given by keyword included; checks how many."""
        placed = list(inputs)
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
        if not definition.min_input <= count <= definition.max_input:
            expected = count_of(definition.min_input, definition.max_input, "input")
            given = f"{count} {'is' if count == 1 else 'are'}"
            raise self._source.problem(
                node,
                f"op.{definition.name} takes {expected} at opset {self._opset}, but {given} "
                f"given; write {usage(definition)}",
            )
        for index, (place, value) in enumerate(placed):
            formal = formal_at(definition.inputs, index)
            if isinstance(value, Omitted) and formal.option.name == "Single":
                raise self._source.problem(
                    place,
                    f"input {formal.name} of op.{definition.name} cannot be left out; give a tensor",
                )
        return placed

    def _attributes(
        self,
        node: ast.expr,
        definition: Any,
        keywords: dict[str, tuple[ast.keyword, Found]],
    ) -> tuple[Attribute, ...]:
        known = definition.attributes
        found: list[Attribute] = []
        for name, (keyword, value) in keywords.items():
            if name not in known:
                hint = did_you_mean(name, known)
                has = f"it has {listed(sorted(known))}" if known else "it has none: remove this"
                fact = f"op.{definition.name} has no attribute {name} at opset {self._opset}"
                problem = self._source.problem(keyword, f"{fact}{hint or '; ' + has}")
                problem.length = len(name)
                self.problems.append(problem)
            elif not isinstance(value, Omitted | Unknown):
                with self._noting():
                    place = keyword.value
                    found.append(self._attribute(definition.name, known[name], place, value))
        missing = sorted(
            name
            for name, field in known.items()
            if field.required and (name not in keywords or isinstance(keywords[name][1], Omitted))
        )
        if missing:
            what = "attributes" if len(missing) > 1 else "attribute"
            raise self._source.problem(
                node,
                f"op.{definition.name} needs the {what} {listed(missing)}; write "
                f"{usage(definition)}",
            )
        return tuple(found)

    def _attribute(self, op: str, field: Any, place: ast.expr, value: Found) -> Attribute:
        kind = field.type.name
        element = ATTRIBUTE_TYPES.get(kind.removesuffix("S") if kind != "FLOATS" else "FLOAT")
        if element is None:
            raise self._source.problem(
                place,
                f"attribute {field.name} of op.{op} is a {kind.lower()}, which has no notation; leave it out",
            )
        fact = f"attribute {field.name} of op.{op} takes {spoken(kind)}"
        example = f"{field.name}={ATTRIBUTE_EXAMPLES[kind]}, say"
        if not isinstance(value, Scalar):
            raise self._source.problem(place, f"{fact}, not a tensor; write {example}")
        wanted = f"{element}[]" if kind.endswith("S") else element
        converted = convert(value, wanted)
        if converted is None:
            raise self._source.problem(
                place,
                f"{fact}, not {spoken_type(value.type)}; write {example}",
            )
        return Attribute(field.name, kind, pyexpr.show(converted))

    def _fresh(self, wanted: str) -> str:
        """A name for the generated code, whose own helpers start with an underscore."""
        wanted = wanted.lstrip("_") or "value"
        name, number = wanted, 2
        while name in self._taken or names.problem_with(name):
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        return name
