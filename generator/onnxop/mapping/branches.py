"""Conditions in a mapping: on the opset, on what is known while a model is exported, and what a
value is that either side of one has its own of.
"""

from __future__ import annotations

import ast

from ..words import pyexpr
from . import evaluate, scalars
from .graph import (
    Branch,
    Choice,
    Found,
    Omitted,
    Scalar,
    Statement,
    Tensor,
    Tensors,
    Unknown,
    Value,
    as_value,
    is_list,
    type_of,
)
from .nodes import Nodes
from .onnxdefs import spoken_type
from .scope import Reader, Scope, Side


class Branches:
    """Reads conditions and joins their sides; what stands in them, the ``reader`` tells."""

    def __init__(self, scope: Scope, reader: Reader, nodes: Nodes, opset: int) -> None:
        self._scope, self._reader, self._nodes, self.opset = scope, reader, nodes, opset
        self.choices: list[bool] = []  # what the conditions on the opset came to

    def chosen(self, test: ast.expr) -> bool | None:
        """What a condition comes to that is on the opset; None of one on anything else."""
        holds = self._on_opset(test)
        if holds is not None:
            self.choices.append(holds)
        return holds

    def _on_opset(self, test: ast.expr) -> bool | None:
        match test:
            case ast.BoolOp(op=op, values=parts):
                found = [self._on_opset(part) for part in parts]
                decisive = isinstance(op, ast.Or)
                if decisive in found:
                    return decisive
                return None if None in found else not decisive
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                holds = self._on_opset(operand)
                return None if holds is None else not holds
            case ast.Compare() if "opset" not in self._scope.names and any(
                isinstance(part, ast.Name) and part.id == "opset" for part in ast.walk(test)
            ):
                try:
                    return bool(evaluate.value(test, {"opset": self.opset}))
                except evaluate.CannotTell:
                    return None
            case _:
                return None

    def condition(self, node: ast.expr) -> Scalar | Unknown:
        """A condition on what is known while the model is exported."""
        test = self._reader.given(node)
        if isinstance(test, Scalar | Unknown) and not is_list(test):
            return test
        self._scope.problems.append(
            self._scope.source.problem(
                node,
                "the condition must be on non-tensor arguments; for tensors write "
                "op.Where(condition, x, y), or op.If(condition, then_branch=lambda: x, "
                "else_branch=lambda: y)",
            )
        )
        return Unknown()

    def conditional(self, node: ast.IfExp, hint: str) -> Found:
        if (holds := self.chosen(node.test)) is not None:
            return self._reader.read(node.body if holds else node.orelse, hint)
        test = self.condition(node.test)
        when_true, when_false = scalars.given_by(node.test)
        then, then_statements = self._branch(node.body, when_true)
        otherwise, else_statements = self._branch(node.orelse, when_false)
        if isinstance(test, Unknown) or isinstance(then, Unknown) or isinstance(otherwise, Unknown):
            return Unknown()
        condition = pyexpr.show(test.node)
        if isinstance(then, Scalar) and isinstance(otherwise, Scalar):
            if then_statements or else_statements:
                raise self._scope.source.problem(
                    node,
                    "a number of one item of a list is chosen; assign the item first: x = xs[0]",
                )
            return self._chosen_scalar(node, test, then, otherwise)
        then, otherwise = (
            self._nodes.needed(node.body, then),
            self._nodes.needed(node.orelse, otherwise),
        )
        if isinstance(then, Unknown) or isinstance(otherwise, Unknown):
            return Unknown()
        self._nodes.check_constant(node.body, then)
        self._nodes.check_constant(node.orelse, otherwise)
        if isinstance(then, Tensors) != isinstance(otherwise, Tensors):
            raise self._scope.source.problem(
                node, "one branch is a list of tensors, the other none; give both one type"
            )
        if not then_statements and not else_statements:
            return Choice(condition, as_value(then, None), as_value(otherwise, None))
        left, right = as_value(then, type_of(otherwise)), as_value(otherwise, type_of(then))
        if isinstance(left, Omitted) or isinstance(right, Omitted):
            raise self._scope.source.problem(
                node, "a branch that computes cannot stand beside None; assign it first"
            )
        name = self._scope.fresh(hint or "chosen")
        self._scope.statements.append(
            Branch(condition, then_statements, else_statements, (left,), (right,), (name,))
        )
        kind = type_of(left) or type_of(right)
        return Tensors(name, kind) if isinstance(left, Tensors) else Tensor(name, kind)

    def _branch(self, node: ast.expr, given: frozenset[str]) -> tuple[Found, tuple[Statement, ...]]:
        """A branch's value and the statements it takes; the names given are not None in it."""
        with self._scope.side(given) as side:
            value = self._reader.read(node)
        return side.seen(value), side.statements

    def joined(self, node: ast.If, test: Scalar, then: Side, otherwise: Side) -> tuple[Found, ...]:
        """The mapping's results, where each side of an ``if`` returns its own."""
        hints = ("result",) * len(then.results)
        return self._both(node, test, then, otherwise, then.results, otherwise.results, hints)

    def assign_joined(self, node: ast.If, test: Scalar, then: Side, otherwise: Side) -> None:
        """Gives the names that either side of an ``if`` assigns what they are behind it."""
        words = [
            name
            for name in dict.fromkeys((*then.assigned, *otherwise.assigned))
            if all(name in side.assigned or name in self._scope.names for side in (then, otherwise))
        ]
        left, right = (
            tuple(side.assigned.get(name) or self._scope.names[name] for name in words)
            for side in (then, otherwise)
        )
        found = self._both(node, test, then, otherwise, left, right, tuple(words))
        self._scope.names.update(zip(words, found, strict=True))

    def _both(
        self,
        node: ast.If,
        test: Scalar,
        then: Side,
        otherwise: Side,
        left: tuple[Found, ...],
        right: tuple[Found, ...],
        hints: tuple[str, ...],
    ) -> tuple[Found, ...]:
        """What values are of which each side has its own."""
        found: list[Found] = []
        outputs: list[tuple[str, Value, Value]] = []
        for hint, one, other in zip(hints, left, right, strict=True):
            one, other = then.seen(one), otherwise.seen(other)
            if isinstance(one, Unknown) or isinstance(other, Unknown):
                found.append(Unknown())
            elif isinstance(one, Scalar) and isinstance(other, Scalar):
                found.append(self._chosen_scalar(node.test, test, one, other))
            elif isinstance(one, Omitted) and isinstance(other, Omitted):
                found.append(one)
            elif (
                isinstance(one, Omitted)
                or isinstance(other, Omitted)
                or isinstance(one, Tensors) != isinstance(other, Tensors)
            ):
                raise self._scope.source.problem(
                    node.test,
                    f"{hint} is a tensor where this holds, or where it does not, and none or a list "
                    "otherwise; give it one kind of value",
                )
            else:
                values = as_value(one, type_of(other)), as_value(other, type_of(one))
                kind, name = type_of(values[0]) or type_of(values[1]), self._scope.fresh(hint)
                outputs.append((name, *values))
                is_many = isinstance(one, Tensors)
                found.append(Tensors(name, kind) if is_many else Tensor(name, kind))
        if outputs:
            names_, ones, others = zip(*outputs, strict=True)
            condition = pyexpr.show(test.node)
            self._scope.statements.append(
                Branch(condition, then.statements, otherwise.statements, ones, others, names_)
            )
        return tuple(found)

    def _chosen_scalar(
        self, place: ast.expr, test: Scalar, then: Scalar, otherwise: Scalar
    ) -> Scalar:
        kind = scalars.joined({then.type, otherwise.type})
        if kind is None:
            raise self._scope.source.problem(
                place,
                f"one branch is {spoken_type(then.type)}, the other {spoken_type(otherwise.type)}"
                "; give both one type",
            )
        length = then.length if then.length == otherwise.length else None
        return Scalar(ast.IfExp(test.node, then.node, otherwise.node), kind, length)
