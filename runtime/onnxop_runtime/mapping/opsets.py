"""At which opsets a mapping holds, and where its nodes change: by its text, and by the versions of its ops."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import calls
from .definitions import HIGHEST, since
from .problems import MappingError, Problem
from .textcalls import Call, calls_of, on_opset

LOWEST = 9
TORCHSCRIPT, DYNAMO = range(LOWEST, 24), range(18, HIGHEST + 1)
"""The opsets that each of PyTorch's exporters writes; dynamo builds at 18, and converts upward."""

_UNSIGNED = (4, 12, 13)  # UINT16, UINT32, UINT64, of which the TorchScript exporter knows no number
_NEW_MEANING: dict[str, tuple[int, str, tuple[object, ...]]] = {
    "GridSample": (20, "mode", (None, "nearest")),  # bilinear is called linear
    **{op: (13, "axis", (-1,)) for op in ("Hardmax", "LogSoftmax", "Softmax")},
    "RoiAlign": (16, "coordinate_transformation_mode", ()),  # new, half a pixel further
}
"""Ops of the same form that compute something else from an opset on, unless an attribute (None: left
out) has one of the values: onnx.defs has this in prose alone. Of axes, all from one on were one before.
"""


@dataclass(frozen=True)
class Opsets:
    """Where a mapping holds.

    Attributes:
        starts: the opsets from which on its nodes are others, the lowest first.
        torchscript: those at which the TorchScript exporter can write it.
        dynamo: those at which the dynamo exporter can.
        dynamo_opset: the opset at which the dynamo exporter builds it, which it then converts.
        holds: those at which it can be a function body.
    """

    starts: tuple[int, ...]
    torchscript: range
    dynamo: range
    dynamo_opset: int
    holds: frozenset[int]

    def built_at(self, opset: int) -> int:
        """Return the opset at which the dynamo exporter builds what is asked for at one."""
        return max([self.dynamo_opset, *(start for start in self.starts if start <= opset)])

    def without(self, refused: Collection[int]) -> Opsets:
        """Return the same but for these opsets: each exporter ends before the first."""

        def before(span: range) -> range:
            return range(span.start, min((o for o in refused if o in span), default=span.stop))

        return replace(
            self,
            torchscript=before(self.torchscript),
            dynamo=before(self.dynamo),
            holds=self.holds - {*refused},
        )


@dataclass(frozen=True)
class _Form:
    """A mapping at an opset: what its conditions on the opset come to, and its calls."""

    choices: tuple[bool, ...]
    calls: tuple[Call, ...]
    shapes: tuple[object, ...]

    @property
    def key(self) -> object:
        return self.choices, self.shapes


def tree_of(to_onnx: Any) -> ast.FunctionDef:
    """Return the text of a mapping as a tree: it was compiled from one, or is in a file."""
    if isinstance(to_onnx, ast.FunctionDef):
        return to_onnx
    found = getattr(to_onnx, "tree", None)
    if found is None:
        module = ast.parse(textwrap.dedent(inspect.getsource(to_onnx)))
        found = next(node for node in ast.walk(module) if isinstance(node, ast.FunctionDef))
    return found


def opsets(to_onnx: Any, lowest: int, *, dynamo: bool = True) -> Opsets:
    """Return where a mapping holds that is written for opsets from ``lowest`` on.

    Args:
        to_onnx: the mapping.
        lowest: its lowest opset, at which it must hold.
        dynamo: whether it is for the dynamo exporter, too.

    Raises:
        MappingError: it does not hold at its lowest opset.
    """
    text = _Text(tree_of(to_onnx).body)
    start = text.form(lowest)
    forms: dict[int, _Form] = {}
    first, form, starts = lowest, start, [lowest]
    for opset in range(lowest, HIGHEST + 1):
        found = text.known_form(opset)
        if found is None:
            continue
        if found.choices != form.choices:  # from here on the mapping says something else
            form, first = found, opset
        if not all(_keeps_meaning(call, first, opset) for call in form.calls):
            continue
        before = forms.get(opset - 1)
        if opset > lowest and (before is None or before.key != found.key):
            starts.append(opset)
        forms[opset] = found
    last = lowest
    # Text that has another form at another opset says what holds there.
    is_chosen = any(form.choices != start.choices for form in forms.values())
    while last + 1 in forms and (last + 1 not in starts or is_chosen):
        last += 1
    if any(call.op == "Cast" and call.constant("to") in _UNSIGNED for call in start.calls):
        last = lowest - 1
    built = max(lowest, DYNAMO.start)
    converted = _converted(text, start, lowest, built) if dynamo else range(0)
    return Opsets(
        starts=tuple(starts),
        torchscript=range(max(TORCHSCRIPT.start, lowest), min(TORCHSCRIPT.stop, last + 1)),
        dynamo=converted,
        dynamo_opset=built if converted else lowest,
        holds=frozenset(forms),
    )


