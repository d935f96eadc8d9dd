"""A mapping's calls at each opset, read from its text: their problems, and the opsets at which it
is valid.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import CodeType
from typing import Any

from . import calls
from .allowed import is_of_opset
from .calls import GRAPHS, UNKNOWN
from .definitions import HIGHEST, Definition, since
from .problems import MappingError, MappingProblem, error, span_of

LOWEST = 9
TORCHSCRIPT, DYNAMO = range(LOWEST, 24), range(18, HIGHEST + 1)
"""The opsets that each PyTorch exporter writes; dynamo builds at 18 and converts upward."""

_UNSIGNED = (4, 12, 13)  # UINT16, UINT32, UINT64, which the TorchScript exporter does not support
_NEW_MEANING: dict[str, tuple[int, str, tuple[object, ...]]] = {
    "GridSample": (20, "mode", (None, "nearest")),  # bilinear is called linear
    **{op: (13, "axis", (-1,)) for op in ("Hardmax", "LogSoftmax", "Softmax")},
    "RoiAlign": (16, "coordinate_transformation_mode", ()),  # new, half a pixel further
}
"""Ops that compute something else from an opset on, though their form stays, unless an attribute
has one of the safe values (None: left out). Only prose in onnx.defs tells. Before 13, axis meant
all axes from it on.
"""


@dataclass(frozen=True)
class Opsets:
    """The opsets at which a mapping is valid."""

    starts: tuple[int, ...]
    """The opsets at which its nodes change, the lowest first."""
    torchscript: range
    """The opsets at which the TorchScript exporter can write it."""
    dynamo: range
    """The opsets at which the dynamo exporter can write it."""
    dynamo_opset: int
    """The opset at which the dynamo exporter builds it, before conversion."""
    holds: frozenset[int]
    """The opsets at which it can be a function body."""

    def built_at(self, opset: int) -> int:
        """Return the opset at which the dynamo exporter builds a model of a requested opset."""
        return max([self.dynamo_opset, *(start for start in self.starts if start <= opset)])


@dataclass(frozen=True)
class _CallAtOpset:
    """A call of a mapping's text, compared with the op's definition at an opset."""

    are_attributes: tuple[bool, ...] | None
    """Which keywords are attributes, in the text's order; None if the call is invalid."""
    problems: Sequence[MappingProblem] = ()


class _WrittenCall:
    """A call ``op.<Name>(...)`` in a mapping's text."""

    def __init__(self, node: ast.Call, op: str) -> None:
        self.op, self._node = op, node
        plain = [value for value in node.args if not isinstance(value, ast.Starred)]
        self._inputs = [None if _literals(value) == [None] else UNKNOWN for value in plain]
        self._has_star = len(plain) < len(node.args)
        keywords = [k for k in node.keywords if k.arg not in GRAPHS.get(op, ())]
        self.arguments = {k.arg: _literals(k.value) for k in keywords if k.arg}
        """The keyword arguments except functions, each with the literals that it may evaluate
        to.
        """
        self._by_version: dict[int, _CallAtOpset] = {}

    def at(self, opset: int) -> _CallAtOpset:
        """Return what the call is at an opset."""
        version = since(self.op, opset)
        if version not in self._by_version:
            self._by_version[version] = self._checked_at(opset)
        return self._by_version[version]

    def _checked_at(self, opset: int) -> _CallAtOpset:
        """Compare the call with the op's definition at an opset."""
        are_attributes: tuple[bool, ...] | None = None
        keywords: dict[str, Any] = dict(self.arguments)
        try:
            op = calls.definition_of(self.op, opset)
            self._bind(op, opset, keywords)
            are_attributes = tuple(name in op.attributes for name in self.arguments)
            # A wrong value leaves the attributes known: version conversion translates some strings.
            for name, values in keywords.items():
                for value in values:
                    if value is not None:
                        calls.attribute(op, opset, name, value)
        except MappingError as problem:
            problems = problem.at(span_of(self._node.func)).problems
            return _CallAtOpset(are_attributes, [*problems])
        return _CallAtOpset(are_attributes)

    def _bind(self, op: Definition, opset: int, keywords: dict[str, Any]) -> None:
        """Raise MappingError if the arguments are not inputs and attributes of the op; take the
        inputs from the keywords.
        """
        inputs = calls.placed(op, opset, self._inputs, keywords, has_star=self._has_star)
        attributes = {n: None if values == [None] else UNKNOWN for n, values in keywords.items()}
        calls.attributes(op, opset, attributes)
        has_sizes = self._has_star or any(inputs[1:])
        needs_count = "num_outputs" in op.attributes.keys() - self.arguments
        if self.op == "Split" and needs_count and not has_sizes:
            fact = f"op.Split needs the sizes of its parts, or num_outputs, at opset {opset}"
            raise error(fact, "write num_outputs=2, for example")

    def keeps_meaning(self, first: int, last: int) -> bool:
        """Return whether a call written for opset ``first`` computes the same at ``last``."""
        if self.op not in _NEW_MEANING:
            return True
        changed_at, name, safe = _NEW_MEANING[self.op]
        if not first < changed_at <= last:
            return True
        literals = self.arguments.get(name, [None])
        return len(literals) == 1 and literals[0] in safe


