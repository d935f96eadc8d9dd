"""Failures with one cause, reported once."""

from __future__ import annotations

from pathlib import Path

import pytest

from onnxop_runtime.testing import grouping, uses
from onnxop_runtime.testing.draws.calls import tally


def report(name: str, operator: str = "") -> pytest.TestReport:
    properties = [(grouping._KEY, operator)] if operator else []
    return pytest.TestReport(
        nodeid=f"tests/test_f.py::TestF::{name}",
        location=("tests/test_f.py", 1, f"TestF.{name}"),
        keywords={},
        outcome="failed",
        longrepr="it fails",
        when="call",
        user_properties=properties,
    )


def test_failures_of_one_cause_are_one() -> None:
    reports = [report("test_a[1]", "f: wrong"), report("test_b", "g: wrong")]
    reports.append(report("test_a[2]", "f: wrong"))
    first, second = grouping.grouped(reports)
    assert first.nodeid == "tests/test_f.py::TestF::test_a [2 tests]"
    assert first.sections[0] == ("seen in", "test_a[1]\ntest_a[2]")
    assert second is reports[1]


def test_failures_without_a_cause_stay_apart() -> None:
    reports = [report("test_a"), report("test_b")]
    assert grouping.grouped(reports) == reports


def test_failures_of_drawn_calls_stay_apart() -> None:
    """Each tells another call, though all are raised at one line."""
    refused = tally.Tally()
    refused.refused["float32"] = 100
    with pytest.raises(pytest.fail.Exception) as failure:
        refused.check("ops::f: calls")
    of_drawn_calls = report("test_drawn_calls")
    grouping.note_cause(of_drawn_calls, "ops::f", failure)
    assert of_drawn_calls.user_properties == []
    assert grouping._USES == Path(uses.__file__)


def test_a_failure_of_another_test_has_a_cause() -> None:
    with pytest.raises(ZeroDivisionError) as failure:
        _ = 1 / 0
    of_values = report("test_values")
    grouping.note_cause(of_values, "ops::f", failure)
    ((_, cause),) = of_values.user_properties
    assert str(cause).startswith(f"ops::f: ZeroDivisionError: {__file__}:")
