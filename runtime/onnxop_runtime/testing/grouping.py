"""Failures, grouped: those of an operator that have one cause are told once, with where each was seen."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parent
_KEY = "onnxop: operator and cause"


def note_cause(report: pytest.TestReport, operator: str, error: pytest.ExceptionInfo[Any]) -> None:
    """Write into a report what failures of one cause have in common: the operator, the exception, and the
    line of the tests that it comes from; pytest-xdist carries it from one process to another.
    """
    places = [entry for entry in error.traceback if Path(entry.path).is_relative_to(_HERE.parent)]
    if places and Path(places[-1].path).parent.name == "verification":
        where = "runtimes"  # whichever test compares
    else:
        # Not the line that compares, which all tests share.
        tests = [
            e for e in places if Path(e.path).parent == _HERE and Path(e.path).stem != "arguments"
        ]
        last = (tests or list(error.traceback))[-1]
        where = f"{last.path}:{last.lineno}"
    report.user_properties.append((_KEY, f"{operator}: {error.type.__name__}: {where}"))


def grouped(reports: Sequence[Any]) -> list[Any]:
    """Return failed reports, those of one operator and cause as a single one."""
    groups: dict[Any, list[Any]] = {}
    for place, report in enumerate(reports):
        cause = dict(report.user_properties).get(_KEY, place)
        groups.setdefault(cause, []).append(report)
    return [_told(group) if len(group) > 1 else group[0] for group in groups.values()]


def _told(group: Sequence[Any]) -> Any:
    """The first report of a group, which says where the others were seen."""
    first = copy.copy(group[0])
    first.nodeid = f"{first.nodeid.partition('[')[0]} [{len(group)} tests]"
    path, line, name = first.location
    first.location = path, line, f"{name.partition('[')[0]}: one cause, {len(group)} tests"
    seen = "\n".join(each.nodeid.rpartition("::")[2] for each in group)
    first.sections = [("seen in", seen), *first.sections]
    return first
