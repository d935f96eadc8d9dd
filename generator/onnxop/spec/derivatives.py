"""The gradients: torch expressions over the arguments, ``grad`` and ``result``; where there are
several results over ``grads`` and the results by their names, as in PyTorch's derivatives.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from types import EllipsisType

from ..errors import Problems, did_you_mean, listed
from ..schema import torchnames
from ..schema.signature import UNKNOWN_TYPE, OpSchema
from ..words import pyexpr
from ..words.pyexpr import ExpressionProblem, ExpressionProblems, Source
from .tables import Tables

NON_DIFFERENTIABLE = "non_differentiable"

_ALLOWED = (
    ast.Name,
    ast.Constant,
    ast.Attribute,
    ast.Call,
    ast.keyword,
    ast.Subscript,
    ast.Slice,
    ast.List,
    ast.Tuple,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
    ast.boolop,
    ast.expr_context,
)


@dataclass(frozen=True)
class Formula:
    """The gradient with respect to one argument: Python code, and the names that it uses. Of several
    results' gradients, the code has ``grads[0]`` and so on, under whatever names they were given.
    """

    code: str
    uses: tuple[str, ...]


def read(tables: Tables, schema: OpSchema | None) -> dict[str, Formula | None]:
    """The formulas of ``[autograd]`` by argument; what is wrong with them is noted."""
    kernel = tables.document.kernel
    formulas: dict[str, Formula | None] = {}
    for name, text in tables.document.autograd.items():
        if kernel is not None and name in kernel.backward:
            tables.problems.add(
                ("autograd", name),
                f"the gradient of {name} is given by backward in [kernel] already; remove one",
                on_key=True,
            )
        if schema is not None:
            _check_name(name, schema, tables.problems)
        try:
            formulas[name] = parse(text, schema)
            _check_lists(name, formulas[name], schema, tables.problems)
        except ExpressionProblems as error:
            for problem in error.problems:
                tables.note(("autograd", name), problem)
    return formulas


def _check_lists(
    name: str, formula: Formula | None, schema: OpSchema | None, problems: Problems
) -> None:
    """Notes a formula that is to give, or to name, a list of tensors."""
    if formula is None or schema is None:
        return
    lists = [tensor.name for tensor in schema.tensors if tensor.is_list]
    if name in lists:
        problems.add(
            ("autograd", name),
            f"{name} is a list of tensors, and a formula gives one gradient; remove the line: PyTorch's "
            "autograd takes the gradient of each through kernel.python",
        )
    for used in formula.uses:
        if used in lists and name not in lists:
            problems.add(
                ("autograd", name),
                f"{used} is a list of tensors, which no formula can name; remove the line: PyTorch's "
                "autograd takes this gradient through kernel.python",
            )


def _check_name(name: str, schema: OpSchema, problems: Problems) -> None:
    names = [argument.name for argument in schema.arguments]
    tensor_names = [
        argument.name
        for argument in schema.arguments
        if argument.is_tensor or argument.type == UNKNOWN_TYPE
    ]
    if name in tensor_names:
        return
    fact = f"{name} is no tensor, and only tensors have gradients; remove the line"
    if name not in names:
        hint = did_you_mean(name, tensor_names) or f"; tensors: {listed(tensor_names)}"
        fact = f"the schema has no argument {name}{hint}"
    problems.add(("autograd", name), fact, on_key=True)


def parse(text: str, schema: OpSchema | None) -> Formula | None:
    """The formula in the text; None for ``non_differentiable``.

    Without a schema, every name may be an argument's, and the formula serves no purpose.

    Raises:
        ExpressionProblems: all that is wrong with it.
    """
    if text.strip() == NON_DIFFERENTIABLE:
        return None
    try:
        source, node = pyexpr.parse_expression(text, "grad * other.cos()")
    except ExpressionProblem as problem:
        raise ExpressionProblems([problem]) from None
    gradients = _gradients(schema)
    results = schema.results if schema else ("result",)
    known = [argument.name for argument in schema.arguments] if schema else []
    known += [name for name in (*gradients, *results) if name not in known]
    is_open = schema is None or not results
    problems: list[ExpressionProblem] = []
    uses: list[str] = []
    for part, parent in _parts(node, None):
        try:
            _check(source, part, parent, None if is_open else known)
            if isinstance(part, ast.Name) and part.id == "grads" and schema and schema.has_several:
                _check_item(source, part, parent, schema)
        except ExpressionProblem as problem:
            problems.append(problem)
        if isinstance(part, ast.Name) and part.id in known and part.id not in uses:
            uses.append(part.id)
    tensors = {*gradients, *results}
    tensors |= {argument.name for argument in schema.tensors} if schema else set()
    if not is_open and not problems and not tensors.intersection(uses):
        problems.append(
            source.problem(
                node,
                "the gradient must be a tensor: write zeros_like(...) for zero, or "
                f'"{NON_DIFFERENTIABLE}" for none',
            )
        )
    if problems:
        raise ExpressionProblems(problems)
    used = [name for name in known if name in uses]
    order = dict.fromkeys("grads" if gradients.get(name) is not None else name for name in used)
    names = _Names(set(known) | {"torch"}, gradients)
    return Formula(pyexpr.show(names.visit(node)), tuple(order))


def _gradients(schema: OpSchema | None) -> dict[str, int | None]:
    """What the results' gradients are called; of several results, with their places."""
    if schema is None or not schema.has_several:
        return {"grad": None}
    arguments = {argument.name for argument in schema.arguments}
    by_name: dict[str, int | None] = {"grad": 0, "grads": None}
    by_name |= {f"grad_{result}": place for place, result in enumerate(schema.results)}
    return {name: place for name, place in by_name.items() if name not in arguments}


