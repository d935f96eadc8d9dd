"""Functions in a mapping: the graphs that op.If and op.Loop hold."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..words import names, pyexpr
from .graph import (
    Body,
    Constant,
    ElementType,
    Found,
    Node,
    Omitted,
    Scalar,
    Spread,
    Statement,
    Tensor,
    Tensors,
    Unknown,
    Value,
    as_value,
    is_list,
    may_be_omitted,
    natural_type,
    nodes_of,
    sources,
    type_of,
)
from .onnxdefs import count_of
from .scope import Function, Reader, Scope

BODIES = {"If": ("then_branch", "else_branch"), "Loop": ("body",)}
"""The ops that hold graphs, and the attributes that these are."""

_EXAMPLES = {
    "If": "op.If(condition, then_branch=lambda: op.Neg(x), else_branch=lambda: x)",
    "Loop": "op.Loop(n, None, x, body=lambda i, keep, y: (keep, y * 2.0))",
}
_MAX_DEPTH, _MAX_CALLS = 10, 1000  # of functions in functions, and of all
_LOOP_WORDS = ("i", "keep")  # which round it is, and whether there is another
_LOOP_TYPES = (ElementType(fixed="INT64"), ElementType(fixed="BOOL"))
_LOOP_DEFAULTS = (str(2**63 - 1), "True")  # as many rounds as there can be


@dataclass(frozen=True)
class Held:
    """The graphs of a node, and the element types of what it gives, where they can be told."""

    bodies: tuple[Body, ...] = ()
    types: tuple[ElementType | None, ...] = ()


NOTHING_HELD = Held()


@dataclass
class _Given:
    """What a function gives where it is called: ``results`` with their places."""

    attribute: str
    name: str
    inputs: tuple[str, ...]
    statements: list[Statement]
    results: list[tuple[ast.expr, Found]]


class Bodies:
    """Reads functions; what stands in them, the ``reader`` tells, and ``run`` has lines done."""

    def __init__(self, scope: Scope, reader: Reader, run: Callable[[list[ast.stmt]], None]) -> None:
        self._scope, self._reader, self._run = scope, reader, run
        self._within: list[ast.AST] = []  # functions that are being read
        self._calls, self._is_full = 0, False

    def define(self, node: ast.FunctionDef) -> None:
        """``def step(i, keep, y):``, a body of several lines."""
        known = self._scope.names.setdefault(node.name, Unknown())  # where it is refused
        self._check_definition(node, known)
        del self._scope.names[node.name]
        self._scope.functions[node.name] = Function(node, dict(self._scope.names))

    def _check_definition(self, node: ast.FunctionDef, known: Found) -> None:
        problem = self._scope.source.problem
        if why := names.problem_with(node.name):
            raise problem(node, f"the name {node.name!r} {why}; choose another")
        if not isinstance(known, Unknown) or node.name == "op":
            raise problem(node, f"{node.name} is a value already; give the function another name")
        for part in (*node.decorator_list, node.returns):
            if part is not None:
                raise problem(part, "a function has parameters and lines alone; leave this out")
        *before, last = node.body
        for inner in (inner for part in before for inner in _returns(part)):
            raise problem(
                inner, "a function returns in its last line alone; choose by op.Where or op.If"
            )
        if not isinstance(last, ast.Return) or last.value is None:
            raise problem(
                last, f"the last line of {node.name} must return what it gives; write return y, say"
            )

    def read(
        self, node: ast.Call, op: str, inputs: Sequence[tuple[ast.expr, Found]]
    ) -> Held | None:
        """The graphs of op.If or op.Loop; None once a problem with them is noted."""
        if self._is_full:  # as is noted already
            return None
        given: dict[str, ast.expr] = {}
        for word in node.keywords:
            if word.arg not in BODIES[op]:
                continue
            if word.arg in given:
                raise self._scope.source.problem(
                    word, f"{word.arg} is given twice; remove one of them"
                )
            if isinstance(word.value, ast.Name) and self._is_unknown(word.value.id):
                return None  # a function that is refused already
            given[word.arg] = word.value
        if missing := [name for name in BODIES[op] if name not in given]:
            raise self._scope.source.problem(
                node.func, f"op.{op} needs {' and '.join(missing)}; write {_EXAMPLES[op]}"
            )
        noted = len(self._scope.problems)
        held = self._if(node, given) if op == "If" else self._loop(node, given, inputs)
        return held if len(self._scope.problems) == noted else None

    def _is_unknown(self, name: str) -> bool:
        return isinstance(self._scope.names.get(name), Unknown)

    def _if(self, node: ast.Call, given: Mapping[str, ast.expr]) -> Held:
        then, otherwise = (self._called("If", name, given[name], {}) for name in BODIES["If"])
        counts = len(then.results), len(otherwise.results)
        if counts[0] != counts[1]:
            raise self._scope.source.problem(
                node.func,
                f"then_branch gives {count_of(counts[0], counts[0], 'tensor')} and else_branch "
                f"{counts[1]}, but op.If gives those of either; return as many in both",
            )
        pairs = list(zip(then.results, otherwise.results, strict=True))
        left = self._body(then, [type_of(other) for _, (_, other) in pairs])
        right = self._body(otherwise, [type_of(one) for (_, one), _ in pairs])
        types = zip(map(type_of, left.results), map(type_of, right.results), strict=True)
        # Where one side is of a type that is not known, only the other's can be that of both.
        return Held((left, right), tuple(one or other for one, other in types))

    def _loop(
        self,
        node: ast.Call,
        given: Mapping[str, ast.expr],
        inputs: Sequence[tuple[ast.expr, Found]],
    ) -> Held:
        carried = [value for _, value in inputs[len(_LOOP_WORDS) :]]
        carried += [self._reader.read(w.value) for w in node.keywords if w.arg == "v_initial"]
        for place, value in inputs:
            if isinstance(value, Spread) or is_list(value) and isinstance(place, ast.Starred):
                raise self._scope.source.problem(
                    place, "what op.Loop carries is written out; write x, y, say, for each"
                )
        kinds = [_type_given(value) for value in carried]
        words = [*_LOOP_WORDS, *(f"y{place}" if place else "y" for place in range(len(carried)))]
        parameters = dict(zip(words, (*_LOOP_TYPES, *kinds), strict=True))
        body = self._called("Loop", "body", given["body"], parameters)
        least = 1 + len(carried)
        if len(body.results) < least:
            raise self._scope.source.problem(
                given["body"],
                f"the body of op.Loop gives {len(body.results)}, but it must give {least} at least: "
                f"whether there is another round, and the {len(carried)} carried; write return "
                f"{', '.join(words[1:])}",
            )
        made = self._body(body, [_LOOP_TYPES[1], *kinds])
        scanned = made.results[least:]
        types = (*kinds, *map(type_of, scanned))
        if not types:
            raise self._scope.source.problem(
                node.func, f"this op.Loop gives nothing; write {_EXAMPLES['Loop']}, say"
            )
        return Held((made,), types)

    def _called(
        self,
        op: str,
        attribute: str,
        given: ast.expr,
        parameters: Mapping[str, ElementType | None],
    ) -> _Given:
        """What a function gives for parameters of these types, called as in an example."""
        function = self._function(op, attribute, given, parameters)
        node = function.node
        words = self._parameters(op, attribute, given, node.args, parameters)
        self._check_names(given, function)
        self._check_depth(given, node)
        name = self._scope.fresh(node.name if isinstance(node, ast.FunctionDef) else attribute)
        values = [
            Tensor(self._scope.fresh(word), kind)
            for word, kind in zip(words, parameters.values(), strict=True)
        ]
        with self._scope.side(frozenset()) as side, self._reading(node):
            self._scope.names |= dict(zip(words, values, strict=True))
            if isinstance(node, ast.Lambda):
                result = node.body
            else:
                *before, last = node.body
                self._run(before)
                assert isinstance(last, ast.Return) and last.value is not None
                result = last.value
            places = result.elts if isinstance(result, ast.Tuple) else [result]
            results = [(place, self._result(place)) for place in places]
        inputs = tuple(value.name for value in values)
        return _Given(attribute, name, inputs, [*side.statements], results)

    def _function(
        self, op: str, attribute: str, given: ast.expr, parameters: Mapping[str, ElementType | None]
    ) -> Function:
        if isinstance(given, ast.Lambda):
            return Function(given, self._scope.names)
        if isinstance(given, ast.Name) and given.id in self._scope.functions:
            return self._scope.functions[given.id]
        example = "..." if parameters else pyexpr.show(given)
        raise self._scope.source.problem(
            given,
            f"{attribute} of op.{op} is a function; write "
            f"{attribute}=lambda{' ' * bool(parameters)}{', '.join(parameters)}: {example}, or the "
            "name of one that is defined above",
        )

    def _parameters(
        self,
        op: str,
        attribute: str,
        given: ast.expr,
        arguments: ast.arguments,
        wanted: Mapping[str, ElementType | None],
    ) -> list[str]:
        """What the function calls its parameters."""
        words = [argument.arg for argument in arguments.args]
        others = (arguments.posonlyargs, arguments.kwonlyargs, arguments.defaults)
        if any((*others, arguments.vararg, arguments.kwarg)) or len(words) != len(wanted):
            number = len(wanted)
            count = count_of(number, number, "plain parameter") if wanted else "no parameters"
            example = f"lambda{' ' * bool(wanted)}{', '.join(wanted)}: ..., or def step"
            raise self._scope.source.problem(
                given,
                f"{attribute} of op.{op} takes {count} here; write {example}({', '.join(wanted)})",
            )
        for argument in arguments.args:
            if argument.arg == "op" or argument.arg in self._scope.functions:
                raise self._scope.source.problem(
                    argument, f"{argument.arg} is something else here; choose another name"
                )
            if why := names.problem_with(argument.arg):
                raise self._scope.source.problem(
                    argument, f"the name {argument.arg!r} {why}; choose another"
                )
        return words

    def _check_names(self, given: ast.expr, function: Function) -> None:
        """Raises a problem of a name that is another value than where the function was defined."""
        parts = [*ast.walk(function.node)]
        used = [part for part in parts if isinstance(part, ast.Name)]
        own = {part.arg for part in parts if isinstance(part, ast.arg)}
        own |= {part.id for part in used if isinstance(part.ctx, ast.Store)}
        for name in (part.id for part in used if part.id not in own):
            if function.names.get(name) is not self._scope.names.get(name):
                raise self._scope.source.problem(
                    given,
                    f"{name} is not what it was where this function is defined; define it right "
                    "before it is used",
                )

    def _check_depth(self, given: ast.expr, node: ast.AST) -> None:
        self._calls += 1
        if node in self._within:
            raise self._scope.source.problem(
                given,
                "a function cannot hold itself, as graphs within each other end; leave this out",
            )
        is_deep = len(self._within) >= _MAX_DEPTH
        if is_deep or self._calls > _MAX_CALLS:
            self._is_full = True
            what = (
                f"{_MAX_DEPTH} functions within each other" if is_deep else f"{_MAX_CALLS} graphs"
            )
            raise self._scope.source.problem(given, f"more than {what}; write fewer")

    @contextmanager
    def _reading(self, node: ast.AST) -> Iterator[None]:
        self._within.append(node)
        try:
            yield
        finally:
            self._within.pop()

    def _result(self, place: ast.expr) -> Found:
        value = self._reader.given(place)
        if isinstance(value, Tensors | Spread) or is_list(value) or may_be_omitted(value):
            self._scope.problems.append(
                self._scope.source.problem(
                    place, "a function gives tensors; write the output of an op.<Name>(...)"
                )
            )
            return Unknown()
        return value

    def _body(self, given: _Given, kinds: Sequence[ElementType | None]) -> Body:
        """The graph; its results are of these types, as far as they are numbers, and its own: what
        stands around it, or is given to it, is copied by `Identity`.
        """
        statements, taken = given.statements, set[str]()
        made = {name for node in nodes_of(tuple(statements)) for name in node.outputs}
        results: list[Value] = []
        for place, (node, found) in enumerate(given.results):
            value = as_value(found, kinds[place] if place < len(kinds) else None)
            tensors = sources(value, statements) if isinstance(value, Tensor) else {""}
            if not tensors <= made - taken:
                kind = type_of(value)
                name = self._scope.fresh(node.id if isinstance(node, ast.Name) else "result")
                statements.append(Node("Identity", (value,), (), (name,)))
                value = Tensor(name, kind)
            taken |= tensors
            results.append(value)
        return Body(given.attribute, given.name, given.inputs, tuple(statements), tuple(results))


def with_defaults(inputs: tuple[Value, ...]) -> tuple[Value, ...]:
    """The inputs of a Loop with the first two written out. Where they are left out, inference of types,
    and onnx.reference, which does no round then, fail.
    """
    first = [*inputs[:2], *[Omitted()] * (2 - len(inputs))]
    for place, (text, kind) in enumerate(zip(_LOOP_DEFAULTS, _LOOP_TYPES, strict=True)):
        if isinstance(first[place], Omitted):
            first[place] = Constant(text, kind)
    return (*first, *inputs[2:])


def _type_given(value: Found) -> ElementType | None:
    """The type of what stands in a Loop's call: of a number, its own."""
    return natural_type(value) if isinstance(value, Scalar) else type_of(value)


def _returns(node: ast.stmt) -> list[ast.Return]:
    """Those in a statement, but for those of functions in it."""
    if isinstance(node, ast.FunctionDef):
        return []
    inner = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.stmt)]
    own = [node] if isinstance(node, ast.Return) else []
    return [*own, *(found for part in inner for found in _returns(part))]
