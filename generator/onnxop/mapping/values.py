"""The expressions of a mapping: what each stands for, and the nodes that it takes."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..errors import did_you_mean, listed
from ..schema.signature import OpSchema
from ..words import names, pyexpr
from ..words.pyexpr import ExpressionProblem, Source
from . import evaluate, scalars
from .bodies import BODIES, NOTHING_HELD, Bodies
from .branches import Branches
from .graph import Found, Node, Omitted, Scalar, Tensor, Tensors, Unknown
from .lists import Lists
from .nodes import Call, Keywords, Nodes
from .scope import Scope

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


# For what ONNX has no op of that meaning, or several.
_INSTEAD: dict[type[ast.AST], str] = {
    ast.NotEq: "op.Not(op.Equal({}))",
    ast.FloorDiv: "op.Floor(op.Div({}))",
    ast.Mod: "op.Mod({}), with fmod=1 for floats",
    ast.LShift: 'op.BitShift({}, direction="LEFT")',
    ast.RShift: 'op.BitShift({}, direction="RIGHT")',
    ast.BitAnd: "op.And({}), or op.BitwiseAnd of integers",
    ast.BitOr: "op.Or({}), or op.BitwiseOr of integers",
    ast.BitXor: "op.Xor({}), or op.BitwiseXor of integers",
    ast.Invert: "op.Not({}), or op.BitwiseNot of integers",
    ast.Not: "op.Not({})",
    ast.UAdd: "{} alone",
    ast.And: "op.And({})",
    ast.Or: "op.Or({})",
}


def _instead_of(parts: list[Any], operands: list[ast.expr]) -> str:
    """What to write instead of an operator on tensors; empty where nothing is like it."""
    if len(parts) > 1:  # 0 < x < 1
        sides = zip(operands, parts, operands[1:], strict=False)
        words = [pyexpr.item(ast.Compare(one, [part], [other])) for one, part, other in sides]
        return f"op.And({words[0]}, {words[1]})" if len(words) == 2 else ""
    text = _INSTEAD.get(type(parts[0]), "")
    if isinstance(parts[0], ast.And | ast.Or) and len(operands) > 2:
        return ""
    return text.format(", ".join(map(pyexpr.item, operands)))


def is_node(node: ast.expr) -> bool:
    """Whether this is ``op.<Name>(...)``."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="op"))):
            return True
        case _:
            return False


