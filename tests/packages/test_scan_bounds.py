"""How long `onnxop scan` exports with dynamic dimensions where another exporter's file is right, and
which exports it leaves out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
import torch

from onnxop.scan.attempts import whole_model
from onnxop.scan.model.exports import Export, Progress
from onnxop.scan.model.target import Target
from onnxop.scan.pages import next_steps
from onnxop.scan.report.report import Report
from onnxop.scan.scan import scan_model
from onnxop.trial import trial
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome
from onnxop_runtime.torch_internals import is_tracing

DYNAMO, TORCHSCRIPT = Export("dynamo", 20), Export("TorchScript", 20)
STOPPED = (
    "stopped after 4 s of CPU, and the TorchScript exporter's file is right; --exporter dynamo waits "
    "for it"
)
_OF_TRACE = 6.0  # seconds of CPU that torch.export needs at a dynamic size


class SlowToExport(torch.nn.Module):
    """A model for which torch.export needs seconds where the first dimension is dynamic."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if isinstance(x.shape[0], torch.SymInt):
            end = time.process_time() + _OF_TRACE
            while time.process_time() < end:
                pass
        return self.scaled(x)

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        return x * x.shape[0]


class SlowAndConstantInTraces(SlowToExport):
    """Such a model of which a trace keeps the size."""

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        return x * (int(x.shape[0]) if is_tracing() else x.shape[0])


class SlowAndOneSided(SlowToExport):
    """Such a model of which a trace keeps one side of a condition on data."""

    def scaled(self, x: torch.Tensor) -> torch.Tensor:
        if is_tracing():
            return x + 1 if x.sum() > 0 else x - 1
        return torch.where(x.sum() > 0, x + 1, x - 1)


def _scanned(
    model: torch.nn.Module, exports: list[Export], progress: Progress = lambda _: None
) -> Report:
    with torch.no_grad():
        target = Target("net", model.eval(), (torch.rand(4, 3),))
        return scan_model(target, exports, progress)


@pytest.fixture
def of_four_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(whole_model, "_BOUND", 4)


@pytest.mark.nightly
@pytest.mark.usefixtures("of_four_seconds")
def test_a_slow_export_is_stopped_where_the_other_file_is_right() -> None:
    """Nor is the model traced once more for that exporter."""
    told: list[str] = []
    report = _scanned(SlowToExport(), [DYNAMO, TORCHSCRIPT], told.append)
    assert "tracing the model with torch.jit.trace" in told
    assert "tracing the model with torch.export" not in told
    assert report.calls_of(DYNAMO) == report.calls_of(TORCHSCRIPT) != []
    dynamo = report.whole[DYNAMO]
    assert str(dynamo) == f"right; other sizes were not tried: {STOPPED}"
    assert str(report.whole[TORCHSCRIPT]) == "right"
    assert report.is_right
    assert report.findings == []
    call = next_steps.steps(report, None, None)
    assert next(call) == "Next: export with"
    assert "dynamo=False" in next(call)


@pytest.mark.nightly
@pytest.mark.usefixtures("of_four_seconds")
@pytest.mark.parametrize("model", [SlowAndConstantInTraces, SlowAndOneSided])
def test_a_slow_export_is_waited_for_where_the_other_file_is_wrong(
    model: Callable[[], torch.nn.Module],
) -> None:
    """It is begun again without a bound, also if the other file is found to be wrong later."""
    report = _scanned(model(), [DYNAMO, TORCHSCRIPT])
    assert str(report.whole[DYNAMO]) == "right"
    assert report.whole[TORCHSCRIPT].kind == "example"
    assert report.right_exports == [DYNAMO]


@pytest.mark.nightly
@pytest.mark.usefixtures("of_four_seconds")
def test_a_slow_export_is_waited_for_where_no_other_is_requested() -> None:
    assert str(_scanned(SlowToExport(), [DYNAMO]).whole[DYNAMO]) == "right"


@pytest.mark.nightly
def test_an_export_that_is_slow_without_dynamic_dimensions_is_not_begun_with_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Unless the other file is wrong at other sizes."""
    monkeypatch.setattr(whole_model, "_BOUND", 0)
    told: list[str] = []
    dynamo = _scanned(SlowToExport(), [DYNAMO, TORCHSCRIPT], told.append).whole[DYNAMO]
    assert "exporting the whole model with dynamic dimensions: dynamo, opset 20" not in told
    assert re.fullmatch(
        r"the first ones took \d s of CPU, and the TorchScript exporter's file is right; --exporter "
        "dynamo waits for it",
        dynamo.stopped,
    )
    report = _scanned(SlowAndConstantInTraces(), [DYNAMO, TORCHSCRIPT])
    assert str(report.whole[DYNAMO]) == "right"


def test_the_call_of_a_stopped_export_is_not_the_next_step() -> None:
    """An export in another way comes before it, which is right at other sizes, too."""
    target = Target("net", torch.nn.ReLU(), (torch.rand(4, 3),), sizes=((torch.rand(5, 3),),))
    stopped = Outcome("right", awaits_sizes=True, stopped=STOPPED)
    in_another_way = Outcome("right", how="no_grad", refused="RuntimeError: a leaf Variable")
    report = Report(target, {DYNAMO: stopped, TORCHSCRIPT: in_another_way})
    assert "with torch.no_grad():" in "\n".join(next_steps.steps(report, None, None))


def test_what_waits_for_a_stopped_export_is_told() -> None:
    target = Target("net", torch.nn.ReLU(), (torch.rand(4, 3),), sizes=((torch.rand(5, 3),),))
    stopped = Outcome("right", awaits_sizes=True, stopped=STOPPED, how="no_grad", refused="why")
    report = Report(target, {DYNAMO: stopped})
    told = " ".join(next_steps.steps(report, None, None))
    assert f"Other sizes were not tried: {STOPPED}." in " ".join(told.split())


class OnData(torch.nn.Module):
    """A model with a condition on data, of a list."""

    def forward(self, tensors: list[torch.Tensor]) -> torch.Tensor:
        (x,) = tensors
        return x + 1 if x.sum() > 0 else x - 1


@pytest.mark.nightly
def test_a_condition_on_data_is_met_with_all_arguments_alike() -> None:
    """torch.export is not asked again, with the tensors alone."""
    told: list[str] = []
    target = Target("net", OnData(), ([torch.rand(4)],))
    whole = dict(whole_model.try_each_export(target, [DYNAMO], told.append))
    assert whole[DYNAMO].is_of_data_condition
    assert not any("tensors alone" in line for line in told)


def test_the_runtime_is_tried_first_with_inputs_for_which_a_file_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def count_others(call: Call, *_: object) -> Outcome:
        return Outcome("right", f"{[others[0].shape[0] for others in call.others]}")

    monkeypatch.setattr(trial, "try_export", count_others)
    target = Target("net", torch.nn.ReLU(), (torch.rand(4),), values=((torch.rand(4),),))
    for failing, tried in ((torch.rand(4), "[4, 4]"), (torch.rand(5), "[4]")):
        known = {TORCHSCRIPT: Outcome("example", "", "branch", inputs=(failing,), then="values")}
        whole = whole_model.try_runtime(target, lambda _: None, known)
        assert whole[TORCHSCRIPT].why == tried
