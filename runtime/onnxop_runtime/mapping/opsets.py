"""At which opsets a mapping holds, and where its nodes change: by its text, and by the versions of its ops."""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from .definitions import HIGHEST
from .problems import MappingError, Problem
from .textcalls import Text, ends, tree_of

LOWEST = 9
TORCHSCRIPT, DYNAMO = range(LOWEST, 24), range(18, HIGHEST + 1)
"""The opsets that each of PyTorch's exporters writes; dynamo builds at 18, and converts upward."""

_UNSIGNED = (4, 12, 13)  # UINT16, UINT32, UINT64, of which the TorchScript exporter knows no number


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


class _Form:
    """A mapping at an opset: its calls, and what its conditions on the opset come to."""

    def __init__(self, text: Text, opset: int) -> None:
        self.calls, self.choices = text.at(opset)
        self.opset = opset

    @cached_property
    def problems(self) -> list[Problem]:
        return [problem for call in self.calls for problem in call.problems(self.opset)]


def opsets(to_onnx: Any, lowest: int, *, dynamo: bool = True) -> Opsets:
    """Return where a mapping holds that is written for opsets from ``lowest`` on.

    Args:
        to_onnx: the mapping.
        lowest: its lowest opset, at which it must hold.
        dynamo: whether it is for the dynamo exporter, too.

    Raises:
        MappingError: it does not hold at its lowest opset.
    """
    text = Text(to_onnx)
    forms = {opset: _Form(text, opset) for opset in range(lowest, HIGHEST + 1)}
    start = forms[lowest]
    if start.problems:
        raise MappingError(start.problems)
    starts, holds, first = [lowest], [], lowest
    for opset, form in forms.items():
        if form.choices != forms[first].choices:  # from here on the mapping says something else
            first = opset
        if form.problems or not _keep_meaning(form, first, opset):
            continue
        if opset > lowest:
            before = forms[opset - 1]
            is_same = form.choices == before.choices and opset - 1 in holds
            if not is_same or _shapes(form, opset) != _shapes(before, opset - 1):
                starts.append(opset)
        holds.append(opset)
    # Text that has another form at another opset says what holds there.
    is_chosen = any(forms[opset].choices != start.choices for opset in holds)
    last = lowest
    while last + 1 in holds and (last + 1 not in starts or is_chosen):
        last += 1
    if any(
        call.op == "Cast" and call.keywords.get("to", [None])[0] in _UNSIGNED
        for call in start.calls
    ):
        last = lowest - 1
    built = max(lowest, DYNAMO.start)
    converted = _converted(forms, lowest, built) if dynamo else range(0)
    return Opsets(
        starts=tuple(starts),
        torchscript=range(max(TORCHSCRIPT.start, lowest), min(TORCHSCRIPT.stop, last + 1)),
        dynamo=converted,
        dynamo_opset=built if converted else lowest,
        holds=frozenset(holds),
    )


def _shapes(form: _Form, opset: int) -> list[object]:
    return [call.shape(opset) for call in form.calls]


def _keep_meaning(form: _Form, first: int, last: int) -> bool:
    return all(call.keeps_meaning(first, last) for call in form.calls)


def _converted(forms: dict[int, _Form], lowest: int, built: int) -> range:
    """Return the opsets to which the dynamo exporter converts what it builds at one."""
    form = forms[built]
    if form.problems or not (form.choices or _keep_meaning(form, lowest, built)):
        return range(0)
    last, shapes = built, _shapes(form, built)
    while last < HIGHEST and _shapes(form, last + 1) == shapes:
        last += 1
    return range(built, last + 1)


def problems(to_onnx: Any, lowest: int) -> list[Problem]:
    """Return what is wrong with a mapping's calls at its lowest opset, and where a condition on the
    opset comes to something else: what is said there is said for that opset.
    """
    text, choices = Text(to_onnx), None
    for opset in range(lowest, HIGHEST + 1):
        form = _Form(text, opset)
        # Where an op alone is of another form, the mapping ends to hold by itself.
        if form.choices != choices and form.problems:
            return form.problems
        choices = form.choices
    return []


def left_out(to_onnx: Any) -> set[int]:
    """Return the places of the results that a mapping gives as None, at one of its ends."""
    return {
        place
        for end in ends(tree_of(to_onnx).body)
        for place, value in enumerate(end.value.elts if isinstance(end.value, ast.Tuple) else ())
        if isinstance(value, ast.Constant) and value.value is None
    }


def ops_of(to_onnx: Any, opset: int) -> set[str]:
    """Return the ops that a mapping calls by name at an opset."""
    return {call.op for call in Text(to_onnx).at(opset)[0]}
