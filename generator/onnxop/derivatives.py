"""The gradients: torch expressions over the arguments, ``grad`` and ``result``."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path as FilePath

from onnxop import pyexpr
from onnxop.errors import did_you_mean, listed
from onnxop.pyexpr import ExpressionProblem, Source
from onnxop.schema import OpSchema

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
    """The gradient with respect to one argument: Python code, and the names that it uses."""

    code: str
    uses: tuple[str, ...]


def parse(text: str, schema: OpSchema) -> Formula | None:
    """The formula in the text; None for ``non_differentiable``. Raises `ExpressionProblem`."""
    if text.strip() == NON_DIFFERENTIABLE:
        return None
    source, node = pyexpr.parse_expression(text)
    known = [argument.name for argument in schema.arguments] + ["grad", "result"]
    callees = {id(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)}
    uses: list[str] = []
    for part in ast.walk(node):
        if not isinstance(part, _ALLOWED):
            raise source.problem(
                part, "not allowed here; write a torch expression, such as grad * other.cos()"
            )
        if isinstance(part, ast.Attribute):
            _check_attribute(source, part, id(part) in callees)
        if isinstance(part, ast.Constant) and isinstance(part.value, bytes | complex):
            raise source.problem(part, "write real numbers, strings, True, False or None")
        if isinstance(part, ast.Name) and part.id in known and part.id not in uses:
            uses.append(part.id)
        elif isinstance(part, ast.Name) and part.id not in known and part.id != "torch":
            _check_function(source, part, id(part) in callees, known)
    tensors = {argument.name for argument in schema.tensors} | {"grad", "result"}
    if not tensors.intersection(uses):
        raise source.problem(
            node,
            "the gradient must be a tensor: write zeros_like(...) for zero, or "
            f'"{NON_DIFFERENTIABLE}" for none',
        )
    order = [name for name in known if name in uses]
    functions = _Functions(set(known) | {"torch"})
    return Formula(pyexpr.show(functions.visit(node)), tuple(order))


class _Functions(ast.NodeTransformer):
    """Plain function names become ``torch.<name>``, as in PyTorch's derivatives file."""

    def __init__(self, known: set[str]) -> None:
        self._known = known

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id in self._known:
            return node
        return ast.Attribute(ast.Name("torch"), node.id)


def _check_attribute(source: Source, node: ast.Attribute, called: bool) -> None:
    if node.attr.startswith("_"):
        raise source.problem(node, f"{node.attr} is private; use PyTorch's public functions")
    if isinstance(node.value, ast.Name) and node.value.id == "torch":
        if called and node.attr not in _functions():
            raise source.problem(
                node,
                f"torch has no function {node.attr}"
                f"{did_you_mean(node.attr, _functions()) or '; see the PyTorch documentation'}",
            )
    elif called and node.attr not in _methods() and not _is_of_module(node):
        raise source.problem(
            node,
            f"a tensor has no method {node.attr}"
            f"{did_you_mean(node.attr, _methods()) or '; see the PyTorch documentation'}",
        )


def _is_of_module(node: ast.Attribute) -> bool:
    """Whether this is ``torch.<module>.<name>``, such as ``torch.special.digamma``."""
    base: ast.expr = node
    while isinstance(base, ast.Attribute):
        base = base.value
    return isinstance(base, ast.Name) and base.id == "torch"


def _check_function(source: Source, node: ast.Name, called: bool, known: list[str]) -> None:
    if called and node.id in _functions():
        return
    if called:
        raise source.problem(
            node,
            f"torch has no function {node.id}"
            f"{did_you_mean(node.id, _functions()) or '; see the PyTorch documentation'}",
        )
    raise source.problem(
        node,
        f"{node.id} is no argument of the schema"
        f"{did_you_mean(node.id, known) or '; known here: ' + listed(known)}",
    )


def _stub(*path: str) -> str:
    spec = find_spec("torch")
    assert spec is not None and spec.submodule_search_locations
    file = FilePath(spec.submodule_search_locations[0]).joinpath(*path)
    return file.read_text(encoding="utf-8") if file.is_file() else ""


@cache
def _functions() -> frozenset[str]:
    """The names of PyTorch's functions, from its type stubs: torch itself is not imported."""
    text = _stub("_C", "_VariableFunctions.pyi") + _stub("functional.py")
    return frozenset(re.findall(r"^(?:    )?def ([a-z]\w*)\(", text, re.MULTILINE))


@cache
def _methods() -> frozenset[str]:
    """The names of a tensor's methods, from the same stubs."""
    stub = _stub("_C", "__init__.pyi")
    start = stub.find("class TensorBase")
    end = stub.find("\nclass ", start + 1)
    text = stub[start:end] + _stub("_tensor.py")
    return frozenset(re.findall(r"^    def ([a-z]\w*)\(", text, re.MULTILINE))


__all__ = ["NON_DIFFERENTIABLE", "ExpressionProblem", "Formula", "parse"]
