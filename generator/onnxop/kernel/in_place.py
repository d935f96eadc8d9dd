"""What would change a tensor of the caller's in place, which an operator must not do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from collections.abc import Set as AbstractSet

from ..schema import torchnames
from ..schema.signature import OpSchema
from ..words.pyexpr import ExpressionProblem, Source
from . import scopes


def changes(
    source: Source, body: list[ast.stmt], schema: OpSchema | None
) -> Iterator[ExpressionProblem]:
    """What would change a tensor of the caller's in place, which an operator must not do.

    A function's parameters are such tensors, too, as it may be given them.
    """
    functions = [statement for statement in body if isinstance(statement, ast.FunctionDef)]
    tensors = {tensor.name for tensor in schema.tensors} if schema else set()
    views = frozenset(f.name for f in functions if _gives_views(f))
    rest = [statement for statement in body if statement not in functions]
    for inner, given in [(rest, tensors), *((f.body, scopes.parameters(f)) for f in functions)]:
        parts = [node for statement in inner for node in ast.walk(statement)]
        yield from _changes(source, parts, tensors | given, views)


def _gives_views(function: ast.FunctionDef) -> bool:
    """Whether a function may return one of its parameters, or a view of it."""
    parts = [node for statement in function.body for node in ast.walk(statement)]
    tensors = _tensors_of_the_caller(parts, scopes.parameters(function), set(), frozenset())
    returned = [part.value for part in parts if isinstance(part, ast.Return) and part.value]
    return any(_viewed(value, frozenset()) & tensors for value in returned)


def _changes(
    source: Source, parts: list[ast.AST], given: AbstractSet[str], views: frozenset[str]
) -> Iterator[ExpressionProblem]:
    augmented = {id(part.target) for part in parts if isinstance(part, ast.AugAssign)}
    called = {id(part.func) for part in parts if isinstance(part, ast.Call)}
    tensors = _tensors_of_the_caller(parts, given, augmented, views)
    for part in parts:
        changed: ast.expr | None = None
        match part:
            case ast.AugAssign(target=ast.Name() | ast.Subscript() as target):
                changed = target
            case ast.Subscript(ctx=ast.Store() | ast.Del()) if id(part) not in augmented:
                changed = part
            case ast.Attribute(ctx=ast.Store() | ast.Del(), attr=attr):
                yield source.problem(
                    part, f"this sets {attr} of an object; give the value a name of its own"
                )
            case ast.Attribute(attr=attr) if attr in torchnames.REACHING:
                yield source.problem(part, torchnames.reaching(attr))
            case ast.keyword(arg="out") | ast.Dict(keys=[ast.Constant("out"), *_]):
                yield source.problem(
                    part, "out writes to a tensor; leave it out, and use the result"
                )
            case ast.Attribute(value=value, attr=attr) if id(part) not in called:
                changed = value if _is_marked(value, attr) else None
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                changed = value if _is_marked(value, attr) else None
                if _is_in_place(part) and part.args:
                    changed = part.args[0]
            case ast.Call(args=[first, *_]) if _is_in_place(part):
                changed = first
        names = _viewed(changed, views) & tensors if changed is not None else set()
        if names:
            name = min(names)
            yield source.problem(
                part,
                f"this changes {name}, the caller's tensor; write {name} = {name}.clone() above",
            )


def _tensors_of_the_caller(
    parts: list[ast.AST], arguments: AbstractSet[str], augmented: set[int], views: frozenset[str]
) -> set[str]:
    """The arguments that are tensors, and the locals that are nothing but views of them.

    ``views`` are the functions of the kernel's own whose result may be a view of what they are given.
    """
    tensors = {*arguments}
    given: dict[str, list[ast.expr | None]] = {}
    known: set[int] = set()
    for part in parts:
        for target, value in _bindings(part):
            known.add(id(target))
            given.setdefault(target.id, []).append(value)
    for part in parts:
        match part:
            case ast.Name(id=name, ctx=ast.Store()) if id(part) not in augmented | known:
                given.setdefault(name, []).append(None)
    tensors -= given.keys()  # under a name that is given another value it may be a new tensor
    while new := {
        name
        for name, found in given.items()
        if name not in tensors and all(value and _viewed(value, views) & tensors for value in found)
    }:
        tensors |= new
    return tensors


def _bindings(part: ast.AST) -> Iterator[tuple[ast.Name, ast.expr]]:
    """The names that a statement gives values to, and these."""
    pairs: list[tuple[ast.expr, ast.expr | None]] = []
    match part:
        case ast.Assign(targets=targets, value=value):
            pairs = [(target, value) for target in targets]
        case ast.AnnAssign(target=target, value=value) | ast.NamedExpr(target=target, value=value):
            pairs = [(target, value)]
        case ast.For(target=target, iter=ast.Tuple() | ast.List() as items):
            pairs = [(target, items)]
        case ast.comprehension(target=target, iter=ast.Tuple() | ast.List() as items):
            pairs = [(target, items)]
    for target, value in pairs:
        match target, value:
            case ast.Name(), ast.expr():
                yield target, value
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                for one, other in zip(targets, values, strict=True):
                    if isinstance(one, ast.Name):
                        yield one, other


def _viewed(node: ast.expr, views: frozenset[str]) -> set[str]:
    """The names of the tensors whose memory the expression may be: of ``a``, ``a[0]``, ``a.view(1)``."""
    match node:
        case ast.Name(id=name):
            return {name}
        case ast.Subscript(value=value) | ast.Starred(value=value):
            return _viewed(value, views)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            return {name for item in items for name in _viewed(item, views)}
        case ast.IfExp(body=one, orelse=other):
            return _viewed(one, views) | _viewed(other, views)
        case ast.Attribute(value=value, attr=attr) if attr in torchnames.VIEWING:
            return _viewed(value, views)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=attr), args=[first, *_]):
            return _viewed(first, views) if attr in torchnames.VIEWS else set()
        case ast.Call(func=ast.Attribute(value=value, attr=attr)):
            is_view = attr in torchnames.CASTS or attr in torchnames.VIEWS
            return _viewed(value, views) if is_view else set()
        case ast.Call(func=ast.Name(id=function), args=items, keywords=words) if function in views:
            items = [*items, *(word.value for word in words)]
            return {name for item in items for name in _viewed(item, views)}
        case ast.Call(func=ast.Name(id=function), args=[first, *_]):
            return _viewed(first, views) if function in torchnames.VIEWS else set()
        case _:
            return set()


def _is_marked(value: ast.expr, method: str) -> bool:
    """Whether the method changes its tensor: ``requires_grad_`` the tensor, and not its memory."""
    if method in torchnames.REACHING:
        return False  # which is noted
    is_of_tensor = method != "requires_grad_" or isinstance(value, ast.Name)
    return method.endswith("_") and not method.startswith("_") and is_of_tensor


# Where functions of torch.nn.functional take their flag by position.
_FLAGS = {
    **dict.fromkeys(("hardsigmoid", "hardswish", "mish", "relu", "relu6", "selu", "silu"), 1),
    **dict.fromkeys(("celu", "elu", "leaky_relu"), 2),
    **dict.fromkeys(("hardtanh", "threshold", "feature_alpha_dropout", "alpha_dropout"), 3),
    **dict.fromkeys(("dropout", "dropout1d", "dropout2d", "dropout3d"), 3),
    "rrelu": 4,
}


def _is_in_place(node: ast.Call) -> bool:
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    flags = [word.value for word in node.keywords if word.arg == "inplace"]
    flags += node.args[_FLAGS[name] :][:1] if name in _FLAGS else []
    return any(not (isinstance(flag, ast.Constant) and not flag.value) for flag in flags)
