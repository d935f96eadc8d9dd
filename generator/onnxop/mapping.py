"""The mapping: onnxscript notation, parsed with ``ast`` and checked against ``onnx.defs``.

The result is a small graph of values and nodes; both exporters' rules are printed from it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from onnxop import names, opsets, pyexpr, scalars
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
_TAKEN = frozenset(
    "Any bool constant float int ir list omitted op str symbolic symbolic_helper torch translation".split()
)
"""What the code of a mapping may name besides its own: modules, types and functions."""


class _Lowering:
    """Walks the mapping. What is wrong goes to ``problems``, and stands for an `Unknown` value."""

    def __init__(self, source: Source, schema: OpSchema | None, opset: int) -> None:
        self._source, self._opset = source, opset
        self._is_open = schema is None
        self._names: dict[str, Found] = {}
        for argument in schema.free if schema else ():
            value: Found = Unknown()
            if argument.is_tensor:
                kind = ElementType(like=argument.name)
                value = Tensor(argument.name, kind, argument.is_optional)
            elif argument.type != UNKNOWN_TYPE:
                value = scalars.of_argument(argument)
            self._names[argument.name] = value
        self._arguments = tuple(self._names)
        self._held = {a.name: a.type for a in schema.arguments if a.is_held} if schema else {}
        self._given: frozenset[str] = frozenset()  # names that are known not to be None
        self._taken = {*self._names, *self._held, *_TAKEN}
        self._statements: list[Statement] = []
        self.problems: list[ExpressionProblem] = []

    def graph(self, body: list[ast.stmt]) -> Graph | None:
        """The graph of the statements, or None once their problems are noted."""
        if not body:
            self.problems.append(ExpressionProblem("empty; write op.Add(a, b), say", 0))
            return None
        called = (
            node.func for part in body for node in ast.walk(part) if isinstance(node, ast.Call)
        )
        self._taken |= {func.id for func in called if isinstance(func, ast.Name)}
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
            raise self._source.problem(statement, f"not allowed here: {scalars.SUBSET}")
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
            case ast.Call(func=ast.Name(id=name)) if name in scalars.FUNCTIONS:
                return self._function(node, name)
            case ast.Call():
                return self._outputs(node, (hint,))[0]
            case ast.Subscript():
                return self._subscript(node)
            case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
                return self._test_for_none(node)
            case ast.UnaryOp() | ast.BinOp() | ast.Compare() | ast.BoolOp():
                return self._operation(node, hint)
            case ast.IfExp():
                return self._conditional(node, hint)
            case _:
                raise self._source.problem(node, f"not allowed here: {scalars.SUBSET}")

    def _named(self, node: ast.expr, name: str) -> Found:
        if name in self._names:
            return (
                self._known_as_given(self._names[name])
                if name in self._given
                else self._names[name]
            )
        if name in self._held:
            raise self._source.problem(
                node,
                f"{name} is held at None, since a {self._held[name]} means nothing in ONNX; write "
                "the mapping without it",
            )
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

    @staticmethod
    def _known_as_given(value: Found) -> Found:
        if isinstance(value, Tensor):
            return replace(value, may_be_none=False)
        return scalars.given(value) if isinstance(value, Scalar) else value

    @contextmanager
    def _knowing(self, names_given: frozenset[str]) -> Iterator[None]:
        """Within it, these names are known not to be None."""
        before, self._given = self._given, self._given | names_given
        try:
            yield
        finally:
            self._given = before

    def _value_given(self, node: ast.expr) -> Found:
        """The value, which must not be a non-tensor that may be None."""
        return self._needed(node, self._value(node))

    def _needed(self, place: ast.expr, value: Found, fallback: str = "") -> Found:
        """The value; `Unknown` once it is noted that it is a non-tensor that may be None."""
        if not isinstance(value, Scalar) or not value.type.endswith("?"):
            return value
        self.problems.append(self._source.problem(place, scalars.instead_of_none(value, fallback)))
        return Unknown()

    def _test_for_none(self, node: ast.Compare) -> Found:
        """``x is None`` or ``x is not None``."""
        value = self._value(node.left)
        name = pyexpr.show(node.left) if isinstance(node.left, ast.Name) else ""
        right = node.comparators[0]
        if not (name and isinstance(right, ast.Constant) and right.value is None):
            raise self._source.problem(
                node, "is compares an argument with None; write x is None, or use =="
            )
        if isinstance(value, Unknown):
            return value
        tested = value.node if isinstance(value, Scalar) else None
        if isinstance(value, Tensor) and value.may_be_none:
            return Scalar(ast.Compare(ast.Name(value.name), node.ops, [right]), "bool")
        if tested is None or not isinstance(value, Scalar) or not value.type.endswith("?"):
            raise self._source.problem(
                node, f"{name} is never None here; only an optional argument can be: leave this out"
            )
        return Scalar(ast.Compare(tested, node.ops, [right]), "bool")

    def _function(self, node: ast.Call, name: str) -> Found:
        if name in self._names:
            raise self._source.problem(
                node.func,
                f"{name} is a value here, not Python's function; write a if a < b else b, say",
            )
        for word in node.keywords:
            raise self._source.problem(word.value, f"{name} takes no keywords; leave this out")
        values = [self._value_given(argument) for argument in node.args]
        for place, value in zip(node.args, values, strict=True):
            if not isinstance(value, Scalar | Unknown):
                raise self._source.problem(
                    place, f"{name} takes non-tensor arguments; for tensors write op.<Name>(...)"
                )
        found = [value for value in values if isinstance(value, Scalar)]
        if len(found) < len(values):
            return Unknown()
        return scalars.call(self._source, node, name, found)

    def _subscript(self, node: ast.Subscript) -> Found:
        value = self._value_given(node.value)
        if isinstance(value, Unknown):
            return value
        if not isinstance(value, Scalar):
            raise self._source.problem(
                node, "a tensor is not indexed here; write op.Gather(a, 0, axis=0), say"
            )
        return scalars.subscript(self._source, node, value)

    def _list(self, node: ast.expr, items: list[ast.expr]) -> Found:
        found: list[Scalar] = []
        for item in items:
            value = self._value_given(item)
            if isinstance(value, Scalar):
                found.append(value)
            elif not isinstance(value, Unknown):
                self.problems.append(
                    self._source.problem(
                        item,
                        "a list holds literals and non-tensor arguments; for tensors write "
                        "op.Concat(a, b, axis=0), say",
                    )
                )
        if len(found) < len(items):
            return Unknown()
        return scalars.list_of(self._source, node, found)

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
        values = self._operands(node, operands)
        if any(isinstance(value, Unknown) for value in values):
            return Unknown()
        found = [value for value in values if isinstance(value, Scalar)]
        if len(found) == len(values):
            return scalars.operation(self._source, node, found)
        op = _OPERATORS.get(type(parts[0])) if len(parts) == 1 else None
        if op is None:
            raise self._source.problem(
                node, "this operator does not work on tensors; write it with op.<Name>(...)"
            )
        return self._node(node, op, list(zip(operands, values, strict=True)), {}, (hint,))[0]

    def _operands(self, node: ast.expr, operands: list[ast.expr]) -> list[Found]:
        """The operands; each of ``x is not None and x > 1`` is read only where those before hold."""
        if any(isinstance(part, ast.Constant) and part.value is None for part in operands):
            raise self._source.problem(
                node, "None is compared by is alone; write x is None, or x is not None"
            )
        values: list[Found] = []
        given: frozenset[str] = frozenset()
        for operand in operands:
            with self._knowing(given):
                values.append(self._value_given(operand))
            if isinstance(node, ast.BoolOp):
                given |= _given_by(operand)[isinstance(node.op, ast.Or)]
        return values

    def _conditional(self, node: ast.IfExp, hint: str) -> Found:
        test = self._value_given(node.test)
        if not isinstance(test, Scalar | Unknown) or is_list(test):
            test = Unknown()
            self.problems.append(
                self._source.problem(
                    node.test,
                    "the condition must be on non-tensor arguments; for tensors write "
                    "op.Where(condition, x, y)",
                )
            )
        when_true, when_false = _given_by(node.test)
        then, then_statements = self._branch(node.body, when_true)
        otherwise, else_statements = self._branch(node.orelse, when_false)
        if isinstance(test, Unknown) or isinstance(then, Unknown) or isinstance(otherwise, Unknown):
            return Unknown()
        condition = pyexpr.show(test.node)
        if isinstance(then, Scalar) and isinstance(otherwise, Scalar):
            kind = scalars.joined({then.type, otherwise.type})
            if kind is None:
                raise self._source.problem(
                    node,
                    f"one branch is {spoken_type(then.type)}, the other {spoken_type(otherwise.type)}"
                    "; give both one type",
                )
            length = then.length if then.length == otherwise.length else None
            return Scalar(ast.IfExp(test.node, then.node, otherwise.node), kind, length)
        then, otherwise = self._needed(node.body, then), self._needed(node.orelse, otherwise)
        if isinstance(then, Unknown) or isinstance(otherwise, Unknown):
            return Unknown()
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
        return Tensor(name, type_of(left) or type_of(right))

    def _branch(self, node: ast.expr, given: frozenset[str]) -> tuple[Found, tuple[Statement, ...]]:
        """A branch's value and the statements it takes; the names given are not None in it."""
        outer, self._statements = self._statements, []
        with self._knowing(given):
            value = self._value(node)
        statements, self._statements = tuple(self._statements), outer
        tensors = [self._names.get(name) for name in given]
        own = {
            tensor.name for tensor in tensors if isinstance(tensor, Tensor) and tensor.may_be_none
        }
        return _without_types_like(value, own), statements

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
                node if func is None else func,
                f"only op.<Name>(...) and, on scalars, {listed(scalars.FUNCTIONS)} can be called: "
                f"{scalars.SUBSET}",
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
            self._check_none(definition, inputs)
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
            as_value(
                value, constant_type(definition, formal_at(definition.inputs, index), bound, value)
            )
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
            if isinstance(value, Omitted) and formal.option.name != "Optional":
                raise self._source.problem(
                    place,
                    f"input {formal.name} of op.{definition.name} cannot be left out; give a tensor",
                )
        return placed

    def _check_none(self, definition: Any, inputs: list[tuple[ast.expr, Found]]) -> None:
        """Notes the inputs that may be None where the op wants a tensor, or Python a number."""
        for index, (place, value) in enumerate(inputs):
            formal = formal_at(definition.inputs, index)
            is_optional = formal.option.name == "Optional"
            if not is_optional and not isinstance(value, Omitted) and may_be_omitted(value):
                name = value.name if isinstance(value, Tensor) else "x"
                fact = f"{name} may be None" if isinstance(value, Tensor) else "this may be None"
                self.problems.append(
                    self._source.problem(
                        place,
                        f"{fact}, but input {formal.name} of op.{definition.name} must be given; "
                        f"write {name} if {name} is not None else 0.0, say",
                    )
                )
            self._needed(place, value, "None" if is_optional else "")

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
        if value.type.endswith("?"):
            raise self._source.problem(place, scalars.instead_of_none(value))
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


