"""What became of an export, as data and in words."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from . import forks

WORDS = {
    "right": "right",
    "order": "right but for the order of equal values",
    "random": "right but for what is random",
    "first": "right for the first inputs alone",
    "export": "refused",
    "checker": "writes a model that the checker refuses",
    "runtime": "writes a model that ONNX Runtime refuses",
    "values": "writes a model whose values differ",
    "crash": "crashes",
}
_WIDTH = 100
_NAMED = re.compile(
    r"OpOverload\(op='(?P<space>\w+)\.(?P<name>\w+)', overload='(?P<overload>\w+)'"
    r"|'(?P<op>\w+::\w+)'"
    r"|Occurred when translating (?P<rule>\w+)"
)
# What either exporter says where it has no rule for an operator.
_NO_RULE = re.compile(
    r"DispatchError: No ONNX function found for <OpOverload\(op='(\w+)\.(\w+)'"
    r"|UnsupportedOperatorError: Exporting the operator '(\w+::\w+)'.* is not supported"
    r"|an operator with unrecognized namespace (\w+::\w+)"
)


@dataclass(frozen=True)
class Outcome:
    """What became of one export.

    Attributes:
        kind: ``right``; ``export``: the exporter refuses; ``checker``: onnx.checker refuses the
            model; ``runtime``: ONNX Runtime refuses it, or fails; ``values``: they differ from
            PyTorch's; ``order``: so do integers alone, and not where no two values are equal, as
            in sorting; ``random``: so do results that in PyTorch differ from call to call, too;
            ``crash``: the process ended, or ran out of time.
        why: what was said.
    """

    kind: str
    why: str = ""

    @property
    def is_right(self) -> bool:
        """Whether all is right but for what each runtime may choose."""
        return self.kind in ("right", "order", "random")

    @property
    def has_no_rule(self) -> bool:
        """Whether the exporter has no rule for an operator, at any opset."""
        return bool(_NO_RULE.search(self.why)) and "was added in version" not in self.why

    @property
    def named(self) -> list[tuple[str, str]]:
        """The operators that a refusal names: ``namespace::name``, and the overload, which only the
        dynamo exporter says.
        """
        found = []
        for name in _NAMED.finditer(self.why):
            op = name["op"] or f"{name['space'] or 'aten'}::{name['name'] or name['rule']}"
            found.append((op, name["overload"] or ""))
        return list(dict.fromkeys(found))

    def __str__(self) -> str:
        words = WORDS[self.kind]
        if lacking := _NO_RULE.search(self.why):
            return f"{words}: no rule for {'::'.join(filter(None, lacking.groups()))}"
        why = self.why.partition(" Signature: ")[0]
        return f"{words}: {why}" if why else words


def outcome(answer: Any) -> Outcome:
    """Return what a forked process answered."""
    if isinstance(answer, Outcome):
        return answer
    return Outcome("crash", str(answer) if isinstance(answer, forks.Died) else said(answer))


def said(error: BaseException) -> str:
    """Say the exception in one line."""
    return f"{type(error).__name__}: {short(str(error))}"


def short(text: str) -> str:
    """Return the text in one line, of its beginning where it is long."""
    lines = [line.strip() for line in text.splitlines()]
    if "Traceback of TorchScript" in text:
        lines = [line for line in lines if line][-1:]
    words = " ".join(line for line in lines if line and not line.startswith(("File ", "^")))
    if len(words) > 300 and "\n\n" in text.strip():
        return short(text.strip().partition("\n\n")[0])
    return words if len(words) <= 300 else f"{words[:297]}..."


def told_by_opset(outcomes: Mapping[int, Outcome]) -> Iterator[str]:
    """Yield a line for neighbouring opsets with the same outcome, but for the opset in what is said."""

    def plain(item: tuple[int, Outcome]) -> tuple[str, str]:
        opset, found = item
        return found.kind, re.sub(rf"\b{opset}\b", "N", found.why)

    for _, group in groupby(sorted(outcomes.items()), key=plain):
        span, (first, *_) = zip(*group, strict=True)
        yield f"opset {opsets(span)}: {first}"


def opsets(span: Iterable[int]) -> str:
    """Write ``9-13, 18``: neighbours together."""
    found: list[list[int]] = []
    for opset in sorted(span):
        if found and opset == found[-1][-1] + 1:
            found[-1].append(opset)
        else:
            found.append([opset])
    return ", ".join(str(g[0]) if len(g) == 1 else f"{g[0]}-{g[-1]}" for g in found)


def indented(text: str, first: str, then: str | None = None) -> str:
    """Return the text in lines, the first of which begins with one indent, and others with another."""
    lines = textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=first if then is None else then,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines) or first
