"""Which exports `onnxop scan` makes, as each costs seconds, and what it tells of calls that it cannot try."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop.errors import OnnxopError
from onnxop.scan import scan
from onnxop.scan.attempts import calls_to_try, single_calls, whole_model
from onnxop.scan.attempts.single_calls import Attempt
from onnxop.scan.calls import recorded_calls, traces
from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.model import other_inputs, target
from onnxop.scan.model.exports import Export, Progress
from onnxop.scan.pages import next_steps
from onnxop.scan.remedies import higher_opsets, starters
from onnxop.scan.report.findings import Finding
from onnxop.scan.report.report import Report
from onnxop.trial import trial
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome
from onnxop.trial.places import Place
from onnxop_runtime import processes
from onnxop_runtime.torch_internals import is_tracing
from tests.packages.scanning import NET, scanned
from tests.programs import program
from tests.warm import Warm

DYNAMO, TORCHSCRIPT = Export("dynamo", 20), Export("TorchScript", 20)


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (
            "Unsupported: ONNX export of operator unsafe_chunk, unknown dimension size.",
            "unsafe_chunk",
        ),
        ("Unsupported: ONNX export of operator aten::arange, with 7 arguments.", "arange"),
        ("Unsupported: ONNX export of operator Unfold, input size not accessible.", "unfold"),
        ("Unsupported: ONNX export of transpose for tensor of unknown rank.", "transpose"),
        ("ONNX export does not support exporting 'index_add_()' function with", "index_add"),
        ("Unsupported: ONNX export of operator of advanced indexing on tensor", None),
        ("Unsupported: ONNX export of operator prim::device, output type", None),
    ],
)
def test_the_operator_that_an_error_of_torchscript_names(error: str, named: str | None) -> None:
    operators = [op for op, _ in Outcome("export", error).named]
    assert operators == ([f"aten::{named}"] if named else [])


@pytest.mark.nightly
def test_an_error_about_one_call_blames_no_other(warm: Warm, tmp_path: Path) -> None:
    """Calls that TorchScript writes in pairs alone are no findings."""
    options = ["--static", "--exporter", "TorchScript"]
    _, output = scanned(program("scan/packed_and_chunked"), warm, tmp_path, *options)
    assert output["findings"] == []
    untried, _, blamed = "".join(output["next"]).partition("but the model fails at ")
    assert "not tried: aten::_pack_padded_sequence" in untried
    assert "aten::unsafe_chunk (net.py:16: parts = " in blamed
    assert "pad_packed_sequence" not in blamed


@pytest.mark.nightly
def test_a_right_file_of_a_higher_opset(warm: Warm, tmp_path: Path) -> None:
    """It is exported whole, and its call is told."""
    model = program("scan/packed_and_chunked") + "\n\nbuild = upper\n"
    options = ["--static", "--exporter", "TorchScript", "--opset", "11"]
    status, output = scanned(model, warm, tmp_path, *options)
    assert status == 0
    kinds = [(outcome["opset"], outcome["kind"]) for outcome in output["whole"]]
    assert kinds == [(11, "export"), (14, "right")]
    assert "opset_version=14, dynamo=False" in "".join(output["next"])


def calls_of(module: torch.nn.Module, *args: torch.Tensor) -> list[Attempt]:
    """Return the tries of the calls of a module in TorchScript."""
    with processes.quiet():
        return [Attempt(call, TORCHSCRIPT) for call in traces.calls_in_trace(Call(module, args))]


class Unruled(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y: torch.Tensor = torch.special.bessel_j0(x) + torch.special.bessel_j0(x[:2]).sum()
        y += torch.special.bessel_j0(x[:1])
        return y.relu()


def test_calls_without_a_rule_are_exported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With other arguments, they have the outcome that is known."""
    jobs = calls_of(Unruled(), torch.rand(4))
    exported: list[int] = []

    def run(works: Sequence[object]) -> Iterator[tuple[int, Outcome]]:
        for index, work in enumerate(works):
            exported.append(index)
            group = work.args[0]  # type: ignore[attr-defined]
            op = group[0].call.op
            why = f"UnsupportedOperatorError: Exporting the operator '{op}' is not supported"
            yield index, Outcome("export", why) if "bessel" in op else Outcome("right")

    monkeypatch.setattr(trial, "run_works", run)
    outcomes = [
        (job.call.op, out.kind) for job, out in single_calls.try_each(jobs, lambda _: None, "")
    ]
    assert outcomes.count(("aten::special_bessel_j0", "export")) == 3
    assert len(outcomes) == len(jobs)
    assert len(exported) == 2  # one of these, and one of all others together