def _given_by(test: ast.expr) -> tuple[frozenset[str], frozenset[str]]:
    """The names that are not None where the condition holds, and where it does not."""
    nothing: frozenset[str] = frozenset()
    match test:
        case ast.Compare(
            left=ast.Name(id=name), ops=[sign], comparators=[ast.Constant(value=None)]
        ):
            found = frozenset({name})
            if isinstance(sign, ast.IsNot):
                return found, nothing
            return nothing, (found if isinstance(sign, ast.Is) else nothing)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            holds, fails = _given_by(operand)
            return fails, holds
        case ast.BoolOp(op=op, values=values):
            parts = [_given_by(value) for value in values]
            all_hold, all_fail = (nothing.union(*side) for side in zip(*parts, strict=True))
            if isinstance(op, ast.And):
                return all_hold, frozenset.intersection(*(fails for _, fails in parts))
            return frozenset.intersection(*(holds for holds, _ in parts)), all_fail
        case _:
            return nothing, nothing


def _without_types_like(value: Found, tensors: set[str]) -> Found:
    """The value as it is seen from outside the branch in which alone these tensors are given:
    constants elsewhere cannot take over their element types.
    """
    match value:
        case Tensor(type=ElementType(like=name)) if name in tensors:
            return replace(value, type=None)
        case Choice(then=then, otherwise=otherwise):
            return replace(
                value,
                then=as_value(_without_types_like(then, tensors), None),
                otherwise=as_value(_without_types_like(otherwise, tensors), None),
            )
        case _:
            return value
