"""The Python that a mapping may contain: expressions and a few statements, as an allow-list of
syntax nodes.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Sequence
from typing import Any

from .calls import GRAPHS
from .definitions import versions
from .problems import MappingProblem, did_you_mean, span_of

FUNCTIONS = ("abs", "float", "int", "len", "list", "max", "min", "range", "sum")
"""The functions that a mapping may call on numbers and lists."""
LOOPED = ("enumerate", "zip")
"""The functions that a mapping may call in the header of a ``for``."""
HELPERS = ("rank", "is_dynamic", "is_floating_point")
"""The functions that a mapping may call on the operator's tensors."""
_RESERVED = ("op", "opset", *FUNCTIONS, *LOOPED, *HELPERS)
_INSTEAD = {
    "op": "write op.Add(a, b), for example",
    "opset": "write op.A(x) if opset >= 18 else op.B(x), for example",
}

_ORDERS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_ALLOWED = (
    *(ast.Assign, ast.Return, ast.If, ast.For, ast.FunctionDef, ast.arguments, ast.arg),
    *(ast.Name, ast.Load, ast.Store, ast.Constant, ast.List, ast.Tuple, ast.Starred, ast.IfExp),
    *(ast.ListComp, ast.comprehension, ast.Subscript, ast.Slice, ast.Attribute),
    *(ast.Call, ast.keyword, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.USub, ast.UAdd, ast.Not),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult),
    *(ast.Compare, ast.Is, ast.IsNot, *_ORDERS),
)
_PARTS = {ast.FunctionDef: ("args", "body"), ast.arguments: ("args",), ast.arg: ()}
"""The parts of a function that a mapping may use."""
_FORMS = (
    "a mapping may have op.<Name>(...), argument names, literals, lists, arithmetic, "
    "x if condition else y, [... for x in ...], if, for, def, assignments and return"
)
_BITS = "write op.Not, op.And, op.Or, op.Xor, op.BitShift, or op.BitwiseAnd"
_REFUSED: Sequence[tuple[Any, str, str]] = (
    (ast.operator | ast.unaryop | ast.cmpop, "this operator does not work on tensors", _BITS),
    (ast.Lambda, "op.If and op.Loop take a lambda by name", "write then_branch=lambda: x"),
    (ast.While, "this is not allowed here", "write for i in range(n), or op.Loop"),
    (ast.AST, "this is not allowed here", _FORMS),
)
"""The message for each kind of node that is not allowed."""


def problems(body: Sequence[ast.stmt], parameters: Sequence[str] | None) -> list[MappingProblem]:
    """Return what a mapping may not contain, in text order. ``parameters``: None if unknown."""
    check = _Check(body, parameters)
    for statement in body:
        check.look(statement, statement)
    if not always_returns(body):
        fact = "every branch must end with a return"
        check.note(body[-1], fact, "write return op.Add(a, b), for example")
    return sorted(check.problems, key=lambda problem: problem.span or ())