def _literals(node: ast.expr) -> list[object]:
    """Return the literals that an expression may evaluate to; UNKNOWN if it is not a literal."""
    if isinstance(node, ast.IfExp):
        return [*_literals(node.body), *_literals(node.orelse)]
    try:
        return [ast.literal_eval(node)]
    except (ValueError, TypeError, RecursionError):
        return [UNKNOWN]


Guards = tuple[tuple[ast.expr, bool], ...]
"""Conditions on the opset, each with its value for a part of the text to run."""


@lru_cache(maxsize=1024)  # read repeatedly for each mapping
class _Text:
    """A mapping's calls, each with the conditions on the opset under which it runs."""

    def __init__(self, tree: ast.FunctionDef) -> None:
        self._calls: list[tuple[_WrittenCall, Guards]] = []
        nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Compare)]
        self.comparisons = [node for node in nodes if is_of_opset(node)]
        self._walk(tree.body, ())

    def _walk(self, part: object, guards: Guards) -> Guards | None:
        """Collect a part's calls; return the conditions for what follows, None if nothing does."""
        if isinstance(part, list):
            following: Guards | None = guards
            for child in part:
                if following is not None:  # nothing runs after a return
                    following = self._walk(child, following)
            return following
        if not isinstance(part, ast.AST):
            return guards
        if isinstance(part, ast.If | ast.IfExp):
            return self._walk_branches(part, guards)
        for _, value in ast.iter_fields(part):
            self._walk(value, guards)
        match part:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="op"), attr=op)):
                self._calls.append((_WrittenCall(part, op), guards))
        return None if isinstance(part, ast.Return) else guards

    def _walk_branches(self, part: ast.If | ast.IfExp, guards: Guards) -> Guards | None:
        """Collect the calls of a condition and of its branches, as `_walk` does."""
        self._walk(part.test, guards)
        is_on_opset = on_opset(part.test, LOWEST) is not None
        following: list[Guards] = []
        for branch, holds in ((part.body, True), (part.orelse, False)):
            guard = ((part.test, holds),) if is_on_opset else ()
            after = self._walk(branch, guards + guard)
            if after is not None:
                following.append(after)
        if len(following) == 2:
            return guards
        return following[0] if following else None

    def calls(self, opset: int) -> list[_WrittenCall]:
        """Return the calls that run at an opset."""
        return [
            call
            for call, guards in self._calls
            if all(on_opset(test, opset) == holds for test, holds in guards)
        ]


class _Form:
    """A mapping at an opset: its calls, which of their keywords are attributes, and the
    problems.
    """

    def __init__(self, tree: ast.FunctionDef, opset: int) -> None:
        text = _Text(tree)
        self._opset, self.calls = opset, text.calls(opset)
        self.choices = [on_opset(node, opset) for node in text.comparisons]
        checked = [call.at(opset) for call in self.calls]
        self.attributes = [call.are_attributes for call in checked]
        self.problems = [problem for call in checked for problem in call.problems]

    def keeps_meaning(self, first: int) -> bool:
        """Return whether the calls compute the same as at another opset."""
        return all(call.keeps_meaning(first, self._opset) for call in self.calls)


def on_opset(test: ast.expr, opset: int) -> bool | None:
    """Return the value of a condition on the opset; None if it depends on anything else."""
    match test:
        case ast.BoolOp(op=op, values=parts):
            values = [on_opset(part, opset) for part in parts]
            decisive = isinstance(op, ast.Or)  # one True decides `or`, one False decides `and`
            if decisive in values:
                return decisive
            return None if None in values else not decisive
        case ast.UnaryOp(op=ast.Not(), operand=part):
            holds = on_opset(part, opset)
            return None if holds is None else not holds
        case ast.Compare() if is_of_opset(test):
            return bool(eval(_code(test), {"__builtins__": {}}, {"opset": opset}))
    return None


@lru_cache(maxsize=1024)
def _code(test: ast.expr) -> CodeType:
    return compile(ast.Expression(test), "<opset>", "eval")  # compares integers only