class Values:
    """Reads expressions. The nodes that they take go to the ``scope``; so does what is wrong, and
    stands for an `Unknown` value. ``run`` has the lines of a function done.
    """

    def __init__(
        self,
        source: Source,
        schema: OpSchema | None,
        opset: int,
        *,
        is_converted: bool,
        written_for: int,
        run: Callable[[list[ast.stmt]], None],
    ) -> None:
        self.scope = Scope(source, schema)
        self.nodes = Nodes(source, opset, self.scope.problems, is_converted=is_converted)
        self.lists = Lists(self.scope, self)
        self.branches = Branches(self.scope, self, self.nodes, written_for)
        self.bodies = Bodies(self.scope, self, run)

    def read(self, node: ast.expr, hint: str = "") -> Found:
        try:
            value = self._kind_of(node, hint)
            self._check_value(node, value)
        except ExpressionProblem as problem:
            self.scope.problems.append(problem)
            return Unknown()
        return value

    def _check_value(self, node: ast.expr, value: Found) -> None:
        """What is known as it stands must come to something: not ``1 / 0``."""
        if not isinstance(value, Scalar):
            return
        try:
            evaluate.value(value.node)
        except evaluate.NoValue as why:
            raise self.scope.source.problem(
                node, f"{why.expression} cannot be computed: {why}; change it"
            ) from None
        except evaluate.CannotTell:  # it depends on an argument
            pass

    def _kind_of(self, node: ast.expr, hint: str) -> Found:
        match node:
            case ast.Name(id=name):
                return self._named(node, name)
            case ast.Constant(value=None):
                return Omitted()
            case ast.Constant(value=bool() | int() | float() | str() as value):
                if isinstance(value, int) and not -(2**63) <= value < 2**63:
                    raise self.scope.source.problem(
                        node, "this integer does not fit in 64 bits; write a float, such as 1e20"
                    )
                return Scalar(node, type(value).__name__)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return self.lists.read(node, items, hint)
            case ast.ListComp():
                return self.lists.comprehension(node, hint)
            case ast.Attribute(attr="shape"):
                tensor = self._argument_named(node, node.value)
                return tensor and scalars.asked("shape", tensor.name, "int[]") or Unknown()
            case ast.Call(
                func=ast.Name(id="rank" | "is_floating_point" as word), args=[value], keywords=[]
            ) if word not in self.scope.names:
                tensor = self._argument_named(node, value)
                kind = "int" if word == "rank" else "bool"
                return tensor and scalars.asked(word, tensor.name, kind) or Unknown()
            case ast.Call(func=ast.Name(id="is_open"), args=[value, place], keywords=[]) if (
                "is_open" not in self.scope.names
            ):
                return self._of_size("is_open", "bool", node, value, place)
            case ast.Call(func=ast.Name(id=name)) if name in scalars.FUNCTIONS:
                return self._function(node, name)
            case ast.Call():
                return self.outputs(node, (hint,))[0]
            case ast.Subscript():
                return self._subscript(node, hint)
            case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
                return self._test_for_none(node)
            case ast.UnaryOp() | ast.BinOp() | ast.Compare() | ast.BoolOp():
                return self._operation(node, hint)
            case ast.IfExp():
                return self.branches.conditional(node, hint)
            case ast.Lambda():
                raise self.scope.source.problem(
                    node,
                    "a lambda stands in op.If and op.Loop alone, by name; write then_branch=lambda: x, "
                    "say",
                )
            case _:
                raise self.scope.source.problem(node, f"not allowed here: {scalars.SUBSET}")

    def _named(self, node: ast.expr, name: str) -> Found:
        if name in self.scope.names:
            return (
                self._known_as_given(self.scope.names[name])
                if self.scope.is_given(name)
                else self.scope.names[name]
            )
        if name == "opset":
            raise self.scope.source.problem(
                node,
                "opset stands alone in a condition; write op.A(x) if opset >= 18 else op.B(x), say, "
                "and other conditions within",
            )
        if name in self.scope.held:
            raise self.scope.source.problem(
                node,
                f"{name} is held at None, since a {self.scope.held[name]} means nothing in ONNX; write "
                "the mapping without it",
            )
        if self.scope.is_open and name != "op":
            return Unknown()
        if name == "op":
            raise self.scope.source.problem(node, "op alone is no value; write op.Add(a, b), say")
        self._check_no_function(node)
        known = [known for known in self.scope.names if known]
        raise self.scope.source.problem(
            node,
            f"{name} is neither an argument nor assigned before"
            f"{did_you_mean(name, known) or '; known here: ' + listed(known)}",
        )

    def _check_no_function(self, node: ast.expr) -> None:
        if isinstance(node, ast.Name) and node.id in self.scope.functions:
            fact = f"{node.id} is a function, which only op.If and op.Loop call"
            raise self.scope.source.problem(
                node, f"{fact}; write op.Loop(..., body={node.id}), say"
            )

    @staticmethod
    def _known_as_given(value: Found) -> Found:
        if isinstance(value, Tensor):
            return replace(value, may_be_none=False)
        return scalars.given(value) if isinstance(value, Scalar) else value

    def given(self, node: ast.expr) -> Found:
        """The value, which must not be a non-tensor that may be None."""
        return self.nodes.needed(node, self.read(node))

    def _test_for_none(self, node: ast.Compare) -> Found:
        """``x is None`` or ``x is not None``."""
        value = self.read(node.left)
        name = pyexpr.show(node.left) if isinstance(node.left, ast.Name) else ""
        right = node.comparators[0]
        if not (name and isinstance(right, ast.Constant) and right.value is None):
            raise self.scope.source.problem(
                node, "is compares an argument with None; write x is None, or use =="
            )
        if isinstance(value, Unknown):
            return value
        tested = value.node if isinstance(value, Scalar) else None
        if isinstance(value, Tensor) and value.may_be_none:
            return Scalar(ast.Compare(ast.Name(value.name), node.ops, [right]), "bool")
        if tested is None or not isinstance(value, Scalar) or not value.type.endswith("?"):
            raise self.scope.source.problem(
                node, f"{name} is never None here; only an optional argument can be: leave this out"
            )
        return Scalar(ast.Compare(tested, node.ops, [right]), "bool")

    def _function(self, node: ast.Call, name: str) -> Found:
        if name in self.scope.names:
            raise self.scope.source.problem(
                node.func,
                f"{name} is a value here, not Python's function; write a if a < b else b, say",
            )
        for word in node.keywords:
            raise self.scope.source.problem(word.value, f"{name} takes no keywords; leave this out")
        values = [self.given(argument) for argument in node.args]
        match values:
            case [Tensors(name=tensors)] if name == "len":
                return Scalar(ast.Call(ast.Name("len"), [ast.Name(tensors)], []), "int")
        for place, value in zip(node.args, values, strict=True):
            if not isinstance(value, Scalar | Unknown):
                raise self.scope.source.problem(
                    place, f"{name} takes non-tensor arguments; for tensors write op.<Name>(...)"
                )
        found = [value for value in values if isinstance(value, Scalar)]
        if len(found) < len(values):
            return Unknown()
        return scalars.call(self.scope.source, node, name, found)

    def _argument_named(self, place: ast.expr, node: ast.expr) -> Tensor | None:
        """The argument of the operator that is asked for its sizes, which are known of arguments
        alone; None once a problem with it is noted.
        """
        value = self.read(node)
        if isinstance(value, Unknown):
            return None
        if isinstance(value, Tensor) and not value.may_be_none and self.scope.has_sizes(value.name):
            self.scope.asked.add(value.name)
            return value
        what = "may be None" if isinstance(value, Tensor) and value.may_be_none else ""
        what = what or "is no tensor that the operator is given, whose sizes alone are known"
        raise self.scope.source.problem(
            place,
            f"{pyexpr.show(node)} {what}; write rank(x) or x.shape[0] of an argument that is a "
            "Tensor, or op.Shape(...)",
        )

    def _of_size(
        self, what: str, kind: str, node: ast.expr, base: ast.expr, index: ast.expr
    ) -> Found:
        """What is known of one size of an argument."""
        tensor, place = self._argument_named(node, base), self.given(index)
        if tensor is None or isinstance(place, Unknown):
            return Unknown()
        if isinstance(place, Scalar) and place.type == "int":
            return scalars.asked(what, tensor.name, kind, place.node)
        example = "is_open(x, 0)" if what == "is_open" else "[0]"
        raise self.scope.source.problem(
            index, f"a size is asked for by an integer; write {example}"
        )

    def _subscript(self, node: ast.Subscript, hint: str) -> Found:
        match node:
            case ast.Subscript(value=ast.Attribute(value=base, attr="shape"), slice=index) if (
                not isinstance(index, ast.Slice)
            ):
                return self._of_size("size", "int", node, base, index)
        value = self.given(node.value)
        if isinstance(value, Unknown):
            return value
        if isinstance(value, Tensors):
            return self.lists.item(node, value, hint)
        if not isinstance(value, Scalar):
            raise self.scope.source.problem(
                node, "a tensor is not indexed here; write op.Gather(a, 0, axis=0), say"
            )
        if isinstance(node.slice, ast.Slice):
            return scalars.subscript(self.scope.source, node, value)
        return scalars.subscript(self.scope.source, node, value, self.given(node.slice))

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
            return scalars.operation(self.scope.source, node, found)
        op = _OPERATORS.get(type(parts[0])) if len(parts) == 1 else None
        if op is None:
            remedy = _instead_of(parts, operands) or "it with op.<Name>(...)"
            raise self.scope.source.problem(
                node, f"this operator does not work on tensors; write {remedy}"
            )
        inputs = tuple(zip(operands, values, strict=True))
        return self._node(Call(node, op, inputs, {}, outputs=1), (hint,))[0]

    def _operands(self, node: ast.expr, operands: list[ast.expr]) -> list[Found]:
        """The operands; each of ``x is not None and x > 1`` is read only where those before hold."""
        if any(isinstance(part, ast.Constant) and part.value is None for part in operands):
            raise self.scope.source.problem(
                node, "None is compared by is alone; write x is None, or x is not None"
            )
        values: list[Found] = []
        given: frozenset[str] = frozenset()
        for operand in operands:
            with self.scope.knowing(given):
                values.append(self.given(operand))
            if isinstance(node, ast.BoolOp):
                given |= scalars.given_by(operand)[isinstance(node.op, ast.Or)]
        return values

    def outputs(
        self, node: ast.expr, wanted: tuple[str, ...], *, are_results: bool = False
    ) -> tuple[Found, ...]:
        """What ``op.<Name>(...)`` gives: as many outputs as are wanted, under these names if they
        are free; of the mapping's results, as many as the op must have where none are named.
        """
        func = node.func if isinstance(node, ast.Call) else None
        if not (isinstance(node, ast.Call) and isinstance(func, ast.Attribute) and is_node(node)):
            if isinstance(node, ast.Call):
                self._check_no_function(node.func)
                for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                    self.read(part)
            called = node.func if isinstance(node, ast.Call) else None
            word = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            raise self.scope.source.problem(
                node if func is None else func,
                f"only op.<Name>(...) and, on scalars, {listed(scalars.FUNCTIONS)} can be called"
                f"{self.nodes.nearest(word)}",
            )
        self.nodes.check_has_notation(node, func.attr)
        inputs = tuple((each, self.lists.spread(each) or self.read(each)) for each in node.args)
        keywords: Keywords = {}
        graphs = BODIES.get(func.attr, ())
        for keyword in (word for word in node.keywords if word.arg not in graphs):
            value = self.read(keyword.value)
            if keyword.arg is None:
                raise self.scope.source.problem(
                    keyword.value, "** is not allowed; write the attributes out"
                )
            if keyword.arg in keywords:
                raise self.scope.source.problem(
                    keyword, f"{keyword.arg} is given twice; remove one of them"
                )
            keywords[keyword.arg] = (keyword, value)
        held = self.bodies.read(node, func.attr, inputs) if graphs else NOTHING_HELD
        if held is None:
            return tuple(Unknown() for _ in wanted)
        call = Call(node, func.attr, inputs, keywords, len(wanted), are_results, held)
        return self._node(call, wanted)

    def _node(self, call: Call, wanted: tuple[str, ...]) -> tuple[Found, ...]:
        """The outputs of a new node."""
        node = self.nodes.checked(call)
        if node is None:
            return tuple(Unknown() for _ in wanted)
        wanted = wanted or ("",) * len(node.types)
        fresh = tuple(self.scope.fresh(name or names.snake(call.op)) for name in wanted)
        place = call.place.func if isinstance(call.place, ast.Call) else call.place
        formal, bodies = node.formal_outputs, call.held.bodies
        self.scope.statements.append(
            Node(call.op, node.inputs, node.attributes, fresh, formal, place, bodies)
        )
        return tuple(Tensor(name, kind) for name, kind in zip(fresh, node.types, strict=True))
