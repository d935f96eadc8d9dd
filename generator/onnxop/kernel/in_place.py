"""What would change a tensor of the caller's in place, which an operator must not do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ..schema import torchnames
from ..schema.signature import OpSchema
from ..words.pyexpr import ExpressionProblem, Source


def changes(
    source: Source, body: list[ast.stmt], schema: OpSchema | None
) -> Iterator[ExpressionProblem]:
    """What would change a tensor of the caller's in place, which an operator must not do."""
    parts = [node for statement in body for node in ast.walk(statement)]
    augmented = {id(part.target) for part in parts if isinstance(part, ast.AugAssign)}
    tensors = _tensors_of_the_caller(parts, schema, augmented)
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
            case ast.keyword(arg="out"):
                yield source.problem(
                    part, "out writes to a tensor; leave it out, and use the result"
                )
            case ast.Call(func=ast.Attribute(value=value, attr=attr)):
                is_marked = attr.endswith("_") and not attr.startswith("_")
                changed = value if is_marked and attr != "requires_grad_" else None
                if _is_true(part, "inplace") and part.args:
                    changed = part.args[0]
            case ast.Call(args=[first, *_]) if _is_true(part, "inplace"):
                changed = first
        name = _viewed(changed) if changed is not None else None
        if name in tensors:
            yield source.problem(
                part,
                f"this changes {name}, the caller's tensor; write {name} = {name}.clone() above",
            )


def _tensors_of_the_caller(
    parts: list[ast.AST], schema: OpSchema | None, augmented: set[int]
) -> set[str]:
    """The arguments that are tensors, and the locals that are nothing but views of them."""
    tensors = {tensor.name for tensor in schema.tensors} if schema else set()
    given: dict[str, list[ast.expr | None]] = {}
    for part in parts:
        match part:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                given.setdefault(name, []).append(value)
            case ast.Name(id=name, ctx=ast.Store()) if id(part) not in augmented:
                given.setdefault(name, []).append(None)
    # The walk comes to the target of an assignment, too: an even number is nothing but those.
    values = {
        name: [value for value in found if value is not None]
        for name, found in given.items()
        if sum(value is None for value in found) * 2 == len(found)
    }
    tensors -= given.keys()  # under a name that is given another value it may be a new tensor
    while new := {
        name
        for name, found in values.items()
        if name not in tensors and all(_viewed(value) in tensors for value in found)
    }:
        tensors |= new
    return tensors


def _viewed(node: ast.expr) -> str | None:
    """The name of the tensor whose memory the expression may be: of ``a``, ``a[0]``, ``a.view(1)``."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Subscript(value=value):
            return _viewed(value)
        case ast.Attribute(value=value, attr=attr) if attr in torchnames.VIEWING:
            return _viewed(value)
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in torchnames.VIEWS:
            return _viewed(value)
        case _:
            return None


def _is_true(node: ast.Call, keyword: str) -> bool:
    return any(
        word.arg == keyword and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in node.keywords
    )