def opsets(
    to_onnx: Callable[..., object] | ast.FunctionDef, lowest: int, *, dynamo: bool = True
) -> Opsets:
    """Return the opsets at which a mapping for opsets from ``lowest`` on is valid. Raise
    MappingError if a call is invalid at the lowest, or at one where conditions choose other calls.
    ``dynamo``: the mapping is also for the dynamo exporter.
    """
    return _opsets(tree_of(to_onnx), lowest, dynamo)


def _opsets(tree: ast.FunctionDef, lowest: int, dynamo: bool) -> Opsets:
    """Return the opsets of a mapping whose lowest one the spec gives."""
    forms = {opset: _Form(tree, opset) for opset in range(lowest, HIGHEST + 1)}
    starts, holds = _valid_opsets(forms)
    last = _last_of_torchscript(forms, starts, holds)
    built = max(lowest, DYNAMO.start)
    converted = _end_of_conversion(forms, built) if dynamo else built
    return Opsets(
        starts=tuple(starts),
        torchscript=range(max(TORCHSCRIPT.start, lowest), min(TORCHSCRIPT.stop, last + 1)),
        dynamo=range(built, converted),
        dynamo_opset=built if converted > built else lowest,
        holds=frozenset(holds),
    )


def _valid_opsets(forms: Mapping[int, _Form]) -> tuple[list[int], list[int]]:
    """Return the opsets at which the mapping writes other nodes than at the one before, and all
    opsets at which it is valid. Raise MappingError if it is invalid where the text begins a form.
    """
    starts: list[int] = []
    holds: list[int] = []
    first = min(forms)  # the first opset with the same choices in the text
    for opset, form in forms.items():
        before = forms.get(opset - 1, form)
        if form.choices != before.choices:
            first = opset
        if opset == first and form.problems:
            raise MappingError(form.problems)
        # A changed op makes the mapping invalid from here on, which is not an error.
        if form.problems or not form.keeps_meaning(first):
            continue
        if opset == first or opset - 1 not in holds or form.attributes != before.attributes:
            starts.append(opset)
        holds.append(opset)
    return starts, holds


def _last_of_torchscript(
    forms: Mapping[int, _Form], starts: Sequence[int], holds: Sequence[int]
) -> int:
    """Return the last opset at which the TorchScript exporter gets the rule; the one before the
    lowest, if it gets none.
    """
    lowest = min(forms)
    casts = [call for call in forms[lowest].calls if call.op == "Cast"]
    if any(call.arguments["to"][0] in _UNSIGNED for call in casts):
        return lowest - 1
    # Conditions on the opset in the text state which calls are valid.
    is_chosen = any(form.choices != forms[lowest].choices for form in forms.values())
    last = lowest
    while last + 1 in holds and (last + 1 not in starts or is_chosen):
        last += 1
    return last


def _end_of_conversion(forms: Mapping[int, _Form], built: int) -> int:
    """Return the first opset to which dynamo cannot convert the nodes that it builds at
    ``built``.
    """
    form = forms[built]
    if form.problems or not (form.choices or form.keeps_meaning(min(forms))):
        return built
    end = built
    while end in forms and form.attributes == [call.at(end).are_attributes for call in form.calls]:
        end += 1
    return end


def tree_of(to_onnx: Callable[..., object] | ast.FunctionDef) -> ast.FunctionDef:
    """Return the syntax tree of a mapping, which was compiled from text or is in a file."""
    if isinstance(to_onnx, ast.FunctionDef):
        return to_onnx
    tree: ast.FunctionDef | None = getattr(to_onnx, "tree", None)
    if tree is None:
        module = ast.parse(textwrap.dedent(inspect.getsource(to_onnx)))
        tree = next(node for node in ast.walk(module) if isinstance(node, ast.FunctionDef))
    return tree


def ends(tree: ast.AST) -> Iterator[ast.Return]:
    """Yield the return statements of a mapping, without those of functions in it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Return):
            yield node
        elif not isinstance(node, ast.FunctionDef):
            yield from ends(node)


def ops_of(to_onnx: Callable[..., object] | ast.FunctionDef, opset: int) -> list[str]:
    """Return the ops that a mapping calls at an opset, sorted."""
    return sorted({call.op for call in _Text(tree_of(to_onnx)).calls(opset)})


def left_out(to_onnx: Callable[..., object] | ast.FunctionDef) -> set[int]:
    """Return the indices of the results that a mapping returns as None in any branch."""
    return {
        index
        for end in ends(tree_of(to_onnx))
        for index, value in enumerate(end.value.elts if isinstance(end.value, ast.Tuple) else ())
        if isinstance(value, ast.Constant) and value.value is None
    }