def left_out(to_onnx: Any) -> set[int]:
    """Return the places of the results that a mapping gives as None, at one of its ends."""
    return {
        place
        for end in ends(tree_of(to_onnx).body)
        for place, value in enumerate(end.value.elts if isinstance(end.value, ast.Tuple) else ())
        if isinstance(value, ast.Constant) and value.value is None
    }


def ends(body: Sequence[ast.stmt]) -> Iterator[ast.Return]:
    """Yield the lines in which a mapping returns, but for those of functions in it."""
    for statement in body:
        if isinstance(statement, ast.Return):
            yield statement
        elif isinstance(statement, ast.If):
            yield from ends([*statement.body, *statement.orelse])


def ops_of(to_onnx: Any, opset: int) -> set[str]:
    """Return the ops that a mapping calls by name at an opset."""
    _, found = _Text(tree_of(to_onnx).body).walked(opset)
    return {call.op for call in found}


def problems(to_onnx: Any, lowest: int) -> list[Problem]:
    """Return what is wrong with a mapping's calls at its lowest opset, and where a condition on the
    opset comes to something else: what is said there is said for that opset.
    """
    text, before = _Text(tree_of(to_onnx).body), None
    for opset in range(lowest, HIGHEST + 1):
        choices, found = text.walked(opset)
        if opset > lowest and choices == before:
            continue  # where an op is of another form, the mapping ends to hold by itself
        told = [problem for call in found for problem in call.problems(opset)]
        if told and (opset == lowest or choices != before):
            return told
        before = choices
    return []


def _converted(text: _Text, start: _Form, lowest: int, built: int) -> range:
    """Return the opsets to which the dynamo exporter converts what it builds at one."""
    keeps = start.choices or all(_keeps_meaning(call, lowest, built) for call in start.calls)
    try:
        form = text.form(built)
    except MappingError:
        return range(0)
    if not keeps:
        return range(0)
    last = built
    while last < HIGHEST and _is_alike(form, last + 1):
        last += 1
    return range(built, last + 1)


def _is_alike(form: _Form, opset: int) -> bool:
    """Return whether the calls of a form are the same at another opset, as converted to it."""
    if all(since(call.op, opset) == since(call.op, opset - 1) for call in form.calls):
        return True
    try:
        shapes = tuple(_shape(call, opset, is_converted=True) for call in form.calls)
    except MappingError:
        return False
    return shapes == form.shapes


def _keeps_meaning(call: Call, first: int, last: int) -> bool:
    """Return whether a call of opset ``first`` computes the same at ``last``."""
    if call.op not in _NEW_MEANING:
        return True
    opset, name, safe = _NEW_MEANING[call.op]
    is_given = name in call.keywords
    return not first < opset <= last or (call.constant(name) in safe if is_given else None in safe)


def _shape(call: Call, opset: int, *, is_converted: bool = False) -> object:
    """Return what a call is at an opset: which of its values are inputs, and which are attributes."""
    told = call.problems(opset, is_converted=is_converted)
    if told:
        raise MappingError(told)
    of = calls.definition_of(call.op, opset)
    inputs = {formal.name for formal in of.inputs} - of.attributes.keys()
    return call.op, len(call.node.args), tuple((name, name in inputs) for name in call.keywords)


class _Text:
    """A mapping's statements, walked once for all opsets at which its conditions come to the same."""

    def __init__(self, body: Sequence[ast.stmt]) -> None:
        self._body = body
        parts = (part for statement in body for part in ast.walk(statement))
        self._tests = [part for part in parts if isinstance(part, ast.Compare)]
        self._tests = [test for test in self._tests if on_opset(test, LOWEST) is not None]
        self._walked: dict[tuple[bool | None, ...], tuple[tuple[bool, ...], list[Call]]] = {}
        self._forms: dict[tuple[object, ...], _Form | None] = {}

    def walked(self, opset: int) -> tuple[tuple[bool, ...], list[Call]]:
        """Return what conditions on the opset come to, and the calls that are left."""
        key = tuple(on_opset(test, opset) for test in self._tests)
        if key not in self._walked:
            choices: list[bool] = []
            found = list(calls_of(self._body, opset, choices))
            self._walked[key] = tuple(choices), found
        return self._walked[key]

    def form(self, opset: int) -> _Form:
        """Return the form at an opset. Raises MappingError where a call is wrong."""
        choices, found = self.walked(opset)
        return _Form(choices, tuple(found), tuple(_shape(call, opset) for call in found))

    def known_form(self, opset: int) -> _Form | None:
        """Return the form, None where a call is wrong; alike where all ops are of the same versions."""
        choices, found = self.walked(opset)
        key = (choices, *(since(call.op, opset) for call in found))
        if key not in self._forms:
            try:
                self._forms[key] = self.form(opset)
            except MappingError:
                self._forms[key] = None
        return self._forms[key]
