"""What a mapping may hold: Python's expressions and a few statements, and no way around them."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from .calls import GRAPHS
from .definitions import versions
from .problems import Problem, did_you_mean, span_of

FUNCTIONS = ("abs", "float", "int", "len", "max", "min", "range", "sum")
"""What a mapping calls on numbers and lists."""
HELPERS = ("rank", "is_open", "is_floating_point")
"""What it asks of the operator's tensors."""
_LOOPS = ("enumerate", "zip")
RESERVED = frozenset(("op", "opset", *FUNCTIONS, *HELPERS, *_LOOPS))
"""What nothing in a mapping binds."""

_ALLOWED = (
    # Statements, of which an expression is the only one.
    *(ast.Assign, ast.Return, ast.If, ast.For, ast.FunctionDef, ast.Expr),
    # Expressions, and what is within them.
    *(ast.Name, ast.Constant, ast.List, ast.Tuple, ast.ListComp, ast.Attribute, ast.Call),
    *(ast.Subscript, ast.Slice, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.IfExp),
    *(ast.Lambda, ast.Starred, ast.comprehension, ast.keyword, ast.arguments, ast.arg),
    # Operators.
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult),
    *(ast.USub, ast.UAdd, ast.Not, ast.And, ast.Or, ast.Load, ast.Store),
    *(ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Is, ast.IsNot),
)
_NOT_ALLOWED = (
    "a mapping may hold op.<Name>(...), argument names, literals, lists, arithmetic, "
    "x if condition else y, [... for x in ...], if, for, def, assignments and return"
)


def problems(
    body: Sequence[ast.stmt], parameters: Sequence[str], *, is_open: bool = False
) -> list[Problem]:
    """Return all in the statements that a mapping may not hold, in the order of the text; ``is_open``: it
    may be given other arguments, too.
    """
    if not body:
        return [Problem("empty", "write op.Add(a, b), say", span_of(ast.Pass()))]
    check = _Check(body, parameters, is_open=is_open)
    return sorted(check.problems, key=lambda p: (p.span.line, p.span.column) if p.span else (0, 0))


