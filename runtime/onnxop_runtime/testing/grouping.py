"""Grouping of failures: failures of an operator with one cause are reported once, with the names of
all tests.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

_HERE = Path(__file__).parent
_USES, _DRAWS = _HERE / "uses.py", _HERE / "draws"  # tests of many calls
_KEY = "onnxop: operator and cause"


def note_cause(report: pytest.TestReport, operator: str, error: pytest.ExceptionInfo[Any]) -> None:
    """Record a failure's operator, exception and line in its report, which pytest-xdist passes."""
    entries = [e for e in error.traceback if Path(e.path).is_relative_to(_HERE.parent)]
    last_file = Path(entries[-1].path) if entries else Path()
    if last_file == _USES or _DRAWS in last_file.parents:
        return  # each failure tells a call of its own
    if last_file.parent.name == "verification":
        where = "runtimes"  # the same for all tests that compare
    else:
        # Not the comparison in `arguments`, which all tests share.
        of_tests = [
            e for e in entries if Path(e.path).parent == _HERE and Path(e.path).stem != "arguments"
        ]
        last = (of_tests or list(error.traceback))[-1]
        where = f"{last.path}:{last.lineno}"
    report.user_properties.append((_KEY, f"{operator}: {error.type.__name__}: {where}"))


def grouped(reports: Sequence[Any]) -> list[Any]:
    """Return failed reports, one per operator and cause."""
    groups: dict[Any, list[Any]] = {}
    for index, report in enumerate(reports):
        cause = dict(report.user_properties).get(_KEY, index)
        groups.setdefault(cause, []).append(report)
    return [_summary(group) if len(group) > 1 else group[0] for group in groups.values()]


def _summary(group: Sequence[Any]) -> Any:
    """Return the first report of a group, with the tests of the others."""
    first = copy.copy(group[0])
    first.nodeid = f"{first.nodeid.partition('[')[0]} [{len(group)} tests]"
    path, line, name = first.location
    first.location = path, line, f"{name.partition('[')[0]}: one cause, {len(group)} tests"
    seen = "\n".join(report.nodeid.rpartition("::")[2] for report in group)
    first.sections = [("seen in", seen), *first.sections]
    return first
