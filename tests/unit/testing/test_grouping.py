"""Failures with one cause, reported once."""

from __future__ import annotations

import pytest

from onnxop_runtime.testing import grouping


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
