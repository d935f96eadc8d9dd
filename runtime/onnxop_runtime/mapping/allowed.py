"""What a mapping may hold: Python's expressions and a few statements, and no way around them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .definitions import versions
from .problems import Problem, span_of
from .spelling import did_you_mean
from .syntax import always_returns, instead
from .tracing import GRAPHS

FUNCTIONS = ("abs", "float", "int", "len", "max", "min", "range", "sum")
"""What a mapping calls on numbers and lists."""
HELPERS = ("rank", "is_open", "is_floating_point")
"""What it asks of the operator's tensors."""
_LOOPS = ("enumerate", "zip")
RESERVED = frozenset(("op", "opset", *FUNCTIONS, *HELPERS, *_LOOPS))
"""What nothing in a mapping binds."""

NOT_ALLOWED = (
    "not allowed here: "
    "a mapping may hold op.<Name>(...), argument names, literals, lists, arithmetic, "
    "x if condition else y, [... for x in ...], if, for, def, assignments and return"
)
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
_WHILE = (
    "write for i in range(n), of as many rounds as are known while a model is exported, or "
    "op.Loop(None, True, x, body=lambda i, keep, y: (y < 9.0, y * 2.0)), say"
)


def problems(
    body: Sequence[ast.stmt], parameters: Sequence[str], *, is_open: bool = False
) -> list[Problem]:
    """Return all in the statements that a mapping may not hold.

    Args:
        body: the statements of the mapping.
        parameters: the arguments that it is given.
        is_open: whether it may be given others.
    """
    if not body:
        return [Problem("empty", "write op.Add(a, b), say", span_of(ast.Pass()))]
    found = _Check(parameters, is_open=is_open)
    found.function(body, is_whole=True)
    return found.problems


