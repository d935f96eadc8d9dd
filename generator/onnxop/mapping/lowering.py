"""The mapping: onnxscript notation, parsed with ``ast`` and checked against ``onnx.defs``.

The result is a small graph of values and nodes; both exporters' rules are printed from it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from ..errors import listed
from ..schema.signature import OpSchema
from ..words import names, pyexpr
from ..words.pyexpr import ExpressionProblem, ExpressionProblems, Source
from . import onnxdefs, opsets, scalars, values
from .graph import (
    Found,
    Graph,
    Omitted,
    Scalar,
    Tensors,
    Unknown,
    as_value,
    form_of,
    may_be_omitted,
    nodes_of,
)
from .nodes import noting
from .results import as_outputs


def lower(
    text: str, schema: OpSchema | None, opset: int, *, converted_from: int | None = None
) -> Graph:
    """The graph of a mapping at an opset.

    Without a schema every name may be an argument's, and the graph serves no purpose. Where it
    is ``converted_from`` a lower opset, what attributes mean is that one's matter, and ``opset``
    in the mapping is that one.

    Raises:
        ExpressionProblems: all that is wrong with it.
    """
    forms = _forms(text, schema, converted_from)
    for form in forms:
        if form.holds_at(opset):
            return form.graph
    try:
        source, body = pyexpr.parse(text)
    except ExpressionProblem as problem:
        raise ExpressionProblems([problem]) from None
    lowering = _Lowering(source, schema, opset, converted_from)
    graph = lowering.graph(body)
    if graph is None:
        raise ExpressionProblems(lowering.problems)
    forms.append(_Form(graph, opset, lowering.versions))
    return graph


@dataclass(frozen=True)
class _Form:
    """A graph as it was lowered at an opset, at which its ops were of these versions."""

    graph: Graph
    opset: int
    versions: Mapping[str, int]

    def holds_at(self, opset: int) -> bool:
        """Whether the mapping is the same graph at another opset: it knows opsets by the versions of
        ops alone, and by its conditions.
        """
        if opset == self.opset:
            return True
        found = {op: onnxdefs.definition(op, opset) for op in self.versions}
        versions = {op: each and each.since_version for op, each in found.items()}
        return not self.graph.choices and versions == self.versions


@lru_cache(maxsize=1024)  # opset by opset, and sample by sample, the same is asked for
def _forms(text: str, schema: OpSchema | None, converted_from: int | None) -> list[_Form]:
    """The forms of a mapping that are known yet."""
    return []


def last_opset(text: str, schema: OpSchema, first: int, *, converts: bool = False) -> int:
    """The highest opset up to which a mapping that holds at ``first`` goes on to hold, and to be
    the same nodes: ``axes`` of ``ReduceSum``, say, is an attribute before 13 and an input since.

    An exporter that ``converts`` from ``first`` upward keeps what the nodes mean by itself.
    """
    start = lower(text, schema, first)
    form = form_of(start.statements)
    for opset in range(first + 1, opsets.HIGHEST + 1):
        try:
            graph = lower(text, schema, opset, converted_from=first if converts else None)
        except ExpressionProblems:
            return opset - 1
        if form_of(graph.statements) != form:
            return opset - 1
        if not converts and not keeps_meaning(start, first, opset):
            return opset - 1
    return opsets.HIGHEST


def bodies(text: str, schema: OpSchema, first: int) -> tuple[tuple[range, Graph], ...]:
    """The mapping's forms from opset ``first`` on, and the opsets at which each holds."""
    start = lower(text, schema, first)
    found: list[tuple[range, Graph]] = []
    for opset in range(first, opsets.HIGHEST + 1):
        try:
            graph = lower(text, schema, opset)
        except ExpressionProblems:
            continue
        if graph.choices != start.choices:  # from here on the mapping says something else
            start, first = graph, opset
        if not keeps_meaning(start, first, opset):
            continue
        span, before = found[-1] if found else (range(0), graph)
        if span.stop == opset and _are_alike(before, graph):
            found[-1] = range(span.start, opset + 1), before
        else:
            found.append((range(opset, opset + 1), graph))
    return tuple(found)


