"""Failures, grouped: those of an operator that have one cause are told once, with where each was seen."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Seen:
    """Where a test of an operator failed, in what a report can carry from one process to another.

    Attributes:
        operator: the operator.
        cause: what failures of one cause have in common: the exception, and the line of the tests, or of
            the comparison with runtimes, that it comes from.
        test: the name of the test.
        face: the way in which the operator was called.
        exporter: which exporter, ``""`` where none was tried.
        opset: at which opset version.
        sample: of which sample.
        error: the worst error that was measured.
    """

    operator: str
    cause: str = ""
    test: str = ""
    face: str = ""
    exporter: str = ""
    opset: int = 0
    sample: str = ""
    error: str = ""

    def attached_to(self, report: pytest.TestReport) -> None:
        vars(report)["onnxop"] = asdict(self)

    @staticmethod
    def of(report: Any) -> Seen | None:
        """Return what `attached_to` attached."""
        found = getattr(report, "onnxop", None)
        return None if found is None else Seen(**found)


def cause_of(error: pytest.ExceptionInfo[BaseException]) -> str:
    """Return what failures of one cause have in common."""
    name = error.type.__name__
    places = [entry for entry in error.traceback if Path(entry.path).is_relative_to(_HERE.parent)]
    if places and Path(places[-1].path).parent.name == "verification":
        return f"{name}: runtimes"  # whichever test compares
    tests = [entry for entry in places if _HERE in Path(entry.path).parents]
    last = (tests or list(error.traceback))[-1]
    return f"{name}: {Path(last.path).name}:{last.lineno}"


@dataclass
class _Group:
    first: pytest.TestReport
    seen: list[Seen] = field(default_factory=list)


def grouped(reports: Sequence[Any]) -> list[Any]:
    """Return failed reports, those of one operator and cause as a single one."""
    groups: dict[Any, _Group] = {}
    for place, report in enumerate(reports):
        seen = Seen.of(report)
        key = place if seen is None else (seen.operator, seen.cause)
        group = groups.setdefault(key, _Group(report))
        if seen is not None:
            group.seen.append(seen)
    return [_told(group) if len(group.seen) > 1 else group.first for group in groups.values()]


def _told(group: _Group) -> Any:
    """The first report of a group, which says where the others were seen."""
    report, seen = copy.copy(group.first), group.seen
    tests = _unique(each.test for each in seen)
    samples = _unique(each.sample for each in seen)
    places = [*_unique(each.face for each in seen), *_exporters(seen)]
    count = f"{len(samples)} sample{'s' * (len(samples) > 1)}"
    brief = ", ".join([f"{len(seen)} tests", *places, *[count] * bool(samples)])
    report.nodeid = f"{report.nodeid.partition('[')[0]} [{brief}]"
    path, line, _ = report.location
    report.location = path, line, f"{seen[0].operator}: one cause, {brief}"
    report.sections = [("seen in", "\n".join([*tests, *places, *samples])), *report.sections]
    return report


def _exporters(seen: Sequence[Seen]) -> list[str]:
    """The exporters, each with its opsets."""
    opsets: dict[str, set[int]] = {}
    for each in seen:
        if each.exporter:
            opsets.setdefault(each.exporter, set()).update([each.opset] * (each.opset > 0))
    return [f"{name} {spelled(sorted(found))}".strip() for name, found in opsets.items()]


def _unique(words: Iterable[str]) -> list[str]:
    return [word for word in dict.fromkeys(words) if word]


def spelled(numbers: Sequence[int]) -> str:
    """Return sorted numbers with spans for those in a row: ``13, 18-25``."""
    spans: list[list[int]] = []
    for number in numbers:
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return ", ".join(f"{span[0]}-{span[-1]}" if span[1:] else str(span[0]) for span in spans)
