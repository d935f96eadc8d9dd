"""The calls of ops in a mapping's text, at an opset, and what is wrong with them before it runs."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from . import calls
from .allowed import always_returns
from .calls import GRAPHS, UNKNOWN
from .definitions import since
from .problems import MappingError, Problem, error, span_of

_NEW_MEANING: dict[str, tuple[int, str, tuple[object, ...]]] = {
    "GridSample": (20, "mode", (None, "nearest")),  # bilinear is called linear
    **{op: (13, "axis", (-1,)) for op in ("Hardmax", "LogSoftmax", "Softmax")},
    "RoiAlign": (16, "coordinate_transformation_mode", ()),  # new, half a pixel further
}
"""Ops of the same form that compute something else from an opset on, unless an attribute (None: left
out) has one of the values: onnx.defs has this in prose alone. Of axes, all from one on were one before.
"""


class Call:
    """``op.<Name>(...)`` in a mapping."""

    def __init__(self, node: ast.Call, op: str) -> None:
        self.node, self.op = node, op
        words = [word for word in node.keywords if word.arg and word.arg not in GRAPHS.get(op, ())]
        self.keywords = {str(word.arg): _literals(word.value) for word in words}
        """What is given by name, but for functions: the literals that it may come to."""
        self._told: dict[object, list[Problem]] = {}

    def problems(self, opset: int, *, are_known: bool = True) -> list[Problem]:
        """Return what is wrong with the call at an opset; ``are_known``: in the values of attributes, too."""
        version = since(self.op, opset), are_known
        if version not in self._told:
            self._told[version] = self._problems(opset, are_known=are_known)
        return self._told[version]

    def _problems(self, opset: int, *, are_known: bool) -> list[Problem]:
        try:
            of = calls.definition_of(self.op, opset)
            plain = [each for each in self.node.args if not isinstance(each, ast.Starred)]
            is_open = len(plain) < len(self.node.args)
            inputs = [None if _literals(each) == [None] else UNKNOWN for each in plain]
            given: dict[str, Any] = dict(self.keywords)
            calls.placed(of, opset, inputs, given, is_open=is_open)
            for name, values in given.items():
                for value in values if are_known else [UNKNOWN]:
                    if name in of.attributes and value is not None:
                        calls.attribute(of, opset, name, value)
            known = {n: None if values == [None] else UNKNOWN for n, values in given.items()}
            calls.attributes(of, opset, known)
            is_alone = self.op == "Split" and not is_open and inputs[1:] in ([], [None])
            if is_alone and "num_outputs" in of.attributes and not self.keywords:
                fact = f"op.Split needs the sizes of its parts, or num_outputs, at opset {opset}"
                raise error(fact, "write num_outputs=2, say")
        except MappingError as problem:
            return [*problem.at(span_of(self.node.func)).problems]
        return []

    def shape(self, opset: int) -> object:
        """Return which of its values are inputs at an opset, and which attributes; None where it is no
        call. PyTorch converts the words that an attribute knows.
        """
        if self.problems(opset, are_known=False):
            return None
        of = calls.definition_of(self.op, opset)
        return tuple((name, name in of.attributes) for name in self.keywords)

    def keeps_meaning(self, first: int, last: int) -> bool:
        """Return whether a call of opset ``first`` computes the same at ``last``."""
        if self.op not in _NEW_MEANING:
            return True
        opset, name, safe = _NEW_MEANING[self.op]
        given = self.keywords.get(name, [None])
        return not first < opset <= last or (len(given) == 1 and given[0] in safe)


def _literals(node: ast.expr) -> list[Any]:
    """Return the literals that an expression may come to, as far as it is one."""
    if isinstance(node, ast.IfExp):
        return [*_literals(node.body), *_literals(node.orelse)]
    try:
        return [ast.literal_eval(node)]
    except (ValueError, TypeError, RecursionError):
        return [UNKNOWN]


def tree_of(to_onnx: Any) -> ast.FunctionDef:
    """Return the text of a mapping as a tree: it was compiled from one, or is in a file."""
    if isinstance(to_onnx, ast.FunctionDef):
        return to_onnx
    found: ast.FunctionDef | None = getattr(to_onnx, "tree", None)
    if found is None:
        module = ast.parse(textwrap.dedent(inspect.getsource(to_onnx)))
        found = next(node for node in ast.walk(module) if isinstance(node, ast.FunctionDef))
    return found


def ends(body: Sequence[ast.stmt]) -> Iterator[ast.Return]:
    """Yield the lines in which a mapping returns, but for those of functions in it."""
    for statement in body:
        if isinstance(statement, ast.Return):
            yield statement
        elif isinstance(statement, ast.If):
            yield from ends([*statement.body, *statement.orelse])


class Text:
    """A mapping's statements, of which some are for some opsets alone."""

    def __init__(self, to_onnx: Any) -> None:
        self._body = tree_of(to_onnx).body
        self._calls: dict[ast.AST, Call] = {}
        self._has_choices = False
        for statement in self._body:
            for node in ast.walk(statement):
                match node:
                    case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr=op)):
                        self._calls[node] = Call(node, op)
                    case ast.Name(id="opset"):
                        self._has_choices = True

    def at(self, opset: int) -> tuple[list[Call], list[bool]]:
        """Return the calls at an opset, and what the conditions on the opset come to."""
        if not self._has_choices:
            return [*self._calls.values()], []
        found: list[Call] = []
        choices: list[bool] = []

        def block(statements: Sequence[ast.stmt]) -> bool:
            """Walk statements; return whether they end by a choice of the opset."""
            for statement in statements:
                holds = on_opset(statement.test, opset) if isinstance(statement, ast.If) else None
                if isinstance(statement, ast.If) and holds is not None:
                    choices.append(holds)
                    taken = statement.body if holds else statement.orelse
                    if block(taken) or always_returns(taken):
                        return True
                else:
                    walk(statement)
            return False

        def walk(node: ast.AST) -> None:
            if isinstance(node, ast.IfExp) and (holds := on_opset(node.test, opset)) is not None:
                choices.append(holds)
                walk(node.body if holds else node.orelse)
                return
            for name, value in ast.iter_fields(node):
                parts = value if isinstance(value, list) else [value]
                if name in ("body", "orelse") and isinstance(value, list):
                    block(value)
                else:
                    for part in (part for part in parts if isinstance(part, ast.AST)):
                        walk(part)
            if node in self._calls:
                found.append(self._calls[node])

        block(self._body)
        return found, choices


def on_opset(test: ast.expr, opset: int) -> bool | None:
    """Return what a condition on the opset comes to; None of one on anything else."""
    if isinstance(test, ast.BoolOp):
        found = [on_opset(part, opset) for part in test.values]
        decisive = isinstance(test.op, ast.Or)
        if decisive in found:
            return decisive
        return None if None in found else not decisive
    parts = [*ast.walk(test)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    values = {type(part.value) for part in parts if isinstance(part, ast.Constant)}
    if names != {"opset"} or values - {int} or not all(isinstance(p, _OF_OPSET) for p in parts):
        return None
    code = compile(ast.Expression(test), "<opset>", "eval")
    return bool(eval(code, {"__builtins__": {}}, {"opset": opset}))  # of integers alone


_OF_OPSET = (
    *(ast.Compare, ast.Name, ast.Constant, ast.Load, ast.UnaryOp, ast.Not),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE),
)
