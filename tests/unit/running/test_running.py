"""The settings and records of `onnxop run`, in files that several processes share."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from onnxop_runtime.exporting.call import watched
from onnxop_runtime.exporting.call.watched import ExportCall
from onnxop_runtime.running import records, settings
from onnxop_runtime.running.records import ExportRecord
from onnxop_runtime.running.settings import Settings


def record(file: str) -> ExportRecord:
    return ExportRecord(file, file, "dynamo", [("my_lib::scale", "package", 2)], {"model.scale": 1})


def test_records_are_read_in_order(tmp_path: Path) -> None:
    for name in ("b.onnx", "a.onnx"):
        records.write_record(str(tmp_path), record(name))
    (tmp_path / "incomplete.part").touch()
    read = records.read(str(tmp_path))
    assert [each.file for each in read] == ["b.onnx", "a.onnx"]
    assert read[0].rules == [("my_lib::scale", "package", 2)]
    assert records.comparisons_of(read[0]) is None


def test_a_record_has_what_was_compared(tmp_path: Path) -> None:
    records.write_record(str(tmp_path), record("a.onnx"), [1.5, "x"])
    (read,) = records.read(str(tmp_path))
    assert records.comparisons_of(read) == [1.5, "x"]


def test_a_record_tells_a_file_that_changed_since(tmp_path: Path) -> None:
    file = tmp_path / "a.onnx"
    file.write_text("model")
    records.write_record(str(tmp_path), record(str(file)))
    (read,) = records.read(str(tmp_path))
    assert read.state == records.state_of(str(file))
    file.write_text("another model")
    assert read.state != records.state_of(str(file))
    file.unlink()
    assert records.state_of(str(file)) == (0, 0)


def test_settings_reach_another_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Settings(str(tmp_path), ("my_ops",), replacements=(("m", "m.f", "my_ops.f(x)"),))
    variables = settings.variables(original.save(), {"PYTHONPATH": "/opt/lib"})
    assert variables["PYTHONPATH"] == f"{settings.CHILD}:/opt/lib"
    monkeypatch.setenv(settings.VARIABLE, variables[settings.VARIABLE])
    assert settings.load() == original
    monkeypatch.delenv(settings.VARIABLE)
    assert settings.load() is None


def test_an_export_within_another_is_watched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    @contextmanager
    def watcher(call: ExportCall) -> Iterator[None]:
        yield
        seen.append(call.program)

    monkeypatch.setattr(watched, "_watchers", [watcher])
    with watched.watching("model", (), "a.onnx", {}, dynamo=True) as outer:
        with watched.watching("model", (), "a.onnx", {}, dynamo=True) as inner:
            inner.program = "inner"
        assert seen == []
        outer.program = "outer"
    assert seen == ["outer"]