class _Check:
    """Visits each node; skips the nodes that a check of their parent has accepted."""

    def __init__(self, body: Sequence[ast.stmt], parameters: Sequence[str] | None) -> None:
        self.problems: list[MappingProblem] = []
        self._has_any_name, self._passed = parameters is None, set[ast.AST]()
        parameters = parameters or []
        nodes = [node for statement in body for node in ast.walk(statement)]
        bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        self._names = [*parameters, *sorted(bound - {*parameters})]
        self._functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        self._called = {*FUNCTIONS, *LOOPED, *HELPERS} - {*parameters}
        self._looped = {n.iter for n in nodes if isinstance(n, ast.For | ast.comprehension)}

    def note(self, node: ast.AST, message: str, remedy: str) -> None:
        """Add a problem at a node."""
        self.problems.append(MappingProblem(message, remedy, span_of(node)))

    def look(self, node: ast.AST, parent: ast.AST) -> None:
        """Check a node and the nodes within it."""
        is_target = isinstance(getattr(node, "ctx", None), ast.Store)
        if is_target and not isinstance(node, ast.Name | ast.Tuple):
            fact = "only plain names can be assigned to"
            return self.note(node, fact, "write x = op.Add(a, b), for example")
        if not isinstance(node, _ALLOWED):
            message = next(
                message for node_type, *message in _REFUSED if isinstance(node, node_type)
            )
            return self.note(node if hasattr(node, "lineno") else parent, *message)
        self._check(node)
        for name, value in ast.iter_fields(node):
            for part in value if isinstance(value, list) else [value]:
                if not isinstance(part, ast.AST) or part in self._passed:
                    continue
                if name in _PARTS.get(type(node), (name,)):
                    self.look(part, node)
                else:
                    fact = "a function here has only plain parameters and a body"
                    self.note(part, fact, "write lambda i, keep, y: ..., for example")
        return None

    def _check(self, node: ast.AST) -> None:
        """Add a problem if a part of the mapping is not allowed."""
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                self._bind(node, name, self._functions)
            case ast.Name(id=name) if name not in self._names:
                self._unknown(node, name)
            case ast.Constant(value=None | bool() | int() | float() | str() as value):
                if isinstance(value, int) and not -(2**63) <= value < 2**63:
                    fact = "this integer does not fit in 64 bits"
                    self.note(node, fact, "write a float, such as 1e20")
            case ast.Constant():
                self.note(node, *_REFUSED[-1][1:])
            case ast.Attribute(attr=attr) if attr != "shape":
                self.note(node, f".{attr} is not allowed here", "write op.<Name>(...) or x.shape")
            case ast.Call():
                self._call(node)
            case ast.Compare() if is_of_opset(node):
                self._passed |= {node.left, *node.comparators}
            case ast.Compare():
                pairs = zip(node.ops, node.comparators, strict=True)
                others = [part for op, part in pairs if isinstance(op, ast.Is | ast.IsNot)]
                if any(getattr(part, "value", part) is not None for part in others):
                    fact = "is compares an argument with None"
                    self.note(node, fact, "write x is None, or use ==")
            case ast.FunctionDef(name=name, body=body):
                self._bind(node, name, self._names)
                if not always_returns(body):
                    fact = f"every branch of {name} must end with a return"
                    self.note(body[-1], fact, "write return y, for example")

    def _bind(self, node: ast.AST, name: str, bound: Collection[str]) -> None:
        """Report a name that cannot be bound: it has a meaning, or is among those that are
        bound.
        """
        if name in (*_RESERVED, *bound):
            self.note(node, f"{name} already has a meaning here", "choose another name")
        elif not re.fullmatch(r"(?!__)[A-Za-z_]\w{0,99}", name, re.ASCII):
            remedy = "write up to 100 ASCII letters, digits and _, not a digit or __ first"
            self.note(node, f"the name {name!r} is not allowed", remedy)

    def _unknown(self, node: ast.AST, name: str) -> None:
        """Report a name that is not a value."""
        if name in (*_RESERVED, *self._functions):
            remedy = _INSTEAD.get(name, f"call it, or write op.Loop(..., body={name}), for example")
            self.note(node, f"{name} alone is not a value", remedy)
        elif not self._has_any_name or name.startswith("__"):
            names_here = f"known here: {', '.join(self._names) or 'nothing'}"
            remedy = did_you_mean(name, self._names) or names_here
            self.note(node, f"{name} is neither an argument nor assigned before", remedy)

    def _call(self, node: ast.Call) -> None:
        """Check a call: of ``op``, or of a function that a mapping may call."""
        match node.func:
            case ast.Attribute(value=ast.Name(id="op"), attr=op):
                self._op(node, op)
            case ast.Name(id=name) if name in self._called and (
                name not in LOOPED or node in self._looped
            ):
                for keyword in node.keywords:
                    self.note(keyword.value, f"{name} takes no keywords", "leave this out")
            case func:
                called = getattr(func, "attr", getattr(func, "id", "")).replace("_", "").lower()
                # Suggest op.Round for Python's round, but not op.LSTM for its list.
                is_python = hasattr(builtins, called)
                ops = [op for op in versions() if not is_python or op.lower() == called]
                functions = ", ".join(name for name in FUNCTIONS if name in self._called)
                fact = (
                    f"a mapping can only call op.<Name>(...); {functions} with scalars and lists; "
                )
                fact += f"and {' and '.join(LOOPED)} in a for"
                remedy = did_you_mean(called, ops, "op.") or "write op.Add(a, b), for example"
                self.note(func, fact, remedy)
        self._passed.add(node.func)

    def _op(self, node: ast.Call, op: str) -> None:
        """Check a call of ``op``: that the op exists, and its keywords."""
        if op not in versions():
            remedy = "choose one from https://onnx.ai/onnx/operators"
            remedy = did_you_mean(op, versions(), "op.") or remedy
            self.note(node.func, f"op.{op} is not an ONNX op", remedy)
        for keyword in node.keywords:
            value = keyword.value
            if keyword.arg is None:
                self.note(value, "** is not allowed", "write the attributes out")
            elif keyword.arg in GRAPHS.get(op, ()):
                if isinstance(value, ast.Lambda):
                    self.look(value.args, value)
                    self.look(value.body, value)
                if isinstance(value, ast.Lambda) or getattr(value, "id", "") in self._functions:
                    self._passed.add(value)


def is_of_opset(node: ast.Compare) -> bool:
    """Return whether a comparison compares only the opset with integers."""
    parts = [node.left, *node.comparators]
    names = [part for part in parts if isinstance(part, ast.Name) and part.id == "opset"]
    numbers = [p for p in parts if isinstance(p, ast.Constant) and type(p.value) is int]
    is_order = all(isinstance(op, _ORDERS) for op in node.ops)
    return is_order and bool(names) and len(names) + len(numbers) == len(parts)


def always_returns(body: Sequence[ast.stmt]) -> bool:
    """Return whether statements end with a return in every branch."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return always_returns(last.body) and always_returns(last.orelse)
    return isinstance(last, ast.Return)
