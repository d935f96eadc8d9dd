"""Numbers among a model's arguments, of which the TorchScript exporter makes inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnxruntime  # type: ignore[import-untyped]
import pytest
import torch

import onnxop_runtime
from onnxop.scan.attempts import whole_model
from onnxop.scan.causes import model_notes
from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.pages import next_steps
from onnxop.scan.report.report import Report
from onnxop.trial import as_written
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome
from onnxop_runtime import processes

DYNAMO, TORCHSCRIPT = Export("dynamo", 20), Export("TorchScript", 20)
X = torch.rand(3, 2)


class Floored(torch.nn.Module):
    """Has a default number that is used, and one that is not."""

    def forward(self, x: torch.Tensor, floor: float = 0.5, rows: int = 3) -> torch.Tensor:
        return torch.where(x < floor, torch.zeros_like(x), x)


class Scaled(torch.nn.Module):
    def forward(self, batch: dict[str, Any], axis: torch.Tensor) -> torch.Tensor:
        scaled: torch.Tensor = batch["x"] * batch["scale"] + axis
        return scaled


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "args", "numbers"),
    [
        (Floored(), (X,), ("floor",)),
        (Floored(), (X, 0.25), ("floor",)),
        (Scaled(), ({"x": X, "scale": 2.0}, X), ("batch_scale",)),
        (torch.nn.ReLU(), (X,), ()),
    ],
    ids=["default", "given", "nested", "none"],
)
def test_numbers_that_are_inputs(model: Any, args: Any, numbers: tuple[str, ...]) -> None:
    """They stand beside the outcome; the dynamo exporter makes constants of them."""
    target = Target("net", model, args)
    outcomes = whole_model.try_exports(target, [TORCHSCRIPT, DYNAMO], lambda _: None)
    further = "".join(f", with a further input for {name}" for name in numbers)
    assert [*map(str, outcomes.values())] == [f"right{further}", "right"]
    assert [outcome.numbers for outcome in outcomes.values()] == [numbers, ()]


def test_what_to_do_about_numbers_that_are_inputs(tmp_path: Path) -> None:
    """The advice is right."""
    with_number = Outcome("right", numbers=("floor",))
    report = Report(Target("net", Floored(), (X,)), {TORCHSCRIPT: with_number})
    (note,) = model_notes.of_numbers(report)
    assert "has a further input for floor, which each run has to be given" in str(note)
    assert "onnxop_runtime.export(..., dynamo=False) makes it a constant" in str(note)
    told = " ".join(" ".join(next_steps.steps(report, None, None)).split())
    assert "right for the inputs above, with a further input for floor; no package" in told
    path = tmp_path / "net.onnx"
    with processes.quiet():
        onnxop_runtime.export(Floored(), (X,), path, opset_version=20, dynamo=False)
    session = onnxruntime.InferenceSession(path)
    (only,) = session.get_inputs()
    (result,) = session.run(None, {only.name: X.numpy()})
    torch.testing.assert_close(torch.tensor(result), Floored()(X))


def test_an_export_without_such_inputs_is_preferred() -> None:
    whole = {TORCHSCRIPT: Outcome("right", numbers=("floor",)), DYNAMO: Outcome("right")}
    assert Report(Target("net", Floored(), (X,)), whole).right_exports == [DYNAMO, TORCHSCRIPT]


class OfNames(torch.nn.Module):
    def forward(self, **batch: torch.Tensor) -> torch.Tensor:
        return batch["a"] + 1


def test_arguments_that_no_parameter_names() -> None:
    """The TorchScript exporter does not see them."""
    assert as_written.argument_names(Call(OfNames(), (), {"a": X})) == {}
