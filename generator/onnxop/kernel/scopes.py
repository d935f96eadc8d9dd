"""Where the names of a function's body belong: to its arguments, its locals, or to nothing of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_LOOPS = (ast.For, ast.While)


@dataclass(frozen=True)
class Names:
    """``free`` names are given no value in the function, ``early`` ones are read before they are."""

    free: tuple[ast.Name, ...]
    early: tuple[ast.Name, ...]


def names(body: list[ast.stmt], arguments: Iterable[str]) -> Names:
    """The names in the body of a function of these arguments."""
    events = [event for statement in body for event in _events(statement, frozenset(), None)]
    stored = frozenset(event.node.id for event in events if event.is_store)
    given = set(arguments)
    loads = [event for event in events if event.is_load]
    free = [e.node for e in loads if e.node.id not in stored | given]
    known = set(given)
    early: list[ast.Name] = []
    for position, event in enumerate(events):
        if event.is_load and event.node.id in stored - known and not event.is_deferred:
            later = events[position:]
            if not any(e.is_store and e.node.id == event.node.id for e in _of_loop(event, later)):
                early.append(event.node)
        if event.is_store:
            known.add(event.node.id)
    inner = [names(f.body, parameters(f)) for f in body if isinstance(f, ast.FunctionDef)]
    return Names(tuple(free), (*early, *(node for found in inner for node in found.early)))


def parameters(function: ast.FunctionDef | ast.Lambda) -> frozenset[str]:
    """The names of a function's parameters."""
    return frozenset(part.arg for part in ast.walk(function.args) if isinstance(part, ast.arg))


@dataclass(frozen=True)
class _Event:
    """A name is read or given a value, in the order in which this happens.

    ``loop`` is the outermost loop around it, ``is_deferred`` says that the body of a lambda or of a
    function reads it.
    """

    node: ast.Name
    loop: ast.stmt | None
    is_load: bool
    is_store: bool
    is_deferred: bool = False


def _of_loop(event: _Event, others: list[_Event]) -> Iterator[_Event]:
    """Those of the same loop: an earlier round of it may have come to them."""
    return (other for other in others if event.loop is not None and other.loop is event.loop)


def _events(
    node: ast.AST, hidden: frozenset[str], loop: ast.stmt | None, *, is_deferred: bool = False
) -> Iterator[_Event]:
    """``hidden`` are the names of the comprehensions and lambdas around the node."""
    if isinstance(node, ast.Name):
        if node.id not in hidden:
            is_store = isinstance(node.ctx, ast.Store)
            yield _Event(node, loop, not is_store, is_store, is_deferred)
        return
    if isinstance(node, ast.FunctionDef):
        yield from _of_function(node, loop)
        return
    loop = node if loop is None and isinstance(node, _LOOPS) else loop
    for child, bound, deferred in _children(node):
        yield from _events(child, hidden | bound, loop, is_deferred=is_deferred or deferred)


def _children(node: ast.AST) -> Iterator[tuple[ast.AST, frozenset[str], bool]]:
    """The parts of a node as they are evaluated, the names that it binds for them alone, and
    whether they are evaluated later.
    """
    nothing: frozenset[str] = frozenset()
    if isinstance(node, _COMPREHENSIONS):
        yield from _comprehension(node)
    elif isinstance(node, ast.Lambda):
        arguments = node.args
        for default in (*arguments.defaults, *arguments.kw_defaults):
            if default is not None:
                yield default, nothing, False
        yield node.body, parameters(node), True
    else:
        for child in _ordered(node):
            yield child, nothing, False


def _of_function(node: ast.FunctionDef, loop: ast.stmt | None) -> Iterator[_Event]:
    """Its defaults and annotations are read where it is defined, other names where it is called."""
    outside = [node.args, *([node.returns] if node.returns else [])]
    for part in outside:
        yield from _events(part, frozenset(), loop)
    for name in names(node.body, parameters(node)).free:
        yield _Event(name, loop, is_load=True, is_store=False, is_deferred=True)
    own = ast.copy_location(ast.Name(node.name, ast.Store()), node)
    yield _Event(own, loop, is_load=False, is_store=True)


def _comprehension(
    node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp,
) -> Iterator[tuple[ast.AST, frozenset[str], bool]]:
    """Its first iterable is evaluated outside, all else where its variables hide those outside."""
    targets = [part for generator in node.generators for part in ast.walk(generator.target)]
    bound = frozenset(
        part.id
        for part in targets
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    )
    for position, generator in enumerate(node.generators):
        yield generator.iter, bound if position else frozenset(), False
        for part in (generator.target, *generator.ifs):
            yield part, bound, False
    values = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    for value in values:
        yield value, bound, False


def _ordered(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from (value, *targets)
        case ast.AugAssign(target=target, value=value):
            if isinstance(target, ast.Name):
                yield ast.copy_location(ast.Name(target.id, ast.Load()), target)
            yield from (value, target)
        case ast.AnnAssign(target=target, annotation=annotation, value=value):
            yield from (annotation, *([value] if value else []), target)
        case ast.For(target=target, iter=iterable, body=body, orelse=orelse):
            yield from (iterable, target, *body, *orelse)
        case ast.AsyncFunctionDef() | ast.ClassDef():
            return  # not allowed, and of its own scope
        case _:
            yield from ast.iter_child_nodes(node)
