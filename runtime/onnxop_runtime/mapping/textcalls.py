"""The calls of ops in a mapping's text, at an opset, and what is wrong with them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from . import calls, forms, running, words
from .definitions import Definition
from .problems import MappingError, Problem, error, span_of
from .syntax import always_returns
from .tracing import GRAPHS

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


@dataclass(frozen=True)
class Call:
    """``op.<Name>(...)`` in a mapping: what onnx.defs is asked of it."""

    node: ast.Call
    op: str

    @property
    def names(self) -> list[str]:
        graphs = GRAPHS.get(self.op, ())
        return [word.arg for word in self.node.keywords if word.arg and word.arg not in graphs]

    def constant(self, name: str) -> Any:
        """Return the value of an attribute that is written as it is; None of others."""
        found = self.constants(name)
        return found[0] if len(found) == 1 else None

    def constants(self, name: str) -> list[Any]:
        """Return the values that an attribute may have, as far as they are written as they are."""
        given = next((word.value for word in self.node.keywords if word.arg == name), None)
        return [] if given is None else [each for each in _constants(given) if each is not None]


def _constants(node: ast.expr) -> list[Any]:
    if isinstance(node, ast.IfExp):
        return [*_constants(node.body), *_constants(node.orelse)]
    try:
        return [running.value_of(node)]
    except (ArithmeticError, TypeError, ValueError, RecursionError):
        return []


def problems_of_call(call: Call, opset: int, *, is_converted: bool = False) -> list[Problem]:
    """Return what is wrong with a call at an opset, as far as it is known without running it."""
    found: list[Problem] = []
    try:
        of = calls.definition_of(call.op, opset)
    except MappingError as problem:
        return [Problem(p.fact, p.remedy, span_of(call.node.func)) for p in problem.problems]
    try:
        _check_inputs(call, of, opset)
    except MappingError as problem:  # a call of another form has no attributes of this one
        [told] = problem.problems
        if "takes" in told.fact:
            told = replace(told, remedy=forms.remedy(of, opset, call.node))
        return [replace(told, span=span_of(call.node))]
    inputs = {formal.name for formal in of.inputs}
    for word in call.node.keywords:
        name = word.arg or ""
        if name not in call.names or (name in inputs and name not in of.attributes):
            continue
        try:
            calls.check_names(of, opset, [name])
            for value in map(partial(calls.attribute, of, name), call.constants(name)):
                if not is_converted and (why := words.problem_with(of, name, value)):
                    raise error(*why, word.value)
        except MappingError as problem:
            span = span_of(word)
            if name in of.attributes:
                span = span_of(word.value)
            else:
                span = replace(
                    span, end_line=span.line, end_column=span.column + len(name.encode())
                )
            found += problem.at(span).problems
    is_none = {
        w.arg
        for w in call.node.keywords
        if isinstance(w.value, ast.Constant) and w.value.value is None
    }
    missing = sorted(
        of.required - {*call.names} - {*GRAPHS.get(call.op, ())} | (of.required & is_none)
    )
    if missing:
        what = "attributes" if len(missing) > 1 else "attribute"
        given = {w.arg: ast.unparse(w.value) for w in call.node.keywords if w.arg in of.attributes}
        usage = calls.usage(of, [ast.unparse(each) for each in call.node.args], given)
        fact = f"op.{call.op} needs the {what} {' and '.join(missing)}"
        found.append(Problem(fact, f"write {usage}", span_of(call.node)))
    if call.op == "Split" and "num_outputs" in of.attributes and _says_no_parts(call):
        fact = f"op.Split needs the sizes of its parts, or num_outputs, at opset {opset}"
        found.append(Problem(fact, "write num_outputs=2, say", span_of(call.node)))
    return found


def _says_no_parts(call: Call) -> bool:
    """Return whether a Split is given neither sizes nor a number: onnx.defs says of neither that it must."""
    given = [each for each in call.node.args if not _is_none(each)]
    is_open = any(isinstance(each, ast.Starred) for each in given)
    return len(given) < 2 and not is_open and not {"split", "num_outputs"} & {*call.names}


def _check_inputs(call: Call, of: Definition, opset: int) -> None:
    """Raise MappingError where a call has too many or too few inputs."""
    args = call.node.args
    count = len(args)
    is_open = any(isinstance(each, ast.Starred) for each in args)
    if is_open and count - 1 <= of.max_input:
        return
    given: list[Any] = [None if _is_none(each) else each for each in args]
    names = {name: each for name, each in zip(call.names, _values(call), strict=True)}
    calls.placed(of, opset, given, names, [ast.unparse(each) for each in args])


def _values(call: Call) -> list[Any]:
    """Return the values of a call's keywords."""
    found = [word.value for word in call.node.keywords if word.arg in call.names]
    return [None if _is_none(value) else value for value in found]


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


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
            values = [_number(part, opset) for part in (left, *others)]
            names = [part for part in (left, *others) if isinstance(part, ast.Name)]
            if not names or None in values:
                return None
            pairs = zip(ops, values[:-1], values[1:], strict=True)
            return all(_COMPARE[type(op)](one, other) for op, one, other in pairs)
    return None


def _number(node: ast.expr, opset: int) -> int | None:
    match node:
        case ast.Name(id="opset"):
            return opset
        case ast.Constant(value=int() as value):
            return value
    return None
