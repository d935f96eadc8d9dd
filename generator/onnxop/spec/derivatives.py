"""[autograd] → formulas: torch expressions over the arguments, ``grad`` and ``result``. An operator
with several results has ``grads`` and its results by name, as in PyTorch's derivatives.yaml.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from types import EllipsisType

from onnxop_runtime.messages import did_you_mean, join_words
from onnxop_runtime.specs import pyexpr
from onnxop_runtime.specs.arguments import UNKNOWN_TYPE
from onnxop_runtime.specs.op_schema import OpSchema
from onnxop_runtime.specs.pyexpr import ExpressionProblem, ExpressionProblems, PythonSource

from ..schema import torchnames
from .tables import Tables

NON_DIFFERENTIABLE = "non_differentiable"

_ALLOWED: tuple[type[ast.AST], ...] = tuple(
    getattr(ast, name)
    for name in "Name Constant Attribute Call keyword Subscript Slice List Tuple BinOp UnaryOp "
    "Compare BoolOp IfExp operator unaryop cmpop boolop expr_context".split()
)


@dataclass(frozen=True)
class Formula:
    """The gradient with respect to one argument: Python code, and the names that it uses.

    Several results' gradients are ``grads[0]`` and so on in the code, however the spec wrote them.
    """

    code: str
    uses: tuple[str, ...]


def parse_formulas(tables: Tables, schema: OpSchema | None) -> dict[str, Formula | None]:
    """Return the formulas of ``[autograd]`` by argument; add a problem for each that is wrong."""
    kernel = tables.document.kernel
    formulas: dict[str, Formula | None] = {}
    for name, text in tables.document.autograd.items():
        fact = _problem_with_name(name, schema) if schema is not None else ""
        if kernel is not None and name in kernel.backward:
            fact = f"the gradient of {name} is already given by backward in [kernel]; remove one"
        if fact:
            tables.problems.add(("autograd", name), fact, on_key=True)
        with tables.noting(("autograd", name)):
            formulas[name] = parse_formula(text, schema, tables.requires)
    return formulas


def _problem_with_name(name: str, schema: OpSchema) -> str:
    """Return why an argument of that name cannot have a formula, or an empty string."""
    by_name = {argument.name: argument for argument in schema.arguments}
    tensors = [n for n, a in by_name.items() if a.is_tensor or a.type == UNKNOWN_TYPE]
    if name not in by_name:
        hint = did_you_mean(name, tensors) or f"; tensors: {join_words(tensors)}"
        return f"the schema has no argument {name}{hint}"
    if name not in tensors:
        return f"{name} is not a tensor, and only tensors have gradients; remove the line"
    return _list_fact(name) if by_name[name].is_list else ""


def _list_fact(name: str) -> str:
    fact = f"{name} is a list of tensors, which a formula cannot use; remove the line"
    return f"{fact}: autograd differentiates kernel.python instead"


def parse_formula(
    text: str, schema: OpSchema | None, requires: Collection[str] = ()
) -> Formula | None:
    """Return the formula in the text; None for ``non_differentiable``. Raise `ExpressionProblems`.

    Without a schema, any name may be an argument's; the formula is then only checked, not used.
    """
    if text.strip() == NON_DIFFERENTIABLE:
        return None
    try:
        source, node = pyexpr.parse_expression(text, "grad * other.cos()")
    except ExpressionProblem as problem:
        raise ExpressionProblems([problem]) from None
    usable_names = _known_names(schema)
    is_known = schema is not None and bool(schema.results)
    problems: list[ExpressionProblem] = []
    uses: set[str] = set()
    for part, parent in _parts(node, None):
        try:
            _check(source, part, parent, usable_names if is_known else None, requires)
            if isinstance(part, ast.Name):
                uses.add(part.id)
                if schema is not None:
                    _check_use(source, part, parent, schema)
        except ExpressionProblem as problem:
            problems.append(problem)
    if isinstance(node, ast.Tuple | ast.List):
        fact = "the gradient must be one tensor; write grad * other.cos(), for example"
        problems.append(source.problem(node, fact))
    if is_known and not problems and not _names_of_tensors(schema) & uses:
        fact = "the gradient must be a tensor: write zeros_like(...) for zero, or "
        problems.append(source.problem(node, f'{fact}"{NON_DIFFERENTIABLE}" for none'))
    if problems:
        raise ExpressionProblems(problems)
    has_several = schema is not None and schema.has_several
    if has_several and "grad" in uses:
        uses = uses - {"grad"} | {"grads"}
    code = pyexpr.show(_Names({*usable_names, "torch"}, has_several=has_several).visit(node))
    return Formula(code, tuple(name for name in usable_names if name in uses))


def _check_item(
    source: PythonSource, node: ast.Name, parent: ast.AST | None, schema: OpSchema
) -> None:
    """Raise `ExpressionProblem` unless the index of ``grads`` is that of a result."""
    match parent:
        case ast.Subscript(value=value, slice=ast.Constant(value=int(index))) if value is node:
            if 0 <= index < len(schema.results):
                return
    fact = f"grads are the gradients of {join_words(schema.results)}, in this order"
    raise source.problem(node, f"{fact}; write e.g. grads[0]")


def _parts(node: ast.AST, parent: ast.AST | None) -> Iterator[tuple[ast.AST, ast.AST | None]]:
    """Yield each node with its parent; skip the children of a node that is not allowed."""
    yield node, parent
    if isinstance(node, _ALLOWED):
        for child in ast.iter_child_nodes(node):
            yield from _parts(child, node)


def _known_names(schema: OpSchema | None) -> list[str]:
    """Return the names that a formula may have: the arguments, the gradients and the results."""
    arguments = [argument.name for argument in schema.arguments] if schema else []
    others = _names_of_gradients(schema) + (schema.results if schema else ("result",))
    return [*arguments, *(name for name in others if name not in arguments)]


def _names_of_gradients(schema: OpSchema | None) -> tuple[str, ...]:
    return ("grad", "grads") if schema is not None and schema.has_several else ("grad",)


def _names_of_tensors(schema: OpSchema | None) -> set[str]:
    """Return the names of tensors among those that a formula may have."""
    if schema is None:
        return {*_names_of_gradients(None)}
    tensors = {argument.name for argument in schema.tensors}
    return {*_names_of_gradients(schema), *schema.results, *tensors}


def _check_use(
    source: PythonSource, node: ast.Name, parent: ast.AST | None, schema: OpSchema
) -> None:
    """Raise `ExpressionProblem` for a list of tensors, and for ``grads`` without an index."""
    if any(tensor.is_list and tensor.name == node.id for tensor in schema.tensors):
        raise source.problem(node, _list_fact(node.id))
    if node.id == "grads" and schema.has_several:
        _check_item(source, node, parent, schema)


def _check(
    source: PythonSource,
    node: ast.AST,
    parent: ast.AST | None,
    usable_names: list[str] | None,
    requires: Collection[str],
) -> None:
    """Raise `ExpressionProblem` for a node that no formula can have; for no name if ``usable_names``
    is None.
    """
    is_call = isinstance(parent, ast.Call) and parent.func is node
    fact = ""
    match node:
        case ast.Attribute():
            fact = _problem_with_attribute(
                node, is_call, isinstance(parent, ast.Attribute), requires
            )
        case ast.Constant(value=bytes() | complex() | EllipsisType()):
            fact = f"not allowed here; {_REMEDY}"
        case ast.Call(func=ast.Attribute(attr="to"), args=[ast.Constant(value=str()), *_]):
            fact = torchnames.moving("to")
        case ast.Call(keywords=keywords):
            names = [keyword.arg for keyword in keywords]
            if None in names or len(names) > len({*names}):
                fact = "each argument is given once, by its name; write them out, without **"
            elif "out" in names:
                fact = "out writes to a tensor; leave it out, and use the result"
            elif any(k.arg == "device" and isinstance(k.value, ast.Constant) for k in keywords):
                fact = torchnames.moving("device")
        case ast.Name(id="torch"):
            if not isinstance(parent, ast.Attribute):
                fact = f"torch alone is not a value; {_REMEDY}"
        case ast.Name(id=name) if is_call:
            fact = f"torch has no {name} that a spec may use"
            fact = _problem_with_member(name, True, torchnames.FUNCTIONS, fact)
        case ast.Name(id=name) if usable_names is not None and name not in usable_names:
            hint = did_you_mean(name, [*usable_names, NON_DIFFERENTIABLE])
            hint = hint or f"; known here: {join_words(usable_names)}"
            fact = f"{name} is not an argument of the schema{hint}"
        case _ if not isinstance(node, _ALLOWED):
            fact = f"not allowed here; {_REMEDY}"
    if fact:
        raise source.problem(node, fact)


_REMEDY = "write a torch expression, such as grad * other.cos()"


class _Names(ast.NodeTransformer):
    """Rewrite function names to ``torch.<name>``, and the first of several gradients to
    ``grads[0]``.
    """

    def __init__(self, usable_names: set[str], *, has_several: bool) -> None:
        self._usable_names, self._has_several = usable_names, has_several

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == "grad" and self._has_several:
            return ast.Subscript(ast.Name("grads"), ast.Constant(0))
        if node.id in self._usable_names:
            return node
        return ast.Attribute(ast.Name("torch"), node.id)


def _problem_with_attribute(
    node: ast.Attribute, is_call: bool, is_base: bool, requires: Collection[str]
) -> str:
    """Return why a formula cannot have the attribute, or an empty string."""
    name, path = node.attr, pyexpr.dotted(node) or ""
    base = path.rpartition(".")[0]
    if name.startswith("_"):
        return f"{name} is private; use PyTorch's public functions"
    if path.startswith("torch.ops."):
        return "" if is_base else _problem_with_operator(path, requires)
    attributes: Collection[str] | None
    if base == "torch" and not is_call:
        attributes = torchnames.MODULES if is_base else torchnames.CONSTANTS
    elif base == "torch":
        attributes = torchnames.FUNCTIONS
    elif (attributes := torchnames.members(base)) is None:
        if path.startswith("torch.") and base.partition(".")[2] not in torchnames.CONSTANTS:
            return ""  # its first part has a problem already
        base, attributes = "a tensor", torchnames.METHODS if is_call else torchnames.PROPERTIES
    return _problem_with_member(name, is_call, attributes, _missing(base, name, is_call or is_base))


def _missing(base: str, name: str, is_function_or_module: bool) -> str:
    """Return that a tensor or a module has no such name, or none that a formula may use."""
    if base == "a tensor":
        return f"{base} has no {'' if is_function_or_module else 'property '}{name}"
    if is_function_or_module:
        return f"{base} has no {name} that a spec may use"
    return f"{base} has no constant {name}"


def _problem_with_operator(path: str, requires: Collection[str]) -> str:
    """Return why a formula cannot call ``torch.ops.<namespace>.<name>``, or an empty string."""
    parts = path.split(".")
    unfit = torchnames.unfit_for_formula(parts[3]) if len(parts) > 3 else None
    if len(parts) > 5:
        return f"{path} is not an operator; write e.g. torch.ops.aten.add.Tensor"
    return unfit or torchnames.problem_with_operator(path, requires) or ""


def _problem_with_member(
    name: str, is_call: bool, attributes: Collection[str], unknown: str
) -> str:
    """Return why a formula cannot have the name, or an empty string."""
    if is_call and name in torchnames.LEAVING:
        remedy = "autograd and exporters cannot trace; write where(a > 0, grad, 0), for example"
        return f"{name} makes Python values from a tensor, which {remedy}"
    if why := torchnames.unfit_for_formula(name):
        return why
    if name in attributes:
        return ""
    if name.endswith("_") and name[:-1] in attributes:
        return f"{name} changes its tensor; write {name[:-1]}"
    return f"{unknown}{did_you_mean(name, attributes) or f'; {_REMEDY}'}"
