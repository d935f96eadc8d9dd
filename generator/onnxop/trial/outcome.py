"""What became of an export, as data and in words."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from . import forks
from .places import Place

WORDS = {
    "right": "right",
    "order": "right but for the order of equal values",
    "random": "right but for what is random",
    "frozen": "right for these values alone",
    "export": "refused",
    "checker": "writes a model that the checker refuses",
    "runtime": "writes a model that ONNX Runtime refuses",
    "values": "writes a model whose values differ",
    "crash": "crashes",
}
NO_TENSORS = "the model returns"
_WIDTH = 100


@dataclass(frozen=True)
class Outcome:
    """What became of one export.

    Attributes:
        kind: ``right``; ``export``: the exporter refuses; ``checker``: onnx.checker refuses the
            model; ``runtime``: ONNX Runtime refuses it, or fails; ``values``: they differ from
            PyTorch's; ``order``: so do integers alone, and not where no two values are equal, as
            in sorting; ``random``: so do results that in PyTorch differ from call to call, too;
            ``frozen``: it would be right, but for other values is not; ``crash``: the process
            ended, or ran out of time.
        why: what was said.
        frozen: where the exporter keeps what values of the inputs decided, for all inputs.
    """

    kind: str
    why: str = ""
    frozen: tuple[Place, ...] = ()

    @property
    def is_right(self) -> bool:
        return self.kind in ("right", "order", "random")

    @property
    def is_right_here(self) -> bool:
        """Whether it is right for the values that it was tried with."""
        return self.is_right or self.kind == "frozen"


def outcome(answer: Any) -> Outcome:
    """What a forked process answered."""
    if isinstance(answer, Outcome):
        return answer
    return Outcome("crash", str(answer) if isinstance(answer, forks.Died) else said(answer))


_NAMED = re.compile(
    r"OpOverload\(op='(?P<space>\w+)\.(?P<name>\w+)', overload='(?P<overload>\w+)'"
    r"|'(?P<op>\w+::\w+)'"
    r"|Occurred when translating (?P<rule>\w+)"
)


def named(outcome: Outcome) -> list[tuple[str, str]]:
    """The operators that an exporter's refusal names: ``namespace::name``, and the overload, which only
    the dynamo exporter says.
    """
    found = []
    for name in _NAMED.finditer(outcome.why):
        op = name["op"] or f"{name['space'] or 'aten'}::{name['name'] or name['rule']}"
        found.append((op, name["overload"] or ""))
    return list(dict.fromkeys(found))


def said(error: BaseException) -> str:
    """The exception in one line."""
    return f"{type(error).__name__}: {short(str(error))}"


def short(text: str) -> str:
    """The text in one line, of its beginning where it is long."""
    lines = [line.strip() for line in text.splitlines()]
    if "Traceback of TorchScript" in text:
        lines = [line for line in lines if line][-1:]
    words = " ".join(line for line in lines if line and not line.startswith(("File ", "^")))
    if len(words) > 300 and "\n\n" in text.strip():
        return short(text.strip().partition("\n\n")[0])
    return words if len(words) <= 300 else f"{words[:297]}..."


def told(outcome: Outcome) -> str:
    """The outcome in words."""
    words = WORDS[outcome.kind]
    if lacking := _NO_RULE.search(outcome.why):
        return f"{words}: no rule for {'::'.join(filter(None, lacking.groups()))}"
    why = outcome.why.partition(" Signature: ")[0]
    return f"{words}: {why}" if why else words


_NO_RULE = re.compile(
    r"DispatchError: No ONNX function found for <OpOverload\(op='(\w+)\.(\w+)'"
    r"|UnsupportedOperatorError: Exporting the operator '(\w+::\w+)'.* is not supported"
)
"""What either exporter says where it has no rule for an operator."""


def told_by_opset(outcomes: Mapping[int, Outcome]) -> Iterator[str]:
    """A line for neighbouring opsets with the same outcome, but for the opset's number in what is said."""

    def plain(item: tuple[int, Outcome]) -> tuple[str, str]:
        opset, found = item
        return found.kind, found.why.replace(f" {opset} ", " N ").replace(f" opset {opset}", " N")

    for _, group in groupby(sorted(outcomes.items()), key=plain):
        span, (first, *_) = zip(*group, strict=True)
        yield f"opset {opsets(span)}: {told(first)}"


def opsets(span: Iterable[int]) -> str:
    """``9-13, 18``: neighbours together."""
    found: list[list[int]] = []
    for opset in sorted(span):
        if found and opset == found[-1][-1] + 1:
            found[-1].append(opset)
        else:
            found.append([opset])
    return ", ".join(str(g[0]) if len(g) == 1 else f"{g[0]}-{g[-1]}" for g in found)


def indented(text: str, first: str, then: str | None = None) -> str:
    """The text in lines, the first of which begins with one indent, and others with another."""
    lines = textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first if then is None else then,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines) or first
