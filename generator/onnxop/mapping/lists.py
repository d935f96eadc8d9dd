"""Lists in a mapping: their items, those made of others, and what is done for each item."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from ..words import names, pyexpr
from . import scalars
from .graph import (
    Each,
    ElementType,
    Found,
    Item,
    Listed,
    Omitted,
    Repeat,
    Scalar,
    Set,
    Spread,
    Tensor,
    Tensors,
    Unknown,
    Value,
    as_value,
    is_list,
    nodes_of,
    type_of,
)
from .scope import Reader, Scope


class Lists:
    """Reads lists; what their items are, the ``reader`` tells."""

    def __init__(self, scope: Scope, reader: Reader) -> None:
        self._scope, self._reader = scope, reader

    def item(self, node: ast.Subscript, tensors: Tensors, hint: str) -> Tensor | Tensors:
        """``tensors[0]`` or ``tensors[1:]``."""
        parts = (
            [node.slice.lower, node.slice.upper, node.slice.step]
            if isinstance(node.slice, ast.Slice)
            else [node.slice]
        )
        bounds: list[ast.expr | None] = []
        for part in parts:
            found = None if part is None else self._reader.given(part)
            if found is not None and not (isinstance(found, Scalar) and found.type == "int"):
                raise self._scope.source.problem(
                    part or node, "tensors of a list are indexed by integers; write [0] or [1:]"
                )
            bounds.append(None if found is None else found.node)
        name = self._scope.fresh(hint or "item")
        if isinstance(node.slice, ast.Slice):
            index = ":".join("" if bound is None else pyexpr.show(bound) for bound in bounds)
            index = index.removesuffix(":") if bounds[2] is None else index
            self._scope.statements.append(Item(tensors.name, index, name))
            return Tensors(name, tensors.type, tensors.may_have_none)
        assert bounds[0] is not None
        self._scope.statements.append(Item(tensors.name, pyexpr.show(bounds[0]), name))
        self._scope.items.add(name)
        return Tensor(name, tensors.type, tensors.may_have_none)

    def read(self, node: ast.expr, items: list[ast.expr], hint: str) -> Found:
        """``[1, 2]`` or ``[a, b]``, numbers or tensors, ``*`` before a list for those in it."""
        found = [self.spread(item) or self._reader.given(item) for item in items]
        if any(isinstance(value, Unknown) for value in found):
            return Unknown()
        numbers = [value for value in found if isinstance(value, Scalar)]
        if len(numbers) == len(found):
            return self._numbers_in(node, items, numbers)
        for item, value in zip(items, found, strict=True):
            if isinstance(value, Tensors | Omitted):
                self._scope.problems.append(
                    self._scope.source.problem(
                        item,
                        "a list holds numbers, or tensors; write *tensors for those of another list",
                    )
                )
        if any(isinstance(value, Tensors | Omitted) for value in found):
            return Unknown()
        return self._listed(found, hint)

    def _numbers_in(self, node: ast.expr, items: list[ast.expr], found: list[Scalar]) -> Scalar:
        """``[1, *axes]``: the numbers, those of lists one by one."""
        parts: list[Scalar] = []
        alone: list[Scalar] = []
        for item, value in zip(items, found, strict=True):
            if not isinstance(item, ast.Starred):
                alone.append(value)
                continue
            parts += [scalars.list_of(self._scope.source, node, alone)] if alone else []
            parts, alone = [*parts, value], []
        if alone or not parts:
            parts.append(scalars.list_of(self._scope.source, node, alone))
        whole = parts[0]
        for part in parts[1:]:
            joined = ast.BinOp(whole.node, ast.Add(), part.node)
            whole = scalars.operation(self._scope.source, joined, [whole, part])
        return whole

    def _listed(self, found: list[Found], hint: str) -> Tensors:
        name = self._scope.fresh(hint or "tensors")
        kind = next((kind for value in found if (kind := type_of(value)) is not None), None)
        self._scope.statements.append(Listed(tuple(as_value(value, kind) for value in found), name))
        is_open = any(isinstance(value, Spread) for value in found)
        kinds = {v.type if isinstance(v, Tensor) else type_of(v) or kind for v in found}
        of_each = kind if kinds == {kind} and not is_open else None
        return Tensors(name, kind, length=None if is_open else len(found), of_each=of_each)

    def spread(self, node: ast.expr) -> Found | None:
        """``*tensors``; None of anything else."""
        if not isinstance(node, ast.Starred):
            return None
        value = self._reader.read(node.value)
        if isinstance(value, Tensors):
            return Spread(value)
        if is_list(value):
            return value
        if not isinstance(value, Unknown):
            raise self._scope.source.problem(
                node, "* takes a list: an argument Tensor[], or [op.Exp(t) for t in ...]"
            )
        return value

    def comprehension(self, node: ast.ListComp, hint: str) -> Found:
        """``[op.Exp(t) for t in tensors]`` or ``[2 * size for size in sizes]``."""
        if len(node.generators) != 1 or node.generators[0].is_async:
            raise self._scope.source.problem(
                node, "a list is made by one for alone; write two lists"
            )
        loop = node.generators[0]
        if loop.ifs:
            raise self._scope.source.problem(
                loop.ifs[0], "which items a list has is not chosen by if; slice what it is made of"
            )
        variables, text, over = self._loop(loop)
        outer_names, self._scope.names = self._scope.names, self._scope.names | dict(variables)
        outer, self._scope.statements = self._scope.statements, []
        items = {value.name for _, value in variables if isinstance(value, Tensor)}
        self._scope.items |= items
        try:
            value = self._reader.given(node.elt)
        finally:
            self._scope.names = outer_names
            statements, self._scope.statements = tuple(self._scope.statements), outer
        if isinstance(value, Unknown) or any(isinstance(each, Unknown) for _, each in variables):
            return Unknown()
        names_ = _in_python(variables)
        if isinstance(value, Scalar) and not statements:
            if value.type.endswith(("[]", "?")):
                raise self._scope.source.problem(node.elt, "a list holds single numbers or tensors")
            item_type = "float" if value.type == "number" else value.type
            target = ast.parse(f"[0 for {', '.join(names_)} in {text}]", mode="eval").body
            assert isinstance(target, ast.ListComp)
            item = (
                ast.Call(ast.Name("float"), [value.node], [])
                if value.type == "number"
                else value.node
            )
            return Scalar(ast.ListComp(item, target.generators), f"{item_type}[]")
        if isinstance(value, Omitted | Tensors):
            raise self._scope.source.problem(node.elt, "a list holds single numbers or tensors")
        name = self._scope.fresh(hint or "tensors")
        result = as_value(value, None)
        self._scope.statements.append(Each(names_, text, over, statements, result, name))
        kind = type_of(result)
        made = {output for node in nodes_of(statements) for output in node.outputs} | items
        known = kind if kind is None or kind.like not in made else None
        return Tensors(name, known, of_each=known)

    @contextmanager
    def repeated(self, node: ast.For, assigned: Iterable[str]) -> Iterator[None]:
        """Within it, what is read is done once for each item of a list. What it assigns, and what
        was there before, one round hands to the next.
        """
        loop = ast.comprehension(node.target, node.iter, [], 0)
        variables, text, over = self._loop(loop)
        carried: dict[str, Tensor | Tensors] = {}
        before: list[Value] = []
        for name in assigned:
            value = self._scope.names.get(name)
            if value is None or isinstance(value, Unknown):
                continue
            if isinstance(value, Scalar) and isinstance(value.node, ast.List) and not value.length:
                value = self._listed([], name)  # a list of tensors to be
            if isinstance(value, Scalar | Omitted):
                raise self._scope.source.problem(
                    node,
                    f"{name} is no tensor, and a for hands on tensors alone; name it otherwise",
                )
            fresh, kind = self._scope.fresh(name), type_of(value)
            is_list = isinstance(value, Tensors)
            carried[name] = Tensors(fresh, kind) if is_list else Tensor(fresh, kind)
            before.append(as_value(value, None))
        outputs = tuple(value.name for value in carried.values())
        if not outputs:
            raise self._scope.source.problem(
                node, "this for changes nothing; assign what it computes to a name from before it"
            )
        self._scope.statements.append(Set(outputs, tuple(before)))
        (outer, self._scope.statements), names_before = (
            (self._scope.statements, []),
            self._scope.names,
        )
        self._scope.names = self._scope.names | dict(variables) | carried
        self._scope.items |= {value.name for _, value in variables if isinstance(value, Tensor)}
        try:
            yield
            after = [self._scope.names[name] for name in carried]
        finally:
            statements, self._scope.statements = self._scope.statements, outer
            self._scope.names = names_before | carried
        for name, value in zip(carried, after, strict=True):
            if isinstance(value, Unknown):
                return
            if isinstance(value, Scalar | Omitted) or (
                isinstance(value, Tensors) != isinstance(carried[name], Tensors)
            ):
                raise self._scope.source.problem(
                    node, f"{name} is of another kind behind each round"
                )
            if type_of(value) != type_of(carried[name]):
                self._scope.names[name] = replace(carried[name], type=None)
        last = Set(
            outputs,
            tuple(as_value(v, type_of(carried[n])) for n, v in zip(carried, after, strict=True)),
        )
        words = _in_python(variables)
        self._scope.statements.append(Repeat(words, text, over, (*statements, last), outputs))

    def _loop(self, loop: ast.comprehension) -> tuple[list[tuple[str, Found]], str, frozenset[str]]:
        """The variables of a comprehension, what it goes over as Python, and the tensors therein."""
        word = ""
        match loop.iter:
            case ast.Call(func=ast.Name(id="enumerate" | "zip" as name), args=args, keywords=[]):
                word, lists = name, args
            case _:
                lists = [loop.iter]
        found = [self._reader.given(each) for each in lists]
        kinds: list[Found] = [Scalar(ast.Name("_"), "int")] if word == "enumerate" else []
        parts, over, of_each = [], set(), dict[int, ElementType | None]()
        for place, value in zip(lists, found, strict=True):
            if isinstance(value, Scalar) and value.type.endswith("[]"):
                kinds.append(Scalar(ast.Name("_"), value.type.removesuffix("[]")))
                parts.append(pyexpr.show(_gone_over(value.node)))
            elif isinstance(value, Tensors):
                kinds.append(Tensor("_", value.type, value.may_have_none))
                of_each[len(kinds) - 1] = value.of_each
                parts.append(value.name)
                over.add(value.name)
            elif isinstance(value, Unknown):
                kinds.append(value)
            else:
                raise self._scope.source.problem(
                    place,
                    "for goes over a list of numbers or tensors; write for i in range(2), say",
                )
        target = loop.target
        words = target.elts if isinstance(target, ast.Tuple) else [target]
        if len(words) != len(kinds):
            raise self._scope.source.problem(target, f"for gives {len(kinds)} values; name as many")
        variables: list[tuple[str, Found]] = []
        for at, (node, kind) in enumerate(zip(words, kinds, strict=True)):
            if not isinstance(node, ast.Name):
                raise self._scope.source.problem(node, "only a plain name stands behind for")
            if why := names.problem_with(node.id):
                raise self._scope.source.problem(
                    node, f"the name {node.id!r} {why}; choose another"
                )
            fresh = self._scope.fresh(node.id)
            if isinstance(kind, Tensor):
                like = kind.type
                # The items' own type, where a list's is that of its first one.
                own = of_each[at] or (like and ElementType(like=fresh))
                kind = replace(kind, name=fresh, type=own)
            elif isinstance(kind, Scalar):
                kind = replace(kind, node=ast.Name(fresh))
            variables.append((node.id, kind))
        text = ", ".join(parts)
        text = f"{word}({text})" if word else text
        return variables, text, frozenset(over)


def _gone_over(node: ast.expr) -> ast.expr:
    """What a loop goes over: of a range no list is needed."""
    match node:
        case ast.Call(func=ast.Name(id="list"), args=[inner]):
            return inner
        case _:
            return node


def _in_python(variables: list[tuple[str, Found]]) -> tuple[str, ...]:
    """What the generated code calls the variables of a loop."""
    return tuple(
        each.name if isinstance(each, Tensor) else pyexpr.show(each.node)
        for _, each in variables
        if isinstance(each, Tensor | Scalar)
    )
