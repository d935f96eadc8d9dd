"""The calls of ops in a mapping's text, at an opset, and what is wrong with them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from . import calls, forms, running
from .calls import Expression
from .problems import MappingError, Problem, within
from .syntax import always_returns
from .tracing import GRAPHS


@dataclass(frozen=True)
class Call:
    """``op.<Name>(...)`` in a mapping: what onnx.defs is asked of it."""

    node: ast.Call
    op: str

    @cached_property
    def inputs(self) -> list[str]:
        return [ast.unparse(each) for each in self.node.args]

    @cached_property
    def keywords(self) -> dict[str, Expression | None]:
        """What is given by name, but for functions; None where it is left out."""
        graphs = GRAPHS.get(self.op, ())
        words = [word for word in self.node.keywords if word.arg and word.arg not in graphs]
        values = [Expression(ast.unparse(w.value), [*_literals(w.value)]) for w in words]
        return {
            str(word.arg): None if value.text == "None" else value
            for word, value in zip(words, values, strict=True)
        }

    def constant(self, name: str) -> Any:
        """Return the value of an attribute that is written as it is; None of others."""
        given = self.keywords.get(name)
        return given.literals[0] if given is not None and len(given.literals) == 1 else None

    def problems(self, opset: int, *, is_converted: bool = False) -> list[Problem]:
        """Return what is wrong with the call at an opset, as far as it is known without running it;
        ``is_converted``: as PyTorch converts it from another opset.
        """
        try:
            of = calls.definition_of(self.op, opset)
            given: dict[str, Any] = dict(self.keywords)
            inputs = [None if text == "None" else text for text in self.inputs]
            is_open = any(isinstance(each, ast.Starred) for each in self.node.args)
            if is_open and len(inputs) - 1 <= of.max_input:
                taken = {formal.name for formal in of.inputs} - of.attributes.keys()
                given = {name: value for name, value in given.items() if name not in taken}
            else:
                calls.placed(of, opset, inputs, given, self.inputs)
            needs_parts = self.op == "Split" and "num_outputs" in of.attributes and not is_open
            if needs_parts and inputs[1:] in ([], [None]) and not given and not self.keywords:
                fact = f"op.Split needs the sizes of its parts, or num_outputs, at opset {opset}"
                return [within(Problem(fact, "write num_outputs=2, say"), self.node)]
            calls.attributes(of, opset, given, self.inputs, is_converted=is_converted)
        except MappingError as error:
            told = error.problems
            if told[0].part == "count":  # a call of another form
                told = (replace(told[0], remedy=forms.remedy(of, opset, self.node)),)
            return [within(problem, self.node) for problem in told]
        return []


def _literals(node: ast.expr) -> Iterator[Any]:
    """Yield the literals that an expression may come to."""
    if isinstance(node, ast.IfExp):
        yield from (*_literals(node.body), *_literals(node.orelse))
        return
    try:
        yield running.value_of(node)
    except (ArithmeticError, TypeError, ValueError, RecursionError):
        return


def calls_of(body: Sequence[ast.stmt], opset: int, choices: list[bool]) -> Iterator[Call]:
    for statement in body:
        if isinstance(statement, ast.If):
            holds = on_opset(statement.test, opset)
            if holds is not None:
                choices.append(holds)
                taken = statement.body if holds else statement.orelse
                yield from calls_of(taken, opset, choices)
                if always_returns(taken):
                    return
                continue
            yield from _of_expression(statement.test, opset, choices)
            yield from calls_of(statement.body, opset, choices)
            yield from calls_of(statement.orelse, opset, choices)
        elif isinstance(statement, ast.For | ast.FunctionDef):
            if isinstance(statement, ast.For):
                yield from _of_expression(statement.iter, opset, choices)
            yield from calls_of(statement.body, opset, choices)
        else:
            yield from _of_expression(statement, opset, choices)


def _of_expression(node: ast.AST, opset: int, choices: list[bool]) -> Iterator[Call]:
    if isinstance(node, ast.IfExp) and (holds := on_opset(node.test, opset)) is not None:
        choices.append(holds)
        yield from _of_expression(node.body if holds else node.orelse, opset, choices)
        return
    for child in ast.iter_child_nodes(node):
        yield from _of_expression(child, opset, choices)
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr=op)):
            yield Call(node, op)


def on_opset(test: ast.expr, opset: int) -> bool | None:
    """Return what a condition on the opset comes to; None of one on anything else."""
    match test:
        case ast.BoolOp(op=sign, values=parts):
            found = [on_opset(part, opset) for part in parts]
            decisive = isinstance(sign, ast.Or)
            if decisive in found:
                return decisive
            return None if None in found else not decisive
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            holds = on_opset(operand, opset)
            return None if holds is None else not holds
        case ast.Compare(left=left, ops=ops, comparators=others):
            names = [part.id for part in (left, *others) if isinstance(part, ast.Name)]
            numbers = [part for part in (left, *others) if _is_integer(part)]
            is_whole = len(names) + len(numbers) == 1 + len(others) and {*names} == {"opset"}
            if is_whole and not any(isinstance(op, ast.In | ast.NotIn) for op in ops):
                code = compile(ast.Expression(test), "<opset>", "eval")
                return bool(eval(code, {"__builtins__": {}}, {"opset": opset}))  # of integers alone
    return None


def _is_integer(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, int)