def _are_alike(one: Graph, other: Graph) -> bool:
    return one.choices == other.choices and form_of(one.statements) == form_of(other.statements)


def last_in(found: tuple[tuple[range, Graph], ...]) -> int:
    """The opset up to which the forms follow each other without a gap."""
    last = found[0][0].start - 1
    for span, _ in found:
        if span.start == last + 1:
            last = span.stop - 1
    return last


def problems_of_choices(text: str, schema: OpSchema, first: int) -> list[ExpressionProblem]:
    """What is wrong where a condition on the opset comes to something else: what is said there is
    said for that opset, unlike a mapping that ends to hold by itself.
    """
    source, body = pyexpr.parse(text)
    before: tuple[bool, ...] | None = None
    for opset in range(first, opsets.HIGHEST + 1):
        lowering = _Lowering(source, schema, opset)
        graph, choices = lowering.graph(body), lowering.choices
        if graph is None and before is not None and choices != before:
            return lowering.problems
        before = choices
    return []


def keeps_meaning(graph: Graph, first: int, last: int) -> bool:
    """Whether the nodes that are meant at opset ``first`` compute the same at ``last``."""
    return all(onnxdefs.keeps_meaning(node, first, last) for node in nodes_of(graph.statements))


def torchscript_lacks(graph: Graph) -> bool:
    """Whether the mapping casts to a type that the TorchScript exporter knows no number of."""
    return any(
        node.op == "Cast" and attribute.name == "to" and attribute.expression in _UNSIGNED
        for node in nodes_of(graph.statements)
        for attribute in node.attributes
    )


_UNSIGNED = ("4", "12", "13")  # UINT16, UINT32, UINT64


def _then(body: list[ast.stmt], rest: list[ast.stmt]) -> list[ast.stmt]:
    """The statements of one side, and what follows unless that side returns."""
    return body if _always_returns(body) else [*body, *rest]


def _always_returns(body: list[ast.stmt]) -> bool:
    match body[-1:]:
        case [ast.Return()]:
            return True
        case [ast.If(body=then, orelse=otherwise)]:
            return _always_returns(then) and _always_returns(otherwise)
        case _:
            return False


def _hints(wanted: tuple[str, ...], count: int) -> tuple[str, ...]:
    """What to call the results where they have no names."""
    return wanted if len(wanted) == count else ("result",) * count


_INSTEAD: dict[type[ast.stmt], str] = {
    ast.While: "a mapping has no while; write for i in range(n), of as many rounds as are known while a "
    "model is exported, or op.Loop(None, True, x, body=lambda i, keep, y: (y < 9.0, y * 2.0)), say",
}


