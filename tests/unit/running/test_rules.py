"""What `onnxop run` starts in a process: rules, and records of its exports."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
import torch

from onnxop_runtime.exporting.call import watched
from onnxop_runtime.running import records, rules
from onnxop_runtime.running.settings import Settings
from tests.unit.exporting.graphs import Calling, registered
from tests.unit.exporting.samples import asinh

stock_export: Any = torch.onnx.export  # its annotations lack files in memory


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Record the exports of this process, and compare them."""
    monkeypatch.setattr(watched, "_watchers", [])
    folder = tmp_path / "records"
    folder.mkdir()
    recorded = Settings(str(folder), (), verify=True)
    rules.start_rules(recorded)
    return recorded


@pytest.mark.filterwarnings("ignore")
def test_an_export_is_recorded(settings: Settings, tmp_path: Path) -> None:
    file = tmp_path / "m.onnx"
    with registered(asinh()):
        stock_export(Calling(torch.asinh).eval(), (torch.ones(3),), str(file), dynamo=False)
    (record,) = records.read(settings.folder)
    assert (record.file, record.exporter) == (str(file), "TorchScript")
    assert record.rules == [("aten::asinh", "my_lib", 1)]
    assert record.verdict.startswith("right: PyTorch's values")
    assert rules.verdict_now(record).startswith("right: ")
    other = onnx.load(file)
    other.graph.node[0].op_type = "Neg"
    onnx.save(other, file)
    assert rules.verdict_now(record).startswith("WRONG: ")


@pytest.mark.filterwarnings("ignore")
def test_a_program_is_recorded_as_it_is_saved(settings: Settings, tmp_path: Path) -> None:
    with registered(asinh()):
        program = stock_export(Calling(torch.asinh).eval(), (torch.ones(3),), dynamo=True)
    assert records.read(settings.folder) == []
    program.save(tmp_path / "m.onnx")
    (record,) = records.read(settings.folder)
    assert (record.target, record.exporter) == (str(tmp_path / "m.onnx"), "dynamo")