class _Check:
    """Looks at each node by itself; what may stand in some places alone is noted before."""

    def __init__(
        self, body: Sequence[ast.stmt], parameters: Sequence[str], *, is_open: bool
    ) -> None:
        self.problems: list[Problem] = []
        self._parameters, self._is_open = parameters, is_open
        nodes = [node for statement in body for node in ast.walk(statement)]
        bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        bound |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        self._known = [*parameters, *sorted(bound - {*parameters})]
        self._functions = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        self._fine: set[ast.AST] = set()  # what stands where it may
        is_expression = len(body) == 1 and isinstance(body[0], ast.Expr)
        self._fine |= {body[0]} if is_expression else set()
        for statement in body:
            self._look(statement)
        if not (is_expression or always_returns(body)):
            fact = "the last line must return the result, whichever way an if goes"
            self._note(body[-1], fact, "write return op.Add(a, b), say")

    def _note(self, node: ast.AST, fact: str, remedy: str) -> None:
        self.problems.append(Problem(fact, remedy, span_of(node)))

    def _look(self, node: ast.AST) -> None:
        if not isinstance(node, _ALLOWED) or (
            isinstance(node, ast.Expr) and node not in self._fine
        ):
            is_while = isinstance(node, ast.While)
            remedy = "write for i in range(n), or op.Loop" if is_while else _NOT_ALLOWED
            self._note(node, "this is not allowed here", remedy)
            return
        if node not in self._fine:
            self._check(node)
        called = node.func if isinstance(node, ast.Call) else None
        for child in ast.iter_child_nodes(node):
            is_operator = isinstance(child, ast.operator | ast.unaryop | ast.cmpop)
            if not is_operator and (child is not called or child in self._fine):
                self._look(child)

    def _check(self, node: ast.AST) -> None:
        match node:
            case ast.Name():
                self._name(node)
            case ast.Constant(value=value):
                if value is not None and not isinstance(value, int | float | str):
                    self._note(node, "this is not allowed here", _NOT_ALLOWED)
                elif isinstance(value, int) and not -(2**63) <= value < 2**63:
                    fact = "this integer does not fit in 64 bits"
                    self._note(node, fact, "write a float, such as 1e20")
            case ast.Attribute(attr=attr):
                if attr != "shape" and isinstance(node.ctx, ast.Load):
                    fact = f".{attr} is not allowed here"
                    self._note(node, fact, "write op.<Name>(...) or x.shape")
            case ast.Call():
                self._call(node)
            case ast.UnaryOp(op=op) | ast.BinOp(op=op):
                if not isinstance(op, _ALLOWED):
                    fact = "this operator does not work on tensors"
                    remedy = "write op.Not, op.And, op.Or, op.Xor, op.BitShift, or op.BitwiseAnd"
                    self._note(node, fact, remedy)
            case ast.Compare():
                self._comparison(node)
            case ast.Assign(targets=targets):
                self._targets(targets)
            case ast.For() | ast.comprehension():
                self._targets([node.target])
                self._loop(node)
            case ast.FunctionDef():
                self._function(node)
            case ast.arguments():
                others = [*node.posonlyargs, *node.kwonlyargs, node.vararg, node.kwarg]
                types = [argument.annotation for argument in node.args]
                self._leave_out(*others, *node.defaults, *node.kw_defaults, *types)
            case ast.arg():
                self._binds(node, node.arg)
            case ast.Lambda():
                fact = "a lambda stands in op.If and op.Loop alone, by name"
                self._note(node, fact, "write then_branch=lambda: x, say")

    def _name(self, node: ast.Name) -> None:
        name = node.id
        if isinstance(node.ctx, ast.Store):
            self._binds(node, name)
        elif name in self._known or not isinstance(node.ctx, ast.Load):
            return
        elif name == "op":
            self._note(node, "op alone is no value", "write op.Add(a, b), say")
        elif name == "opset":
            fact = "opset stands in a comparison with a number alone"
            self._note(node, fact, "write op.A(x) if opset >= 18 else op.B(x), say")
        elif name in self._functions:
            fact = f"{name} is a function, which only op.If and op.Loop call"
            self._note(node, fact, f"write op.Loop(..., body={name}), say")
        elif not self._is_open or name.startswith("__"):
            known = ", ".join(self._known) or "nothing"
            remedy = did_you_mean(name, self._known) or f"known here: {known}"
            self._note(node, f"{name} is neither an argument nor assigned before", remedy)

    def _binds(self, node: ast.AST, name: str) -> None:
        """Note a name that a mapping does not bind."""
        if name in RESERVED or (name in self._functions and not isinstance(node, ast.FunctionDef)):
            what = "stands for ONNX's operators" if name == "op" else "is a function here"
            self._note(node, f"{name} {what}", "choose another name")
        elif not re.fullmatch(r"(?!__)[A-Za-z_]\w{0,99}", name, re.ASCII):
            words = "ASCII letters, digits and _, at most 100, not beginning with a digit or __"
            self._note(node, f"the name {name!r} is not allowed", f"write {words}")

    def _targets(self, targets: Sequence[ast.expr]) -> None:
        words = targets[0].elts if isinstance(targets[0], ast.Tuple) else targets
        if len(targets) > 1 or not all(isinstance(word, ast.Name) for word in words):
            fact = "only plain names can be assigned to"
            self._note(targets[-1], fact, "write x = op.Add(a, b), say")

    def _leave_out(self, *parts: ast.AST | None) -> None:
        for part in parts:
            if part is not None:
                fact = "this is not allowed of a function here"
                self._note(part, fact, "write lambda i, keep, y: ..., say")

    def _loop(self, node: ast.For | ast.comprehension) -> None:
        others = node.orelse if isinstance(node, ast.For) else node.ifs
        within = [part for each in getattr(node, "body", ()) for part in ast.walk(each)]
        for part in (*others, *(part for part in within if isinstance(part, ast.Return))):
            remedy = "write x if condition else y within, and return behind it"
            if isinstance(node, ast.comprehension):
                remedy = "choose by a slice, or of two lists: [*range(d), *range(d + 1, rank(x))]"
            self._note(part, "a for runs through", remedy)
        match node.iter:
            case ast.Call(func=ast.Name(id=name) as func, keywords=[]):
                if name in _LOOPS and name not in self._parameters:
                    self._fine |= {node.iter, func}

    def _function(self, node: ast.FunctionDef) -> None:
        self._leave_out(*node.decorator_list, node.returns, *getattr(node, "type_params", ()))
        self._binds(node, node.name)
        if node.name in self._known:
            self._note(node, f"{node.name} is a value already", "give the function another name")
        if not always_returns(node.body):
            fact = f"the last line of {node.name} must return what it gives"
            self._note(node.body[-1], fact, "write return y, say")

    def _comparison(self, node: ast.Compare) -> None:
        parts = {ast.unparse(part): part for part in (node.left, *node.comparators)}
        if all(text == "opset" or text.isdecimal() for text in parts):
            self._fine |= {*parts.values()}
        for op, part in zip(node.ops, node.comparators, strict=True):
            is_none = isinstance(part, ast.Constant) and part.value is None
            if not isinstance(op, _ALLOWED):
                self._note(node, "this is not allowed here", _NOT_ALLOWED)
            elif isinstance(op, ast.Is | ast.IsNot) and not is_none:
                fact = "is compares an argument with None"
                self._note(node, fact, "write x is None, or use ==")

    def _call(self, node: ast.Call) -> None:
        func = node.func
        match func:
            case ast.Attribute(value=ast.Name(id="op") as op):
                self._fine |= {func, op}
                self._op(node, func)
                return
            case ast.Name(id=name) if name in (*FUNCTIONS, *HELPERS):
                self._fine.add(func)
                if name in self._parameters:
                    fact = f"{name} is a value here, not Python's function"
                    self._note(func, fact, "write a if a < b else b, say")
                for word in node.keywords:
                    self._note(word.value, f"{name} takes no keywords", "leave this out")
            case _:
                called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                names = ", ".join(FUNCTIONS)
                fact = f"only op.<Name>(...) and, on scalars, {names} can be called"
                known = did_you_mean(called.replace("_", ""), versions(), "op.") if called else ""
                self._note(func, fact, known or "write op.Add(a, b), say")

    def _op(self, node: ast.Call, func: ast.Attribute) -> None:
        if func.attr not in versions():
            remedy = did_you_mean(func.attr, versions(), "op.")
            remedy = remedy or "write it with those at https://onnx.ai/onnx/operators"
            self._note(func, f"op.{func.attr} is not an ONNX op", remedy)
        for keyword in node.keywords:
            if keyword.arg is None:
                self._note(keyword.value, "** is not allowed", "write the attributes out")
            elif keyword.arg.startswith("_"):
                fact = f"op.{func.attr} has no attribute {keyword.arg}"
                self._note(keyword, fact, "leave it out")
            elif keyword.arg in GRAPHS.get(func.attr, ()):
                value = keyword.value
                is_named = isinstance(value, ast.Name) and value.id in self._functions
                if is_named or isinstance(value, ast.Lambda):
                    self._fine.add(value)


def always_returns(body: Sequence[ast.stmt]) -> bool:
    """Return whether statements return, whichever way they go."""
    last = body[-1] if body else None
    if isinstance(last, ast.If):
        return always_returns(last.body) and always_returns(last.orelse)
    return isinstance(last, ast.Return)