class _Lowering:
    """Walks the statements of the mapping."""

    def __init__(
        self,
        source: Source,
        schema: OpSchema | None,
        opset: int,
        converted_from: int | None = None,
    ) -> None:
        self._source = source
        self._values = values.Values(
            source,
            schema,
            opset,
            is_converted=converted_from is not None,
            written_for=converted_from or opset,
            run=self._statements,
        )
        self._wanted = schema.results if schema else ()  # none: how many is not known
        self._returns_list = schema is not None and schema.returns_list

    @property
    def problems(self) -> list[ExpressionProblem]:
        return self._values.scope.problems

    @property
    def versions(self) -> Mapping[str, int]:
        """Those of the ops that it has met."""
        return self._values.nodes.versions

    @property
    def choices(self) -> tuple[bool, ...]:
        """What the conditions on the opset came to."""
        return tuple(self._values.branches.choices)

    def graph(self, body: list[ast.stmt]) -> Graph | None:
        """The graph of the statements, or None once their problems are noted."""
        if not body:
            self.problems.append(ExpressionProblem("empty; write op.Add(a, b), say", 0))
            return None
        self._values.scope.reserve(body)
        results = self._block(body)
        if not self.problems:
            results = as_outputs(self._values.scope, results)
        if self.problems or any(isinstance(result, Unknown) for result in results):
            return None
        return Graph(
            tuple(self._values.scope.statements),
            tuple(as_value(result, None) for result in results),
            self.choices,
            frozenset(self._values.scope.asked),
        )

    def _block(self, body: list[ast.stmt]) -> tuple[Found, ...]:
        """What a list of statements returns."""
        *before, last = body
        for place, statement in enumerate(before):
            with noting(self.problems):
                if isinstance(statement, ast.For):
                    self._for(statement)
                elif isinstance(statement, ast.If):
                    if (found := self._if(statement, body[place + 1 :])) is not None:
                        return found
                else:
                    self._assign(statement)
        results: tuple[Found, ...] = (Unknown(),)
        with noting(self.problems):
            if isinstance(last, ast.If) and (found := self._if(last, [])) is not None:
                return found
            results = self._results(last, is_alone=not before)
        return results

    def _if(self, node: ast.If, rest: list[ast.stmt]) -> tuple[Found, ...] | None:
        """What the mapping returns from an ``if`` on; None where it only assigns, so that the
        ``rest`` goes on behind it.
        """
        returns = any(isinstance(part, ast.Return) for part in ast.walk(node))
        holds = self._values.branches.chosen(node.test)
        if holds is not None:
            taken = node.body if holds else node.orelse
            if not taken and not rest:
                raise self._source.problem(
                    node, f"at opset {self._values.branches.opset} nothing is returned; add an else"
                )
            return self._block(_then(taken, rest)) if rest or taken else None
        test = self._values.branches.condition(node.test)
        when_true, when_false = scalars.given_by(node.test)
        ends = rest if returns else []
        if returns and not rest and not node.orelse:
            raise self._source.problem(node, "where this does not hold, nothing is returned")
        sides = []
        for body, given in ((node.body, when_true), (node.orelse, when_false)):
            with self._values.scope.side(given) as side:
                if returns:
                    side.results = self._block(_then(body, ends))
                else:
                    self._statements(body)
            sides.append(side)
        if isinstance(test, Unknown) or self.problems:
            for side in sides:
                self._values.scope.names |= dict.fromkeys(side.assigned, Unknown())
            return (Unknown(),) * max(len(self._wanted), 1) if returns else None
        if returns:
            return self._values.branches.joined(node, test, *sides)
        self._values.branches.assign_joined(node, test, *sides)
        return None

    def _for(self, node: ast.For) -> None:
        """Statements once for each item of a list whose length is known while a model is exported."""
        for part in ast.walk(node):
            if isinstance(part, ast.Return | ast.Break | ast.Continue) or (
                part is node and node.orelse
            ):
                raise self._source.problem(
                    part if isinstance(part, ast.stmt) else node,
                    "a for runs through; return behind it, and choose by op.Where or if",
                )
        assigned = [
            word.id
            for part in ast.walk(node)
            if isinstance(part, ast.Assign)
            for target in part.targets
            for word in ast.walk(target)
            if isinstance(word, ast.Name)
        ]
        with self._values.lists.repeated(node, dict.fromkeys(assigned)):
            self._statements(node.body)

    def _statements(self, body: list[ast.stmt]) -> None:
        """Statements that return nothing."""
        for statement in body:
            with noting(self.problems):
                if isinstance(statement, ast.For):
                    self._for(statement)
                elif not isinstance(statement, ast.If):
                    self._assign(statement)
                elif (holds := self._values.branches.chosen(statement.test)) is not None:
                    self._statements(statement.body if holds else statement.orelse)
                else:
                    self._if(statement, [])

    def _results(self, last: ast.stmt, *, is_alone: bool) -> tuple[Found, ...]:
        may_end = isinstance(last, ast.Return) or (isinstance(last, ast.Expr) and is_alone)
        node = last.value if isinstance(last, ast.Return | ast.Expr) else None
        if node is None or not may_end:
            if not isinstance(last, ast.Return):
                with noting(self.problems):
                    self._assign(last)
            raise self._source.problem(
                last, "the last line must return the result; write return op.Add(a, b), say"
            )
        if isinstance(node, ast.Tuple):
            places, hints = node.elts, _hints(self._wanted, len(node.elts))
            results = tuple(map(self._values.read, places, hints))
        elif values.is_node(node):
            results = self._values.outputs(node, self._wanted, are_results=True)
            places = [node] * len(results)
        else:
            places, results = [node], (self._values.read(node, hint="result"),)
        self._check_count(node, len(places))
        for place, result in zip(places, results, strict=True):
            with noting(self.problems):
                self._check_result(place, result, is_one=len(places) == 1)
        if len(results) > 1 and all(isinstance(result, Omitted) for result in results):
            raise self._source.problem(node, "every result is left out; return one at least")
        return results

    def _check_count(self, node: ast.expr, count: int) -> None:
        wanted = self._wanted
        if not wanted or count == len(wanted):
            return
        what = "one tensor" if len(wanted) == 1 else f"{len(wanted)} tensors ({listed(wanted)})"
        remedy = "op.Add(a, b), say" if len(wanted) == 1 else f"{', '.join(wanted)}"
        raise self._source.problem(
            node,
            f"the mapping returns {count} result{'' if count == 1 else 's'}, but the schema "
            f"{what}; write return {remedy}",
        )

    def _check_result(self, place: ast.expr, result: Found, *, is_one: bool) -> None:
        if isinstance(result, Unknown) or (isinstance(result, Omitted) and not is_one):
            return  # one of several results may be left out
        if self._returns_list != isinstance(result, Tensors):
            remedy = "a list of tensors: write [a, b], say" if self._returns_list else "a tensor"
            remedy += "" if self._returns_list else ": write the output of an op.<Name>(...)"
            raise self._source.problem(place, f"the result must be {remedy}")
        if isinstance(result, Scalar | Omitted) or may_be_omitted(result):
            raise self._source.problem(
                place, "the result must be a tensor: write the output of an op.<Name>(...)"
            )

    def _assign(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Return):
            raise self._source.problem(
                statement, "the lines after this return are never reached; remove them or it"
            )
        if isinstance(statement, ast.FunctionDef):
            self._values.bodies.define(statement)
            return
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            why = _INSTEAD.get(type(statement), f"not allowed here: {scalars.SUBSET}")
            raise self._source.problem(statement, why)
        target = statement.targets[0]
        words = target.elts if isinstance(target, ast.Tuple) else [target]
        wanted = [word.id if isinstance(word, ast.Name) else "" for word in words]
        for word in words:
            with noting(self.problems):
                self._check_target(word)
        results: tuple[Found, ...] = tuple(Unknown() for _ in wanted)
        with noting(self.problems):
            if isinstance(target, ast.Tuple):
                results = self._values.outputs(statement.value, tuple(wanted))
            else:
                value = self._values.read(statement.value, hint=wanted[0])
                results = (self._values.scope.kept(wanted[0], value),)
        self._values.scope.names.update(zip(wanted, results, strict=True))

    def _check_target(self, word: ast.expr) -> None:
        if not isinstance(word, ast.Name):
            raise self._source.problem(
                word, "only a plain name can be assigned to; write x = op.Add(a, b), say"
            )
        if word.id == "op":
            raise self._source.problem(word, "op stands for ONNX's operators; rename it")
        if word.id in self._values.scope.functions:
            raise self._source.problem(word, f"{word.id} is a function here; choose another name")
        if why := names.problem_with(word.id):
            raise self._source.problem(word, f"the name {word.id!r} {why}; choose another")