def _check_item(source: Source, node: ast.Name, parent: ast.AST | None, schema: OpSchema) -> None:
    """``grads`` is read an item at a time."""
    match parent:
        case ast.Subscript(value=value, slice=ast.Constant(value=int(place))) if value is node:
            if 0 <= place < len(schema.results):
                return
        case _:
            pass
    raise source.problem(
        node,
        f"grads are the gradients of {listed(schema.results)}; write grads[0], or "
        f"grad_{schema.results[0]}",
    )


def _parts(node: ast.AST, parent: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Every node and the one it is part of; of one that is not allowed, nothing within."""
    yield node, parent
    if isinstance(node, _ALLOWED):
        for child in ast.iter_child_nodes(node):
            yield from _parts(child, node)


def _check(source: Source, node: ast.AST, parent: ast.AST | None, known: list[str] | None) -> None:
    """Raises `ExpressionProblem` for what no formula can hold. ``known`` None: any name can be."""
    called = isinstance(parent, ast.Call) and parent.func is node
    if not isinstance(node, _ALLOWED):
        raise source.problem(
            node, "not allowed here; write a torch expression, such as grad * other.cos()"
        )
    match node:
        case ast.Attribute():
            _check_attribute(source, node, called, isinstance(parent, ast.Attribute))
        case ast.Constant(value=value) if isinstance(value, bytes | complex | EllipsisType):
            raise source.problem(node, "write real numbers, strings, True, False or None")
        case ast.Call(
            func=ast.Attribute(attr="to"), args=[ast.Constant(value=str()) as device, *_]
        ):
            raise source.problem(device, torchnames.moving(repr(device.value)))
        case ast.Call(keywords=keywords):
            _check_keywords(source, keywords)
        case ast.Name(id="torch"):
            if not isinstance(parent, ast.Attribute):
                raise source.problem(node, "torch alone is no value; write torch.exp(x), say")
        case ast.Name(id=name) if called or known is not None:
            if called or name not in (known or ()):
                _check_function(source, node, called, known or [])


def _check_keywords(source: Source, keywords: list[ast.keyword]) -> None:
    seen: set[str] = set()
    for keyword in keywords:
        if keyword.arg is None:
            raise source.problem(keyword.value, "** is not allowed; write the arguments out")
        if keyword.arg == "out":
            raise source.problem(
                keyword, "out writes to a tensor; leave it out, and use the result"
            )
        if keyword.arg == "device" and isinstance(keyword.value, ast.Constant):
            raise source.problem(keyword, torchnames.moving("device"))
        if keyword.arg in seen:
            raise source.problem(keyword, f"{keyword.arg} is given twice; remove one of them")
        seen.add(keyword.arg)


class _Names(ast.NodeTransformer):
    """Plain function names become ``torch.<name>``, as in PyTorch's derivatives file, and the
    gradient of one of several results becomes ``grads[<its place>]``.
    """

    def __init__(self, known: set[str], gradients: dict[str, int | None]) -> None:
        self._known, self._gradients = known, gradients

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if (place := self._gradients.get(node.id)) is not None:
            return ast.Subscript(ast.Name("grads"), ast.Constant(place))
        if node.id in self._known:
            return node
        return ast.Attribute(ast.Name("torch"), node.id)


def _check_attribute(source: Source, node: ast.Attribute, called: bool, is_base: bool) -> None:
    word, path = node.attr, pyexpr.dotted(node) or ""
    known: Collection[str]
    of_torch = isinstance(node.value, ast.Name) and node.value.id == "torch"
    members = torchnames.members(path.rpartition(".")[0])
    if word.startswith("_"):
        raise source.problem(node, f"{word} is private; use PyTorch's public functions")
    if word in torchnames.LEAVING and called:
        raise source.problem(node, _leaving(word))
    if why := torchnames.unfit_for_formula(word):
        raise source.problem(node, why)
    if path.startswith("torch.ops."):
        if why := torchnames.problem_with_operator(path):
            raise source.problem(node, why)
        return
    if of_torch and called:
        known, fact = torchnames.FUNCTIONS, f"torch has no function {word}"
    elif of_torch and is_base:
        known, fact = torchnames.MODULES, f"torch has no public module {word} for formulas"
    elif of_torch:
        known, fact = torchnames.CONSTANTS, f"torch has no constant {word}"
    elif members is not None:
        known, fact = members, f"{path.rpartition('.')[0]} has no function {word}"
    elif path.startswith("torch."):
        return  # its beginning is noted, or a constant
    elif called:
        known, fact = torchnames.METHODS, f"a tensor has no method {word}"
    else:
        known, fact = torchnames.PROPERTIES, f"a tensor has no attribute {word}"
        if word in torchnames.METHODS:
            raise source.problem(node, f"{word} is a method; call it: {word}()")
    if of_torch and not called and word in torchnames.FUNCTIONS:
        raise source.problem(node, f"torch.{word} is a function; call it: torch.{word}(...)")
    if word not in known:
        if word.endswith("_") and word[:-1] in known:
            raise source.problem(node, f"{word} changes its tensor; write {word[:-1]}")
        hint = did_you_mean(word, known) or "; see the PyTorch documentation"
        raise source.problem(node, f"{fact}{hint}")


def _leaving(word: str) -> str:
    return (
        f"{word} makes Python's values of a tensor's, which neither gradients nor exporters can "
        "follow; write it with tensors, as in where(a > 0, grad, 0)"
    )


def _check_function(source: Source, node: ast.Name, called: bool, known: list[str]) -> None:
    if called and node.id in torchnames.LEAVING:
        raise source.problem(node, _leaving(node.id))
    if called and (why := torchnames.unfit_for_formula(node.id)):
        raise source.problem(node, why)
    if called and node.id in torchnames.FUNCTIONS:
        return
    if called and node.id.endswith("_") and node.id[:-1] in torchnames.FUNCTIONS:
        raise source.problem(node, f"{node.id} changes its tensor; write {node.id[:-1]}")
    if called:
        raise source.problem(
            node,
            f"torch has no function {node.id}"
            f"{did_you_mean(node.id, torchnames.FUNCTIONS) or '; see the PyTorch documentation'}",
        )
    raise source.problem(
        node,
        f"{node.id} is no argument of the schema"
        f"{did_you_mean(node.id, [*known, NON_DIFFERENTIABLE]) or '; known here: ' + listed(known)}",
    )
