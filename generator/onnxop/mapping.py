"""The mapping: onnxscript notation, parsed with ``ast`` and checked against ``onnx.defs``.

The result is a small graph of values and nodes; both exporters' rules are printed from it.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace
from typing import Any

from onnxop import names, opsets, pyexpr
from onnxop.errors import did_you_mean, listed
from onnxop.pyexpr import ExpressionProblem, Source
from onnxop.schema import OpSchema


@dataclass(frozen=True)
class ElementType:
    """An element type: that of a tensor argument (``like``), or one of ONNX's own (``fixed``)."""

    like: str = ""
    fixed: str = ""


@dataclass(frozen=True)
class Tensor:
    """A tensor argument or a node's output. ``type`` is None where it cannot be told."""

    name: str
    type: ElementType | None


@dataclass(frozen=True)
class Constant:
    """A Python expression over the non-tensor arguments, where a tensor is wanted.

    ``type`` is that of the tensors beside it, ``natural`` the one it has where there are none.
    """

    expression: str
    natural: ElementType
    type: ElementType | None = None


@dataclass(frozen=True)
class Omitted:
    """An optional input that is left out."""


@dataclass(frozen=True)
class Choice:
    """One value or the other, by a condition on the non-tensor arguments."""

    condition: str
    then: Value
    otherwise: Value


@dataclass(frozen=True)
class Scalar:
    """A non-tensor expression; ``type`` is int, float, bool, str, or one of them with ``[]``."""

    node: ast.expr
    type: str


Value = Tensor | Constant | Omitted | Choice


@dataclass(frozen=True)
class Attribute:
    """A node's attribute: ``kind`` is ONNX's (FLOAT, INTS, ...), ``expression`` is Python."""

    name: str
    kind: str
    expression: str


@dataclass(frozen=True)
class Node:
    """``outputs = op(inputs, attributes)``."""

    op: str
    inputs: tuple[Value, ...]
    attributes: tuple[Attribute, ...]
    outputs: tuple[str, ...]


@dataclass(frozen=True)
class Branch:
    """``output`` is computed by one list of statements or by the other."""

    condition: str
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]
    then_result: Value
    otherwise_result: Value
    output: str


Statement = Node | Branch


@dataclass(frozen=True)
class Graph:
    """The mapping at one opset: statements in order, and the operator's result."""

    statements: tuple[Statement, ...]
    result: Value


def lower(text: str, schema: OpSchema, opset: int) -> Graph:
    """The graph of a mapping at an opset. Raises `ExpressionProblem`, which says what to mend."""
    source, body = pyexpr.parse(text)
    return _Lowering(source, schema, opset).graph(body)


def last_opset(text: str, schema: OpSchema, first: int) -> int:
    """The highest opset up to which a mapping that holds at ``first`` goes on to hold."""
    for opset in range(first + 1, opsets.HIGHEST + 1):
        try:
            lower(text, schema, opset)
        except ExpressionProblem:
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
_ONNX_TYPES = {"float": "FLOAT", "int": "INT64", "bool": "BOOL", "str": "STRING"}
_ATTRIBUTE_TYPES = {"FLOAT": "float", "INT": "int", "STRING": "str"}
_SUBSET = (
    "a mapping may hold op.<Name>(...), argument names, literals, lists, arithmetic, "
    "x if condition else y, assignments and return"
)


