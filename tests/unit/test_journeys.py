"""The journeys that contributors read about are those that the code makes: each step is called, in
this order, and by the step that it is under.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch

from onnxop import cli
from onnxop_runtime import API, export
from onnxop_runtime.exporting.registration import unregister
from onnxop_runtime.package import Package
from tests.documents import ROOT
from tests.programs import program

from .exporting.graphs import Calling, registered
from .exporting.samples import asinh
from .test_contributing import Step, journeys

NEW, DYNAMO, TORCHSCRIPT, SCAN, PLAIN, MAPPING = journeys()
IN_FORKS = {"find_other_inputs"}
"""Steps of which the calls are in other processes."""
ONCE = {"use_rules", "wrap_exporters"}
"""Steps that a process makes once."""
NAMES: dict[str, Any] = {"input_names": ["x"], "dynamic_axes": {"x": {0: "n"}}}
X = torch.linspace(-1, 1, 6).reshape(2, 3)


@contextmanager
def recorded(steps: list[Step]) -> Iterator[list[Step]]:
    """Provide the steps in the order in which they are first called in the block; those that
    another caller calls have no caller.
    """
    wanted = {(str(step.file), step.function): step for step in steps}
    called: list[Step] = []

    def look(frame: FrameType, event: str, _argument: Any) -> None:
        if event != "call":
            return
        step = wanted.pop((frame.f_code.co_filename, frame.f_code.co_name), None)
        if step is None:
            return
        is_by_caller = step.caller is None or is_called_by(step.caller, frame)
        called.append(step if is_by_caller else replace(step, caller=None))

    sys.setprofile(look)
    try:
        yield called
    finally:
        sys.setprofile(None)


def is_called_by(step: Step, frame: FrameType) -> bool:
    """Return whether a frame is called by a step, directly or through others."""
    caller = frame.f_back
    while caller is not None:
        if (caller.f_code.co_filename, caller.f_code.co_name) == (str(step.file), step.function):
            return True
        caller = caller.f_back
    return False


@pytest.mark.slow
def test_new(tmp_path: Path) -> None:
    steps = journeys()[NEW]
    with recorded(steps) as called:
        spec = ROOT / "reference_ops/my_add/ops/my_add.toml"
        assert cli.main(["new", str(spec), str(tmp_path / "my_add")]) == 0
    assert [*map(str, called)] == [*map(str, steps)]


@pytest.mark.filterwarnings("ignore")
def test_dynamo_export(tmp_path: Path) -> None:
    steps = journeys()[DYNAMO]
    with registered(asinh()), recorded(steps) as called:
        export(Calling(torch.asinh).eval(), X, tmp_path / "m.onnx")
    assert [*map(str, called)] == [*map(str, steps)]


@pytest.mark.filterwarnings("ignore")
def test_torchscript_node(tmp_path: Path) -> None:
    steps = journeys()[TORCHSCRIPT]
    model = Calling(torch.asinh).eval()
    with recorded(steps) as called, registered(asinh(default_domain="my_lib")):
        export(model, X, tmp_path / "m.onnx", dynamo=False, **NAMES)
    assert [*map(str, called)] == [*map(str, steps)]


@pytest.mark.filterwarnings("ignore")
def test_plain_export(tmp_path: Path) -> None:
    steps = [step for step in journeys()[PLAIN] if step.function not in ONCE]
    operator = asinh(default_domain="my_lib")
    model = Calling(torch.asinh).eval()
    with recorded(steps) as called:
        Package("journey", api=API).register(operator)
        try:
            torch.onnx.export(model, (X,), tmp_path / "m.onnx", verbose=False)
        finally:
            unregister([operator])
    assert [*map(str, called)] == [*map(str, steps)]


@pytest.mark.filterwarnings("ignore")
def test_mapping(tmp_path: Path) -> None:
    steps = journeys()[MAPPING]
    with registered(asinh()), recorded(steps) as called:
        export(Calling(torch.asinh).eval(), X, tmp_path / "m.onnx")
    assert [*map(str, called)] == [*map(str, steps)]


MODEL = program("journeys/model")


@pytest.mark.nightly
@pytest.mark.slow
def test_scan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [step for step in journeys()[SCAN] if step.function not in IN_FORKS]
    (tmp_path / "zeta.py").write_text(MODEL)
    monkeypatch.chdir(tmp_path)
    with recorded(steps) as called:
        cli.main(["scan", "zeta.py:build", "--exporter", "dynamo"])
    assert [*map(str, called)] == [*map(str, steps)]