class _Check:
    """Walks statements, and notes what is not allowed."""

    def __init__(self, parameters: Sequence[str], *, is_open: bool) -> None:
        self._is_open = is_open
        self.problems: list[Problem] = []
        self._known: dict[str, None] = dict.fromkeys(parameters)  # in order
        self._functions: set[str] = set()
        self._within: list[str] = []  # functions that are walked

    def _know(self, name: str) -> None:
        self._known[name] = None

    def note(self, node: ast.AST, fact: str, remedy: str) -> None:
        self.problems.append(Problem(fact, remedy, span_of(node)))

    def function(self, body: Sequence[ast.stmt], *, is_whole: bool = False) -> None:
        """Check the body of the mapping, or of a function in it."""
        is_expression = is_whole and len(body) == 1 and isinstance(body[0], ast.Expr)
        self.block(body[:-1] if is_expression else body)
        if is_expression:
            self.expression(body[0].value)  # type: ignore[attr-defined]
        elif not always_returns(body):
            if isinstance(body[-1], ast.If):
                self.note(
                    body[-1],
                    "where this does not hold, nothing is returned",
                    "add an else, or return behind it",
                )
                return
            name = f" of {self._within[-1]}" if self._within else ""
            what = (
                "what it gives; write return y, say"
                if name
                else "the result; write return op.Add(a, b), say"
            )
            fact, _, remedy = f"the last line{name} must return {what}".partition("; ")
            self.note(body[-1], fact, remedy)

    def block(self, body: Sequence[ast.stmt]) -> None:
        """Check statements one after the other."""
        for place, statement in enumerate(body):
            self.statement(statement)
            if place < len(body) - 1 and always_returns(body[: place + 1]):
                self.note(
                    body[place + 1],
                    "the lines after this return are never reached",
                    "remove them or it",
                )
                return

    def statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Return(value=ast.expr() as value):
                places = value.elts if isinstance(value, ast.Tuple) else [value]
                for each in places:
                    self.expression(each)
            case ast.Assign(targets=[target], value=value):
                self.expression(value)
                self.target(target)
            case ast.If(test=test, body=body, orelse=orelse):
                self.expression(test)
                before = dict(self._known)
                self.block(body)
                after, self._known = self._known, before
                self.block(orelse)
                # What either side assigns is known behind it; Python says where it is not.
                self._known |= after
            case ast.For(target=target, iter=over, body=body, orelse=[], type_comment=None):
                self.loop(target, over)
                for part in (part for each in body for part in ast.walk(each)):
                    if isinstance(part, ast.Return | ast.Break | ast.Continue):
                        fact = "a for runs through"
                        self.note(part, fact, "return behind it, and choose by op.Where or if")
                        return
                self.block(body)
            case ast.FunctionDef():
                self.definition(node)
            case ast.While():
                self.note(node, "a mapping has no while", _WHILE)
            case _:
                self.note(node, NOT_ALLOWED, "")

    def definition(self, node: ast.FunctionDef) -> None:
        parts = [*node.decorator_list, node.returns, *getattr(node, "type_params", ())]
        for part in (part for part in parts if part is not None):
            self.note(part, "a function has parameters and lines alone", "leave this out")
        if node.name in self._known:
            self.note(node, f"{node.name} is a value already", "give the function another name")
        if self.binds(node, node.name):
            self._functions.add(node.name)
        self._within.append(node.name)
        with self.parameters(node.args):
            self.function(node.body)
        self._within.pop()

    @contextmanager
    def parameters(self, arguments: ast.arguments) -> Iterator[None]:
        """Know the parameters of a function within it."""
        others = (*arguments.posonlyargs, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg)
        for part in (*others, *arguments.defaults, *arguments.kw_defaults):
            if part is not None:
                self.note(
                    part,
                    "a function takes plain parameters here",
                    "write lambda i, keep, y: ..., say",
                )
        before = dict(self._known), set(self._functions)
        for argument in arguments.args:
            if argument.annotation is not None:
                self.note(
                    argument.annotation,
                    "a function has parameters and lines alone",
                    "leave this out",
                )
            if self.binds(argument, argument.arg):
                self._know(argument.arg)
        yield
        self._known, self._functions = before

    def binds(self, node: ast.AST, name: str) -> bool:
        """Note a name that a mapping does not bind, and return whether it does."""
        if name == "op":
            self.note(node, "op stands for ONNX's operators", "rename it")
        elif name in RESERVED or name in self._functions:
            self.note(node, f"{name} is a function here", "choose another name")
        elif not re.fullmatch(r"(?!__)[A-Za-z_]\w{0,99}", name, re.ASCII):
            words = "ASCII letters, digits and _, at most 100, not beginning with a digit or __"
            self.note(node, f"the name {name!r} is not allowed", f"write {words}")
        else:
            return True
        return False

    def target(self, node: ast.expr) -> None:
        for word in node.elts if isinstance(node, ast.Tuple) else [node]:
            if not isinstance(word, ast.Name):
                self.note(
                    word, "only a plain name can be assigned to", "write x = op.Add(a, b), say"
                )
            elif self.binds(word, word.id):
                self._know(word.id)

    def loop(self, target: ast.expr, over: ast.expr) -> None:
        match over:
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
                name in _LOOPS and name not in self._known
            ):
                for each in args:
                    self.expression(each)
            case _:
                self.expression(over)
        self.target(target)

    def expression(self, node: ast.expr) -> None:
        match node:
            case ast.Name():
                self.name(node)
            case ast.Constant(value=value):
                self.constant(node, value)
            case ast.List(elts=items) | ast.Tuple(elts=items):
                for item in items:
                    self.expression(item.value if isinstance(item, ast.Starred) else item)
            case ast.ListComp(elt=elt, generators=generators):
                self.comprehension(elt, generators)
            case ast.Attribute(value=value, attr="shape") if not _is_op(value):
                self.expression(value)
            case ast.Call():
                self.call(node)
            case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=upper, step=step)):
                for part in (value, lower, upper, step):
                    if part is not None:
                        self.expression(part)
            case ast.Subscript(value=value, slice=index):
                self.expression(value)
                self.expression(index)
            case ast.Compare(left=left, ops=ops, comparators=others):
                self.comparison(node, ops, [left, *others])
            case ast.BoolOp(values=values):
                for value in values:
                    self.expression(value)
            case ast.UnaryOp(op=op, operand=operand):
                self.operation(node, isinstance(op, ast.Invert), [operand])
            case ast.BinOp(left=left, op=op, right=right):
                self.operation(node, not isinstance(op, _ARITHMETIC), [left, right])
            case ast.IfExp(test=test, body=body, orelse=orelse):
                for part in (test, body, orelse):
                    self.expression(part)
            case ast.Lambda():
                fact = "a lambda stands in op.If and op.Loop alone, by name"
                self.note(node, fact, "write then_branch=lambda: x, say")
            case _:
                self.note(node, NOT_ALLOWED, "")

    def operation(self, node: ast.expr, is_refused: bool, operands: Sequence[ast.expr]) -> None:
        if is_refused:
            self.note(node, "this operator does not work on tensors", f"write {instead(node)}")
        for operand in operands:
            self.expression(operand)

    def comprehension(self, elt: ast.expr, generators: Sequence[ast.comprehension]) -> None:
        [loop, *others] = generators
        if others or loop.is_async:
            self.note(elt, "a list is made by one for alone", "write two lists")
            return
        for test in loop.ifs:
            fact = "which items a list has is not chosen by if"
            self.note(test, fact, "slice what it is made of")
        before = dict(self._known)
        self.loop(loop.target, loop.iter)
        self.expression(elt)
        self._known = before

    def comparison(
        self, node: ast.Compare, ops: Sequence[ast.cmpop], operands: Sequence[ast.expr]
    ) -> None:
        of_none = [isinstance(part, ast.Constant) and part.value is None for part in operands]
        if any(isinstance(op, ast.In | ast.NotIn) for op in ops):
            self.note(node, NOT_ALLOWED, "")
        elif any(isinstance(op, ast.Is | ast.IsNot) for op in ops):
            if not (len(ops) == 1 and of_none[1] and not of_none[0]):
                self.note(node, "is compares an argument with None", "write x is None, or use ==")
        elif any(of_none):
            fact = "None is compared by is alone"
            self.note(node, fact, "write x is None, or x is not None")
        words = [part.id for part in operands if isinstance(part, ast.Name)]
        for part in operands:
            is_number = isinstance(part, ast.Constant) and isinstance(part.value, int)
            if "opset" not in words or not (is_number or _is_opset(part)):
                self.expression(part)

    def name(self, node: ast.Name) -> None:
        name = node.id
        if name in self._known:
            return
        if name == "op":
            self.note(node, "op alone is no value", "write op.Add(a, b), say")
        elif name == "opset":
            self.note(
                node,
                "opset stands alone in a condition",
                "write op.A(x) if opset >= 18 else op.B(x), say, and other conditions within",
            )
        elif name in self._functions:
            fact = f"{name} is a function, which only op.If and op.Loop call"
            self.note(node, fact, f"write op.Loop(..., body={name}), say")
        elif not self._is_open or name.startswith("__"):
            known = [word for word in self._known if word not in self._functions]
            hint = did_you_mean(name, known) or f"known here: {_listed(known)}"
            self.note(node, f"{name} is neither an argument nor assigned before", hint)

    def constant(self, node: ast.expr, value: object) -> None:
        if not (value is None or isinstance(value, bool | int | float | str)):
            self.note(node, NOT_ALLOWED, "")
        elif isinstance(value, int) and not -(2**63) <= value < 2**63:
            self.note(node, "this integer does not fit in 64 bits", "write a float, such as 1e20")

    def call(self, node: ast.Call) -> None:
        func = node.func
        is_node = isinstance(func, ast.Attribute) and _is_op(func.value)
        if is_node:
            self.op(node, func)  # type: ignore[arg-type]
            return
        if isinstance(func, ast.Name) and func.id in (*FUNCTIONS, *HELPERS):
            if func.id in self._known:
                fact = f"{func.id} is a value here, not Python's function"
                self.note(func, fact, "write a if a < b else b, say")
            for word in node.keywords:
                self.note(word.value, f"{func.id} takes no keywords", "leave this out")
        elif isinstance(func, ast.Name) and func.id in self._functions:
            self.name(func)
        else:
            called = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            by_word = {name.lower(): name for name in versions()}
            op = by_word.get(called.replace("_", "").lower())
            fact = f"only op.<Name>(...) and, on scalars, {_listed(FUNCTIONS)} can be called"
            self.note(func, fact, f"did you mean op.{op}?" if op else "write op.Add(a, b), say")
        self.arguments(node.args)
        for keyword in node.keywords:
            self.expression(keyword.value)

    def op(self, node: ast.Call, func: ast.Attribute) -> None:
        if func.attr not in versions():
            hint = did_you_mean(func.attr, versions()).replace("mean ", "mean op.")
            fact = f"op.{func.attr} is not an ONNX op"
            self.note(func, fact, hint or "write it with those at https://onnx.ai/onnx/operators")
        graphs, names = GRAPHS.get(func.attr, ()), set[str]()
        self.arguments(node.args)
        for keyword in node.keywords:
            if keyword.arg is None:
                self.note(keyword.value, "** is not allowed", "write the attributes out")
            elif keyword.arg in names:
                self.note(keyword, f"{keyword.arg} is given twice", "remove one of them")
            elif keyword.arg.startswith("_"):
                self.note(keyword, f"op.{func.attr} has no attribute {keyword.arg}", "leave it out")
            names.add(keyword.arg or "")
            if keyword.arg in graphs:
                self.graph(keyword.value)
            else:
                self.expression(keyword.value)

    def graph(self, node: ast.expr) -> None:
        """Check what an op is given as a function."""
        if isinstance(node, ast.Lambda):
            with self.parameters(node.args):
                body = node.body
                for part in body.elts if isinstance(body, ast.Tuple) else [body]:
                    self.expression(part)
        elif not (isinstance(node, ast.Name) and node.id in self._functions):
            self.expression(node)
        elif node.id in self._within:
            fact = "a function cannot hold itself, as graphs within each other end"
            self.note(node, fact, "leave this out")

    def arguments(self, nodes: Sequence[ast.expr]) -> None:
        for node in nodes:
            self.expression(node.value if isinstance(node, ast.Starred) else node)


def _is_op(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "op"


def _is_opset(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "opset"


def _listed(words: Sequence[str]) -> str:
    """Return ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))