class _Lowering:
    def __init__(self, source: Source, schema: OpSchema, opset: int) -> None:
        self._source, self._opset = source, opset
        self._names: dict[str, Value | Scalar] = {}
        for argument in schema.arguments:
            if argument.is_tensor:
                value: Value | Scalar = Tensor(argument.name, ElementType(like=argument.name))
            else:
                value = Scalar(ast.Name(argument.name), argument.type)
            self._names[argument.name] = value
        self._arguments = tuple(self._names)
        self._taken = {*self._names, "op", "torch"}
        self._statements: list[Statement] = []

    def graph(self, body: list[ast.stmt]) -> Graph:
        if not body:
            raise ExpressionProblem("empty; write op.Add(a, b), say", 0)
        *before, last = body
        for statement in before:
            self._assign(statement)
        may_end = isinstance(last, ast.Return) or (isinstance(last, ast.Expr) and not before)
        result_node = last.value if isinstance(last, ast.Return | ast.Expr) else None
        if result_node is None or not may_end:
            raise self._source.problem(last, "the last line must be a return of the result")
        result = self._value(result_node, hint="result")
        if isinstance(result, Scalar | Omitted) or _may_be_omitted(result):
            raise self._source.problem(
                result_node, "the result must be a tensor: the output of an op.<Name>(...)"
            )
        if isinstance(result, Tensor) and result.name in self._arguments:
            raise self._source.problem(
                result_node,
                f"the result is argument {result.name} itself; write op.Identity({result.name})",
            )
        return Graph(tuple(self._statements), _as_value(result, None))

    def _assign(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Return):
            raise self._source.problem(statement, "lines after return are never reached")
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            raise self._source.problem(statement, f"not allowed here: {_SUBSET}")
        target = statement.targets[0]
        words = target.elts if isinstance(target, ast.Tuple) else [target]
        wanted: list[str] = []
        for word in words:
            if not isinstance(word, ast.Name):
                raise self._source.problem(word, "only a plain name can be assigned to")
            if word.id == "op":
                raise self._source.problem(word, "op stands for ONNX's operators; rename it")
            if why := names.problem_with(word.id):
                raise self._source.problem(word, f"the name {word.id!r} {why}; choose another")
            wanted.append(word.id)
        if isinstance(target, ast.Tuple):
            results = self._outputs(statement.value, tuple(wanted))
            self._names.update(zip(wanted, results, strict=True))
        else:
            self._names[wanted[0]] = self._value(statement.value, hint=wanted[0])

    def _value(self, node: ast.expr, hint: str = "") -> Value | Scalar:
        match node:
            case ast.Name(id=name):
                return self._named(node, name)
            case ast.Constant(value=None):
                return Omitted()
            case ast.Constant(value=value) if isinstance(value, bool | int | float | str):
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
                raise self._source.problem(node, f"not allowed in a mapping: {_SUBSET}")

    def _named(self, node: ast.expr, name: str) -> Value | Scalar:
        if name in self._names:
            return self._names[name]
        if name == "op":
            raise self._source.problem(node, "op alone is no value; write op.Add(a, b), say")
        raise self._source.problem(
            node,
            f"{name} is neither an argument nor assigned before"
            f"{did_you_mean(name, self._names) or '; arguments: ' + listed(self._arguments)}",
        )

    def _list(self, node: ast.expr, items: list[ast.expr]) -> Scalar:
        scalars = [self._scalar(item) for item in items]
        types = {scalar.type for scalar in scalars}
        if types == {"int", "float"}:
            types = {"float"}
        if len(types) > 1 or any(kind.endswith("[]") for kind in types):
            raise self._source.problem(node, "a list must hold scalars of one type")
        return Scalar(ast.List([s.node for s in scalars]), f"{(types or {'int'}).pop()}[]")

    def _scalar(self, node: ast.expr) -> Scalar:
        value = self._value(node)
        if not isinstance(value, Scalar):
            raise self._source.problem(
                node, "expected a literal or a non-tensor argument, found a tensor"
            )
        return value

    def _operation(self, node: ast.expr, hint: str) -> Value | Scalar:
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

    def _conditional(self, node: ast.IfExp, hint: str) -> Value | Scalar:
        test = self._value(node.test)
        if not isinstance(test, Scalar) or test.type.endswith("[]"):
            raise self._source.problem(
                node.test,
                "the condition must be on non-tensor arguments; for tensors write op.Where(...)",
            )
        condition = pyexpr.show(test.node)
        outer, self._statements = self._statements, []
        then, then_statements = self._value(node.body), tuple(self._statements)
        self._statements = []
        otherwise, else_statements = self._value(node.orelse), tuple(self._statements)
        self._statements = outer
        if isinstance(then, Scalar) and isinstance(otherwise, Scalar):
            types = {then.type, otherwise.type}
            if types not in ({then.type}, {"int", "float"}):
                raise self._source.problem(node, "both branches must have one type")
            kind = then.type if len(types) == 1 else "float"
            return Scalar(ast.IfExp(test.node, then.node, otherwise.node), kind)
        if not then_statements and not else_statements:
            return Choice(condition, _as_value(then, None), _as_value(otherwise, None))
        left, right = _as_value(then, _type_of(otherwise)), _as_value(otherwise, _type_of(then))
        if isinstance(left, Omitted) or isinstance(right, Omitted):
            raise self._source.problem(
                node, "a branch that computes cannot stand beside None; assign it first"
            )
        name = self._fresh(hint or "chosen")
        self._statements.append(
            Branch(condition, then_statements, else_statements, left, right, name)
        )
        return Tensor(name, _type_of(left))

    def _outputs(self, node: ast.expr, wanted: tuple[str, ...]) -> tuple[Tensor, ...]:
        func = node.func if isinstance(node, ast.Call) else None
        if not (
            isinstance(node, ast.Call)
            and isinstance(func, ast.Attribute)
            and isinstance(func.value, ast.Name)
            and func.value.id == "op"
        ):
            raise self._source.problem(node, f"only op.<Name>(...) can be called; {_SUBSET}")
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self._source.problem(argument, "write the inputs out, without *")
        inputs = [(argument, self._value(argument)) for argument in node.args]
        keywords: dict[str, tuple[ast.expr, Value | Scalar]] = {}
        for keyword in node.keywords:
            if keyword.arg is None:
                raise self._source.problem(keyword.value, "write the attributes out, without **")
            keywords[keyword.arg] = (keyword.value, self._value(keyword.value))
        return self._node(node, func.attr, inputs, keywords, wanted)

    def _node(
        self,
        node: ast.expr,
        op: str,
        inputs: list[tuple[ast.expr, Value | Scalar]],
        keywords: dict[str, tuple[ast.expr, Value | Scalar]],
        wanted: tuple[str, ...],
    ) -> tuple[Tensor, ...]:
        definition = self._definition(node, op)
        inputs = self._positions(node, definition, inputs, keywords)
        bound = _bind(definition, inputs)
        values = tuple(
            _as_value(value, _bound_type(definition, _formal(definition.inputs, index), bound))
            for index, (_, value) in enumerate(inputs)
        )
        while values and isinstance(values[-1], Omitted):
            values = values[:-1]
        attributes = self._attributes(node, definition, keywords)
        if not definition.min_output <= len(wanted) <= definition.max_output:
            raise self._source.problem(
                node,
                f"op.{op} has {_count(definition.min_output, definition.max_output, 'output')}, "
                f"but {len(wanted)} are assigned",
            )
        outputs = tuple(self._fresh(name or names.snake(op)) for name in wanted)
        self._statements.append(Node(op, values, attributes, outputs))
        fixed = _fixed_output(op, attributes)
        return tuple(
            Tensor(name, fixed or _bound_type(definition, _formal(definition.outputs, i), bound))
            for i, name in enumerate(outputs)
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
            fact = (
                f"op.{op} is deprecated at opset {self._opset}; use the operator that replaced it"
            )
        elif (first := _first_opset(op)) is not None:
            fact = (
                f"op.{op} does not exist at opset {self._opset}; it came with opset {first}: "
                f"write opset = {first}"
            )
        else:
            fact = f"op.{op} is not an ONNX op at opset {self._opset}{_nearest_op(op, self._opset)}"
        raise self._source.problem(place, fact)

    def _positions(
        self,
        node: ast.expr,
        definition: Any,
        inputs: list[tuple[ast.expr, Value | Scalar]],
        keywords: dict[str, tuple[ast.expr, Value | Scalar]],
    ) -> list[tuple[ast.expr, Value | Scalar]]:
        """The inputs in ONNX's order, those given by keyword included; checks how many."""
        placed = list(inputs)
        formals = [formal.name for formal in definition.inputs]
        for name in [name for name in keywords if name in formals]:
            if name in definition.attributes:
                continue
            index = formals.index(name)
            if index < len(inputs):
                raise self._source.problem(
                    keywords[name][0], f"input {name} of op.{definition.name} is given twice"
                )
            while len(placed) <= index:
                placed.append((node, Omitted()))
            placed[index] = keywords.pop(name)
        count = len(placed)
        if not definition.min_input <= count <= definition.max_input:
            expected = _count(definition.min_input, definition.max_input, "input")
            raise self._source.problem(
                node,
                f"op.{definition.name} takes {expected} ({listed(formals)}) at opset "
                f"{self._opset}, but {count} {'is' if count == 1 else 'are'} given",
            )
        for index, (place, value) in enumerate(placed):
            formal = _formal(definition.inputs, index)
            if isinstance(value, Omitted) and formal.option.name == "Single":
                raise self._source.problem(
                    place, f"input {formal.name} of op.{definition.name} cannot be left out"
                )
        return placed

    def _attributes(
        self,
        node: ast.expr,
        definition: Any,
        keywords: dict[str, tuple[ast.expr, Value | Scalar]],
    ) -> tuple[Attribute, ...]:
        known = definition.attributes
        found: list[Attribute] = []
        for name, (place, value) in keywords.items():
            if name not in known:
                hint = did_you_mean(name, known)
                has = f"; it has {listed(sorted(known))}" if known else "; it has none"
                raise self._source.problem(
                    place,
                    f"op.{definition.name} has no attribute {name} at opset {self._opset}"
                    f"{hint or has}",
                )
            if isinstance(value, Omitted):
                continue
            found.append(self._attribute(definition.name, known[name], place, value))
        given = {attribute.name for attribute in found}
        missing = [name for name, field in known.items() if field.required and name not in given]
        if missing:
            raise self._source.problem(
                node, f"op.{definition.name} needs the attribute {listed(sorted(missing))}"
            )
        return tuple(found)

    def _attribute(self, op: str, field: Any, place: ast.expr, value: Value | Scalar) -> Attribute:
        kind = field.type.name
        element = _ATTRIBUTE_TYPES.get(kind.removesuffix("S") if kind != "FLOATS" else "FLOAT")
        if element is None:
            raise self._source.problem(
                place, f"attribute {field.name} of op.{op} is a {kind.lower()}; it has no notation"
            )
        if not isinstance(value, Scalar):
            raise self._source.problem(
                place, f"attribute {field.name} of op.{op} takes {_spoken(kind)}, not a tensor"
            )
        wanted = f"{element}[]" if kind.endswith("S") else element
        converted = _convert(value, wanted)
        if converted is None:
            raise self._source.problem(
                place,
                f"attribute {field.name} of op.{op} takes {_spoken(kind)}, "
                f"not {_spoken_type(value.type)}",
            )
        return Attribute(field.name, kind, pyexpr.show(converted))

    def _fresh(self, wanted: str) -> str:
        name, number = wanted, 2
        while name in self._taken or names.problem_with(name):
            name, number = f"{wanted}_{number}", number + 1
        self._taken.add(name)
        return name


def _bind(definition: Any, inputs: list[tuple[ast.expr, Value | Scalar]]) -> dict[str, ElementType]:
    """The element types of the op's type variables, as its tensor inputs settle them."""
    bound: dict[str, ElementType] = {}
    for index, (_, value) in enumerate(inputs):
        formal = _formal(definition.inputs, index)
        if isinstance(value, Scalar) or not formal.is_homogeneous:
            continue
        kind = _type_of(value)
        if kind is not None:
            bound.setdefault(formal.type_str, kind)
    return bound


def _bound_type(definition: Any, formal: Any, bound: dict[str, ElementType]) -> ElementType | None:
    if formal.type_str in bound:
        return bound[formal.type_str]
    allowed: list[str] = [formal.type_str]
    for constraint in definition.type_constraints:
        if constraint.type_param_str == formal.type_str:
            allowed = list(constraint.allowed_type_strs)
    if len(allowed) == 1 and allowed[0].startswith("tensor("):
        return ElementType(fixed=allowed[0][len("tensor(") : -1].upper())
    return None


def _fixed_output(op: str, attributes: tuple[Attribute, ...]) -> ElementType | None:
    """The element type that an attribute sets, for the ops whose inputs do not tell it."""
    for attribute in attributes:
        if op == "Cast" and attribute.name == "to" and attribute.expression.isdigit():
            from onnx import TensorProto

            return ElementType(fixed=TensorProto.DataType.Name(int(attribute.expression)))
        if op == "Constant" and attribute.name.startswith("value_"):
            kind = {"float": "FLOAT", "int": "INT64", "string": "STRING"}
            return ElementType(fixed=kind[attribute.name[len("value_") :].removesuffix("s")])
    return None


def _formal(formals: Any, index: int) -> Any:
    return formals[min(index, len(formals) - 1)]


def _type_of(value: Value | Scalar) -> ElementType | None:
    match value:
        case Tensor(type=kind) | Constant(type=kind):
            return kind
        case Choice(then=then, otherwise=otherwise):
            return _type_of(then) or _type_of(otherwise)
        case _:
            return None


def _as_value(value: Value | Scalar, kind: ElementType | None) -> Value:
    """The value with its constants given the element type that is wanted, where one is."""
    match value:
        case Scalar():
            return Constant(pyexpr.show(value.node), _default_type(value), kind)
        case Constant(type=None):
            return replace(value, type=kind)
        case Choice(condition=condition, then=then, otherwise=otherwise):
            kind = kind or _type_of(value)
            return Choice(condition, _as_value(then, kind), _as_value(otherwise, kind))
        case _:
            return value


def _may_be_omitted(value: Value | Scalar) -> bool:
    if isinstance(value, Choice):
        return _may_be_omitted(value.then) or _may_be_omitted(value.otherwise)
    return isinstance(value, Omitted)


def _default_type(value: Scalar) -> ElementType:
    return ElementType(fixed=_ONNX_TYPES[value.type.removesuffix("[]")])


def _convert(value: Scalar, wanted: str) -> ast.expr | None:
    """The expression as an attribute of the wanted type; None where it would lose something."""
    if value.type == wanted or (value.type, wanted) == ("int[]", "float[]"):
        return value.node
    if isinstance(value.node, ast.List) and not value.node.elts and wanted.endswith("[]"):
        return value.node
    if isinstance(value.node, ast.Constant) and value.type == "int" and wanted == "float":
        return ast.Constant(float(value.node.value))  # type: ignore[arg-type]
    if (value.type, wanted) in {("int", "float"), ("bool", "int"), ("bool", "float")}:
        return ast.Call(ast.Name(wanted), [value.node], [])
    return None


def _spoken(kind: str) -> str:
    one = {"FLOAT": "a float", "INT": "an integer", "STRING": "a string"}
    many = {"FLOATS": "a list of floats", "INTS": "a list of integers", "STRINGS": "strings"}
    return one.get(kind) or many.get(kind) or kind.lower()


def _spoken_type(kind: str) -> str:
    words = {"float": "a float", "int": "an integer", "str": "a string", "bool": "a boolean"}
    return f"a list of {kind[:-2]}" if kind.endswith("[]") else words[kind]


def _count(lowest: int, highest: int, what: str) -> str:
    if lowest == highest:
        return f"{lowest} {what}{'' if lowest == 1 else 's'}"
    if highest > 1000:
        return f"at least {lowest} {what}{'' if lowest == 1 else 's'}"
    return f"{lowest} to {highest} {what}s"


def _first_opset(op: str) -> int | None:
    from onnx import defs

    versions = [
        schema.since_version
        for schema in defs.get_all_schemas_with_history()
        if schema.name == op and schema.domain == "" and not schema.deprecated
    ]
    return min(versions, default=None)


def _nearest_op(op: str, opset: int) -> str:
    from onnx import defs

    known = {
        schema.name
        for schema in defs.get_all_schemas_with_history()
        if schema.domain == "" and schema.since_version <= opset
    }
    return did_you_mean(op, known).replace("did you mean ", "did you mean op.")
