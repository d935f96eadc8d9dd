"""The page of models of others is what their data say."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.zoo import page
from tests.zoo.__main__ import FAMILIES, ROOT, from_root, read_family


def test_the_page_is_what_the_data_say() -> None:
    results = page.read()
    assert page.PAGE.read_text(encoding="utf-8") == page.page(results)
    known = {f"{name}.{model}" for name, file in FAMILIES.items() for model in read_family(file)[1]}
    assert results.keys() <= known


def test_files_of_the_zoo_as_seen_from_the_root(tmp_path: Path) -> None:
    """Scan shows the shorter one of their paths: relative to its folder, or absolute."""
    near = os.path.relpath(ROOT, tmp_path)
    text = f"{near}/tests/zoo/kornia.py:37 and {ROOT}/tests/zoo/kornia.py:38"
    assert from_root(text, str(tmp_path)) == "tests/zoo/kornia.py:37 and tests/zoo/kornia.py:38"


def test_sixty_models() -> None:
    models = [model for file in FAMILIES.values() for model in read_family(file)[1]]
    assert len(models) >= 60


def _result(stock: str, kind: str, **outcome: str) -> dict[str, Any]:
    return {
        "stock": {"dynamo": {"verdict": stock, "why": ""}},
        "scan": {"whole": {"dynamo": {"kind": kind, **outcome}}},
    }


def test_a_verdict_of_scan_that_is_not_that_of_a_plain_export() -> None:
    results = {
        "a.same": _result("right", "order"),
        "a.refused": _result("refused", "export"),
        "a.too_good": _result("wrong", "right"),
        "a.in_another_way": _result("refused", "right", how="no_grad"),
    }
    assert page.disagreements(results) == ["a.too_good by dynamo: wrong, scan: right"]
    assert [name for name, result in results.items() if page.is_right(result)] == ["a.same"]
    right = [name for name, result in results.items() if page.is_right_with(result)]
    assert right == ["a.same", "a.too_good", "a.in_another_way"]


@pytest.mark.parametrize(
    ("load", "cell", "told"),
    [(1.0, "| 70 |", "Scans above 60 s of CPU: 1."), (3.0, "| 70 (busy) |", "1 of them on a busy")],
)
def test_a_busy_machine_is_told_beside_the_seconds(load: float, cell: str, told: str) -> None:
    model = _result("right", "right")
    model["stock"]["TorchScript"] = {"verdict": "right", "why": ""}
    model["scan"] |= {"cpu_seconds": 70, "load_per_core": load}
    versions = dict.fromkeys(["torch", "onnx", "onnxscript", "onnxruntime", "acme"], "1.0")
    text = page.page({"a.slow": {**model, "versions": versions, "date": "2026-11-28"}})
    assert cell in text
    assert told in text


@pytest.mark.parametrize(("verdict", "count"), [("right", 0), ("first", 0), ("wrong", 1)])
def test_an_export_that_was_stopped_is_not_called_right_at_other_sizes(
    verdict: str, count: int
) -> None:
    stopped = _result(verdict, "right", stopped="stopped after 20 s of CPU")
    assert len(page.disagreements({"a.slow": stopped})) == count


def test_a_change_by_hand_is_shown_where_scan_names_its_line() -> None:
    """A line that is broken over two counts, too."""
    line, change = page._CHANGED["transformers.mamba"]
    told = {"scan": {"next": ["Next: change", f"  dynamo: a size is needed at\n      {line}: for"]}}
    assert page.changed({"transformers.mamba": told}) == {"transformers.mamba": (line, change)}
    assert page.changed({"transformers.mamba": {"scan": {"next": ["Next: export"]}}}) == {}
    assert page.changed({}) == {}
