"""What tracers keep of the inputs, and the lines that `onnxop scan` names for it."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from onnxop.scan import scan
from onnxop.scan.attempts import whole_model
from onnxop.scan.calls import recorded_calls
from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.causes import other_exporter, trace_constants
from onnxop.scan.model import other_inputs, target
from onnxop.scan.model.exports import Export
from onnxop.scan.one_side.kept_sides import kept_sides
from onnxop.scan.report.report import KeptLines, Report
from onnxop.trial import trial
from onnxop.trial.call import Call, call_of_overload
from onnxop.trial.outcome import Kind, Outcome
from onnxop.trial.places import Place
from onnxop_runtime import processes
from onnxop_runtime.torch_internals import is_tracing
from tests.packages.scanning import NET


def test_inputs_that_pytorch_refuses_are_left_out() -> None:
    """As those of an index that a trace keeps: that is no error of ONNX Runtime's."""
    x = torch.rand(9, 4)
    last = torch.ops.aten.select.int
    call = call_of_overload(last, (x[:4], 0, 8), {}, (), None, [((x, 0, 8), {})])
    with processes.quiet():
        assert trial.try_export(call, "TorchScript", 20) == Outcome("right")


def test_a_slice_of_which_the_end_is_a_size() -> None:
    """A trace records it, as it does in a model."""
    x = torch.rand(2, 9)
    function = torch.ops.aten.slice.Tensor
    call = call_of_overload(function, (x, -1, 0, 5), {}, (), None, [((x, -1, 0, 6), {})])
    with processes.quiet():
        assert trial.try_export(call, "TorchScript", 20) == Outcome("right")


def test_a_condition_of_which_a_trace_keeps_one_side() -> None:
    """The first size beyond it is tried in the TorchScript exporter, too, which does not know it."""

    class Sides(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.relu() if x.shape[0] > 19 else -x

    trial.warm_up_exporters()
    export = Export("TorchScript", 20)
    net = other_inputs.find_other_inputs(target.Target("net", Sides(), (torch.rand(5),)))
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert (outcome.kind, outcome.fault) == ("example", "sizes")
    assert "run with float32[20]: wrong results" in outcome.why


def test_a_size_that_torch_export_makes_a_constant() -> None:
    """It is told as that, with its line; of conditions, the calls are tried on both sides."""

    class Steps(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return torch.linspace(0, 1, x.shape[0]) + x

    class Sides(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.relu() if x.shape[0] > 3 else x

    call = Call(Steps(), (torch.rand(7),), axes={0: {0}}, others=((torch.rand(6),),))
    with processes.quiet():
        outcome = trial.try_export(call, "dynamo", 20)
        recorded = recorded_calls.calls_in_program(
            Call(Sides(), (torch.rand(5),), axes={0: {0}}), [[torch.rand(n)] for n in (5, 2)]
        )
    assert outcome.fault == "specialised"
    assert "; torch.export specialised dimension 0 of x to 7 at " in outcome.why
    assert Path(__file__).name in outcome.why.rpartition(" at ")[2]
    assert [len(one.others) for one in recorded] == [1]


def test_a_computed_size_that_torch_export_makes_a_constant() -> None:
    """The dimension stays dynamic, so that the file is right for sizes of the same quotient. The line is told."""

    class Blocks(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return x + np.ones(x.shape[0] // 4).sum()

    same, other = (torch.rand(10),), (torch.rand(5),)
    call = Call(Blocks(), (torch.rand(9),), axes={0: {0}}, others=(same, other))
    with processes.quiet():
        outcome = trial.try_export(call, "dynamo", 20)
    assert (outcome.kind, outcome.fault) == ("example", "specialised")
    assert outcome.why.startswith("run with float32[5]: wrong results")
    fact = "; torch.export made a size that is computed of these a constant at "
    assert fact in outcome.why, outcome.why
    (line,) = outcome.lines
    assert line.code == "return x + np.ones(x.shape[0] // 4).sum()"


def test_a_trace_of_which_the_sizes_beyond_are_not_needed() -> None:
    """torch.export, which tells them, does not run if the file fails for the given sizes."""
    traces: list[torch.Tensor] = []

    class Sides(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            if torch.compiler.is_exporting():
                traces.append(x)
            return x.relu() if x.shape[0] > 19 else -x

    failing = Call(
        Sides(), (torch.rand(9),), axes={0: {0}}, others=((torch.rand(25),),), is_beyond=True
    )
    right = replace(failing, others=((torch.rand(5),),))
    with processes.quiet(), warnings.catch_warnings(action="ignore"):
        assert "run with float32[25]" in trial.try_export(failing, "TorchScript", 20).why
        assert not traces
        assert "run with float32[20]" in trial.try_export(right, "TorchScript", 20).why
        assert len(traces) == 1


_traces: list[torch.Tensor] = []  # of this process; forks have lists of their own


class Rotated(torch.nn.Module):
    """Calls an operator for which the TorchScript exporter has no rule."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if is_tracing():
            _traces.append(x)
        return x.rot90()


class Branches(torch.nn.Module):
    """Has a condition on data, at which torch.export stops."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if torch.compiler.is_exporting():
            _traces.append(x)
        return x.relu() if x.sum() > 0 else -x


@pytest.mark.nightly
@pytest.mark.parametrize(("kind", "refusing"), [(Rotated, "TorchScript"), (Branches, "dynamo")])
def test_traces_at_other_sizes_that_are_not_needed(kind: Any, refusing: str) -> None:
    """A refusal has its cause at the sizes of the example, where the trace stops, or where the other
    exporter is right.
    """
    _traces.clear()
    exports = [Export(exporter, 20) for exporter in ("dynamo", "TorchScript")]
    net = target.Target("net", kind().eval(), (torch.rand(5, 4),))
    scanned_net = scan.scan_model(net, exports, lambda _: None)
    assert scanned_net.target is not None
    assert scanned_net.target.sizes
    assert scanned_net.whole[Export(refusing, 20)].kind == "export"
    assert {tuple(x.shape) for x in _traces} == {(5, 4)}


def test_the_types_of_which_there_is_no_kernel() -> None:
    class Roots(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.double().tan()

    with processes.quiet():
        outcome = trial.try_export(Call(Roots(), (torch.rand(3),)), "TorchScript", 20)
    assert outcome.fault == "dtypes"
    assert outcome.why.endswith("; the dtypes of its inputs are float64")


def test_lines_that_a_trace_makes_constants() -> None:
    """Of a condition, one side is kept; of torch.tensor, nothing is told of a model that is right."""
    export = Export("TorchScript", 20)
    warned = {
        Place("net.py", 7, ""): "Converting a tensor to a Python boolean might",
        Place("net.py", 8, ""): "torch.tensor results are registered as constants in",
    }
    traced = TracedModel({}, warned)
    found = Report(NET, {export: Outcome("right")}, traced=traced)
    assert other_exporter.advice(found, "dynamo").endswith(" exports the model right")
    assert kept_sides(traced, NET) == []  # torch.export passes it: it depends on no data
    refused = replace(traced, errors={"dynamo": RuntimeError("data-dependent")})
    found.kept = KeptLines(tuple(kept_sides(refused, NET)))
    told = other_exporter.advice(found, "dynamo")
    assert told.endswith(" right. It keeps one side of the condition at net.py:7")
    told_lines: dict[Kind, str] = {"right": "net.py:7: ", "values": "net.py:7 and net.py:8: "}
    for outcome, lines in told_lines.items():
        found.whole[export] = Outcome(outcome)
        (note,) = trace_constants.notes(found)
        assert note.text.startswith(f"{lines}torch.jit.trace turns values into constants")