@pytest.mark.parametrize(("written", "sizes"), [([], [1, 2, 6]), ([TORCHSCRIPT], [3, 6])])
def test_calls_of_a_written_model_are_tried_together(
    written: list[Export], sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each operator in it has a rule, such as its module registers: none is suspect for want of one."""
    jobs = calls_of(Unruled(), torch.rand(4))
    groups: list[int] = []

    def run(works: Sequence[object]) -> Iterator[tuple[int, Outcome]]:
        for index, work in enumerate(works):
            groups.append(len(work.args[0]))  # type: ignore[attr-defined]
            yield index, Outcome("right")

    monkeypatch.setattr(trial, "run_works", run)
    [*single_calls.try_each(jobs, lambda _: None, "", written=written)]
    assert groups == sizes


class Many(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        scaled: Any = (x + 1).relu().sigmoid() * x
        first, second = scaled.split(2)
        result: torch.Tensor = (first + second).tanh().neg().abs()
        return result


SORTED = "abs add add mul neg relu sigmoid split tanh".split()
OF_TANH = (
    f"run with other values: wrong results: output {SORTED.index('tanh') + 1}: 1 of 1 elements"
)


@pytest.mark.parametrize(
    "failure",
    [Outcome("export", "at 'aten::tanh'"), Outcome("example", OF_TANH, "values", then="values")],
    ids=["an operator", "a result"],
)
def test_the_calls_that_a_failure_names_are_divided_from_the_others(
    failure: Outcome, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A call before it has two results."""
    jobs = calls_of(Many(), torch.rand(4))
    groups: list[list[str]] = []

    def run(works: Sequence[object]) -> Iterator[tuple[int, Outcome]]:
        for index, work in enumerate(works):
            ops = [job.call.op for job in work.args[0]]  # type: ignore[attr-defined]
            groups.append(ops)
            yield index, failure if "aten::tanh" in ops else Outcome("right")

    monkeypatch.setattr(trial, "run_works", run)
    [*single_calls.try_each(jobs, lambda _: None, "")]
    every, blamed, others = groups
    assert every == [f"aten::{name}" for name in SORTED]
    assert blamed == ["aten::tanh"]
    assert len(others) == len(every) - 1


def test_higher_opsets_are_tried_where_they_may_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not where torch.export stops, nor between two that fail alike."""
    (call,) = [job.call for job in calls_of(torch.nn.ReLU(), torch.rand(4))]
    stopped = Report(NET, traced=TracedModel(errors={"dynamo": RuntimeError("stops")}))
    wrong = {DYNAMO: Outcome("values", "wrong"), TORCHSCRIPT: Outcome("values", "wrong")}
    stopped.findings = [Finding(call, wrong)]
    by_tracer = Report(NET)
    refused = Outcome("export", "data-dependent", is_of_tracer=True)
    by_tracer.findings = [Finding(call, {DYNAMO: refused})]
    tried: list[Export] = []

    def each(
        jobs: Sequence[Attempt], progress: Progress, label: str
    ) -> Iterator[tuple[Attempt, Outcome]]:
        for job in jobs:
            tried.append(job.export)
            yield job, Outcome("values", "wrong")

    monkeypatch.setattr(single_calls, "try_each", each)
    for report in (stopped, by_tracer):
        assert [*higher_opsets.of_calls(report, lambda _: None)] == []
    assert tried == [Export("TorchScript", trial.EXPORTERS["TorchScript"].stop - 1)]


def test_torch_export_is_known_to_refuse() -> None:
    class Branches(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x + 1 if x.sum() > 0 else x

    call = Call(Branches(), (torch.rand(3),))
    with processes.quiet():
        assert trial.try_export(call, "dynamo", 20).is_of_tracer


def test_no_starter_for_what_a_trace_takes_in_from_outside() -> None:
    """A constant of NumPy is none of an operator that a spec could mend."""
    (recorded,) = [job.call for job in calls_of(torch.nn.ReLU(), torch.rand(4))]
    lifted = replace(recorded, overload=torch.ops.aten.lift_fresh.default)
    with pytest.raises(OnnxopError, match="a file holds as a constant; compute it with PyTorch"):
        starters.starter_of(Finding(lifted, {}), [], [])


class Unrunnable(torch.nn.Module):
    """Raises where no exporter traces it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not (is_tracing() or torch.compiler.is_exporting()):
            raise RuntimeError("run again")
        return x * 2


@pytest.mark.parametrize("exporter", ["dynamo", "TorchScript"])
def test_known_results_are_not_computed_again(exporter: str) -> None:
    """For its own inputs and for others; those of a copy in float64 are not known."""
    trial.warm_up_exporters()
    first, other = torch.rand(2, 3), torch.rand(2, 3)
    known = tuple(((x,), [x * 2]) for x in (first, other))
    call = Call(Unrunnable(), (first,), others=((other,),), is_as_written=True, known=known)
    with processes.quiet():
        assert trial.try_export(call, exporter, 20) == Outcome("right")
        wrong = replace(call, known=(known[0], ((other,), [other * 3])))
        assert trial.try_export(wrong, exporter, 20).kind == "example"
    assert call.in_float64().known_results() is None
    assert call.with_tensors([first + 1]).known_results() is None


class Counting(torch.nn.Module):
    """Writes to a buffer, of which an export leaves other values."""

    seen: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.seen += 1
        return x * self.seen


@pytest.mark.parametrize(("model", "is_known"), [(torch.nn.ReLU(), True), (Counting(), False)])
def test_whose_results_are_known(model: torch.nn.Module, is_known: bool) -> None:
    """Those of each of its inputs, unless it writes to buffers."""
    net = target.Target("net", model, (torch.randn(2, 3),))
    found = scan.scan_model(net, [Export("TorchScript", 20)], lambda _: None).target
    sets = [(), *found.values, *found.sizes]
    assert len(sets) > 3
    assert len(found.known) == (len(sets) if is_known else 0)


class Cancelled(torch.nn.Module):
    """Has results that rounding changes, as large numbers cancel out."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return (x * 1e3 + 1e5).softmax(-1).cumsum(-1).log() + (x + 1e4) ** 2 - x**2 - 2e4 * x


def test_results_in_float64_serve_both_exporters() -> None:
    """The first export that needs them has them, unless it leaves out results."""
    trial.warm_up_exporters()
    x = torch.rand(4, 9)
    call = Call(Cancelled(), (x,), is_as_written=True)
    with processes.quiet():
        outcome = trial.try_export(call, "TorchScript", 20)
    ((tensors, exact),) = outcome.exact
    assert tensors[0].equal(x)
    assert exact[0].dtype == torch.float64
    net = target.Target("net", Cancelled(), (x,), known=(((x,), call.results()),))
    again = net.with_known([outcome]).call("dynamo")
    assert again.known_exact() == [*exact]
    assert again.with_tensors([x + 1]).known_exact() is None
    assert net.with_known([replace(outcome, dropped=(0,))]).exact == ()
    assert replace(net, known=()).with_known([outcome]).exact == ()


class ZeroedInside(torch.nn.Module):
    """Sets the columns between the first and the last one to zero; of two, there are none."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        zeroed = x.clone()
        zeroed[:, 1:-1] = 0
        return zeroed


def test_an_export_that_needs_dynamic_dimensions() -> None:
    """The TorchScript exporter fails to infer a shape of an empty slice, unless it is dynamic."""
    export = Export("TorchScript", 20)
    net = other_inputs.find_other_inputs(target.Target("net", ZeroedInside(), (torch.rand(2, 2),)))
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert outcome.is_right
    assert str(outcome).startswith("right with dynamic dimensions; else refused: RuntimeError: ")
    report = Report(net, {export: outcome})
    told = " ".join(" ".join(next_steps.steps(report, None, None)).split())
    assert "below: else the exporter refuses" in told
    assert 'input_names=["x"], dynamic_axes={"x": [0, 1]}.' in told


@pytest.mark.parametrize("is_eager_alone", [False, True])
def test_a_call_that_exports_do_not_run_is_refused(
    is_eager_alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A written file has a rule for each call in it, but not for those of lines that the model runs
    outside of exports alone.
    """
    refused = Outcome("export", "ONNX does not support include_self=False for scatter_reduce")
    monkeypatch.setattr(
        single_calls, "try_each", lambda attempts, *_: ((each, refused) for each in attempts)
    )
    relu = recorded_calls.calls_in_program(Call(torch.nn.ReLU(), (torch.rand(2),)))[0]
    lines = (Place("net.py", 3, "if torch.onnx.is_in_onnx_export():"),) if is_eager_alone else ()
    net = target.Target("net", torch.nn.ReLU(), (torch.rand(2),), export_only=lines)
    report = Report(net, {TORCHSCRIPT: Outcome("checker", "of other sizes")})
    attempt = Attempt(relu, TORCHSCRIPT)
    ((_, outcome),) = calls_to_try.try_each_alone(report, [attempt], lambda _: None)
    assert outcome == (refused if is_eager_alone else Outcome("right"))
