"""The expressions of a mapping: what each stands for, and the nodes that it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from ..errors import did_you_mean, listed
from ..schema.signature import UNKNOWN_TYPE, OpSchema
from ..words import names, pyexpr
from ..words.pyexpr import ExpressionProblem, Source
from . import scalars
from .graph import (
    Branch,
    Choice,
    ElementType,
    Found,
    Node,
    Omitted,
    Scalar,
    Statement,
    Tensor,
    Unknown,
    as_value,
    is_list,
    sources,
    type_of,
    without_types_like,
)
from .nodes import Call, Keywords, Nodes
from .onnxdefs import spoken_type

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


def is_node(node: ast.expr) -> bool:
    """Whether this is ``op.<Name>(...)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="op"))):
            return True
        case _:
            return False


class Values:
    """Reads expressions. The nodes that they take go to ``statements``; what is wrong goes to
    ``problems``, and stands for an `Unknown` value.
    """

    def __init__(
        self, source: Source, schema: OpSchema | None, opset: int, *, is_converted: bool
    ) -> None:
        self._source = source
        self._is_open = schema is None
        self.names: dict[str, Found] = {}  # what may be read: arguments, and what was assigned
        for argument in schema.free if schema else ():
            value: Found = Unknown()
            if argument.is_tensor:
                kind = ElementType(like=argument.name)
                value = Tensor(argument.name, kind, argument.is_optional)
            elif argument.type != UNKNOWN_TYPE:
                value = scalars.of_argument(argument)
            self.names[argument.name] = value
        self.arguments = tuple(self.names)
        self._held = {a.name: a.type for a in schema.arguments if a.is_held} if schema else {}
        self._given: frozenset[str] = frozenset()  # names that are known not to be None
        self._taken = {*self.names, *self._held, *_TAKEN}
        self._numbers: dict[str, int] = {}  # the last one behind a name that was taken
        self.statements: list[Statement] = []
        self.problems: list[ExpressionProblem] = []
        self._nodes = Nodes(source, opset, self.problems, is_converted=is_converted)

    def reserve(self, body: list[ast.stmt]) -> None:
        """Keeps the names of nodes off those of the functions that the mapping calls."""
        called = (
            node.func for part in body for node in ast.walk(part) if isinstance(node, ast.Call)
        )
        self._taken |= {func.id for func in called if isinstance(func, ast.Name)}

    def read(self, node: ast.expr, hint: str = "") -> Found:
        try:
            return self._kind_of(node, hint)
        except ExpressionProblem as problem:
            self.problems.append(problem)
            return Unknown()

    def _kind_of(self, node: ast.expr, hint: str) -> Found:
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
                return self.outputs(node, (hint,))[0]
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
        if name in self.names:
            return (
                self._known_as_given(self.names[name]) if name in self._given else self.names[name]
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
        known = [known for known in self.names if known]
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
        return self._nodes.needed(node, self.read(node))

    def _test_for_none(self, node: ast.Compare) -> Found:
        """``x is None`` or ``x is not None``."""
        value = self.read(node.left)
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
        if name in self.names:
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
        inputs = tuple(zip(operands, values, strict=True))
        return self._node(Call(node, op, inputs, {}, outputs=1), (hint,))[0]

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
                given |= scalars.given_by(operand)[isinstance(node.op, ast.Or)]
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
        when_true, when_false = scalars.given_by(node.test)
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
        then, otherwise = (
            self._nodes.needed(node.body, then),
            self._nodes.needed(node.orelse, otherwise),
        )
        if isinstance(then, Unknown) or isinstance(otherwise, Unknown):
            return Unknown()
        self._nodes.check_constant(node.body, then)
        self._nodes.check_constant(node.orelse, otherwise)
        if not then_statements and not else_statements:
            return Choice(condition, as_value(then, None), as_value(otherwise, None))
        left, right = as_value(then, type_of(otherwise)), as_value(otherwise, type_of(then))
        if isinstance(left, Omitted) or isinstance(right, Omitted):
            raise self._source.problem(
                node, "a branch that computes cannot stand beside None; assign it first"
            )
        name = self._fresh(hint or "chosen")
        self.statements.append(
            Branch(condition, then_statements, else_statements, left, right, name)
        )
        return Tensor(name, type_of(left) or type_of(right))

    def _branch(self, node: ast.expr, given: frozenset[str]) -> tuple[Found, tuple[Statement, ...]]:
        """A branch's value and the statements it takes; the names given are not None in it."""
        outer, self.statements = self.statements, []
        with self._knowing(given):
            value = self.read(node)
        statements, self.statements = tuple(self.statements), outer
        tensors = [self.names.get(name) for name in given]
        own = {
            tensor.name for tensor in tensors if isinstance(tensor, Tensor) and tensor.may_be_none
        }
        return without_types_like(value, own), statements

    def outputs(
        self, node: ast.expr, wanted: tuple[str, ...], *, are_results: bool = False
    ) -> tuple[Found, ...]:
        """What ``op.<Name>(...)`` gives: as many outputs as are wanted, under these names if they
        are free; of the mapping's results, as many as the op must have where none are named.
        """
        func = node.func if isinstance(node, ast.Call) else None
        if not (isinstance(node, ast.Call) and isinstance(func, ast.Attribute) and is_node(node)):
            if isinstance(node, ast.Call):
                for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                    self.read(part)
            raise self._source.problem(
                node if func is None else func,
                f"only op.<Name>(...) and, on scalars, {listed(scalars.FUNCTIONS)} can be called: "
                f"{scalars.SUBSET}",
            )
        for argument in node.args:
            if isinstance(argument, ast.Starred):
                raise self._source.problem(argument, "* is not allowed; write the inputs out")
        inputs = tuple((argument, self.read(argument)) for argument in node.args)
        keywords: Keywords = {}
        for keyword in node.keywords:
            value = self.read(keyword.value)
            if keyword.arg is None:
                raise self._source.problem(
                    keyword.value, "** is not allowed; write the attributes out"
                )
            if keyword.arg in keywords:
                raise self._source.problem(
                    keyword, f"{keyword.arg} is given twice; remove one of them"
                )
            keywords[keyword.arg] = (keyword, value)
        call = Call(node, func.attr, inputs, keywords, len(wanted), are_results)
        return self._node(call, wanted)

    def _node(self, call: Call, wanted: tuple[str, ...]) -> tuple[Found, ...]:
        """The outputs of a new node."""
        node = self._nodes.checked(call)
        if node is None:
            return tuple(Unknown() for _ in wanted)
        wanted = wanted or ("",) * len(node.types)
        fresh = tuple(self._fresh(name or names.snake(call.op)) for name in wanted)
        place = call.place.func if isinstance(call.place, ast.Call) else call.place
        self.statements.append(
            Node(call.op, node.inputs, node.attributes, fresh, node.formal_outputs, place)
        )
        return tuple(Tensor(name, kind) for name, kind in zip(fresh, node.types, strict=True))

    def as_outputs(self, results: tuple[Found, ...]) -> tuple[Found, ...]:
        """The results as a graph may have them: a graph's input is not its output, nor is one value
        two outputs, so a copy by `Identity` stands for these.
        """
        taken = set(self.arguments)
        found: list[Found] = []
        for result in results:
            if isinstance(result, Tensor | Choice):
                tensors = sources(result, self.statements)
                if tensors & taken:
                    result = self._copy(result)
                taken |= tensors
            found.append(result)
        return tuple(found)

    def _copy(self, value: Tensor | Choice) -> Tensor:
        name = self._fresh("result")
        self.statements.append(Node("Identity", (as_value(value, None),), (), (name,)))
        return Tensor(name, type_of(value))

    def _fresh(self, wanted: str) -> str:
        """A name for the generated code, whose own helpers start with an underscore."""
        name = wanted.lstrip("_") or "value"
        base = name[: names.MAX_LENGTH - len("_10000")]
        if names.problem_with(f"{base}_2"):  # nor would any other number help
            name = base = "value"
        while name in self._taken or names.problem_with(name):
            self._numbers[base] = number = self._numbers.get(base, 1) + 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name
