"""Errors of exporters whose text is known: what to write instead."""

from __future__ import annotations

import warnings
from typing import Any

import onnxruntime  # type: ignore[import-untyped]
import pytest
import torch

from onnxop.scan.attempts import whole_model
from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.causes import decisive, stopped_traces, where_to_look
from onnxop.scan.model.exports import Export
from onnxop.scan.model.target import Target
from onnxop.scan.pages import next_steps
from onnxop.scan.report.failed_export import FailedExport
from onnxop.scan.report.report import Report, SingleCalls
from onnxop.trial.outcome import Outcome
from onnxop.trial.places import Place
from onnxop_runtime import processes

DYNAMO, TORCHSCRIPT = Export("dynamo", 20), Export("TorchScript", 20)
X = torch.randn(3, 4)


def summed(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    state = torch.zeros_like(x[0])
    for row in range(x.size(0)):
        state = 0.5 * state + x[row]
    return x + state, state


with warnings.catch_warnings():
    warnings.simplefilter("ignore", FutureWarning)  # it is deprecated
    scripted: Any = torch.jit.script(summed)


class Nested(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[Any, list[Any]]:
        y, state = scripted(x)
        return y, [state, state * 2]


class Flat(Nested):
    def forward(self, x: torch.Tensor) -> tuple[Any, ...]:
        y, states = super().forward(x)
        return y, *states


@pytest.mark.slow
def test_nested_results_of_a_model_with_a_scripted_function() -> None:
    """The exporter refuses these, and takes flat ones."""
    outcomes = {
        model: whole_model.try_exports(Target("net", model(), (X,)), [TORCHSCRIPT], lambda _: None)
        for model in (Nested, Flat)
    }
    assert outcomes[Flat][TORCHSCRIPT].is_right
    unread = {"TorchScript": NotImplementedError("it contains scripted code, prim::Loop")}
    report = Report(
        Target("net", Nested(), (X,)), outcomes[Nested], traced=TracedModel({}, {}, unread)
    )
    failed = FailedExport(report, TORCHSCRIPT, report.whole[TORCHSCRIPT])
    cause = decisive.cause(failed)
    assert cause is not None
    report.causes[TORCHSCRIPT] = cause
    told = " ".join(" ".join(next_steps.steps(report, None, None)).split())
    assert "return the tensors flat, as return x, *states" in told


class Quantised(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.fake_quantize_per_tensor_affine(x, 0.05, 10, 0, 255)


class QuantisedChannels(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scale, zero = (
            torch.tensor([0.05, 0.1, 0.02, 1]),
            torch.tensor([0, 1, 2, 3], dtype=torch.int),
        )
        return torch.fake_quantize_per_channel_affine(x, scale, zero, 1, 0, 255)


class Written(torch.nn.Module):
    """What scan says to write."""

    def forward(
        self, x: torch.Tensor, scale: Any = 0.05, zero_point: Any = 10, quant_min: int = 0
    ) -> torch.Tensor:
        quant_max = 255
        clamped = torch.clamp(torch.round(x / scale) + zero_point, quant_min, quant_max)
        written: torch.Tensor = (clamped - zero_point) * scale
        return written


class WrittenChannels(Written):
    def forward(self, x: torch.Tensor) -> torch.Tensor:  # type: ignore[override]
        return super().forward(x, torch.tensor([0.05, 0.1, 0.02, 1]), torch.tensor([0, 1, 2, 3]))


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("model", "written"), [(Quantised, Written), (QuantisedChannels, WrittenChannels)]
)
def test_fake_quantisation_at_other_sizes(model: Any, written: Any, tmp_path: Any) -> None:
    """PyTorch cannot trace it with dynamic dimensions; what scan says to write exports, and is the
    same.
    """
    place = Place("net.py", 3, "return torch.fake_quantize_per_tensor_affine(x)")
    target = Target("net", model(), (X,), sizes=((torch.randn(5, 4),),), axes={0: {0}})
    outcome = whole_model.try_exports(target, [DYNAMO], lambda _: None)[DYNAMO]
    assert outcome.is_of_unexplained_sizes
    called: Any = object()
    alone = SingleCalls(at_several_inputs={"dynamo": [called]}, stops={"dynamo": place})
    report = Report(target, {DYNAMO: outcome}, alone=alone)
    cause = where_to_look.cause(FailedExport(report, DYNAMO, outcome))
    assert "Write (torch.clamp(torch.round(x / scale) + zero_point" in cause.advice
    path, other = tmp_path / "net.onnx", torch.randn(7, 4) * 9
    with processes.quiet():
        shapes = {"x": {0: torch.export.Dim.AUTO}}
        torch.onnx.export(written(), (X,), path, dynamo=True, dynamic_shapes=shapes)
    (result,) = onnxruntime.InferenceSession(path).run(None, {"x": other.numpy()})
    torch.testing.assert_close(torch.tensor(result), model()(other))


def test_the_line_at_which_a_trace_stops_has_the_advice_on_its_error() -> None:
    error = RuntimeError("aten.fake_quantize_per_tensor_affine_cachemask.default")
    place = Place("net.py", 3, "y = observed(x)")
    told = stopped_traces.stop("dynamo", place, error).advice
    assert told.startswith("Write (torch.clamp")
    assert stopped_traces.stop("dynamo", place, None).advice == ""
    traced = TracedModel({}, {}, {"dynamo": error}, {"dynamo": place})
    report = Report(Target("net", Quantised(), (X,)), {DYNAMO: Outcome("export")}, traced=traced)
    assert told in str(stopped_traces.note(report, "dynamo", error))
