"""What `onnxop scan` knows of the exporters' own rules: for which values they are wrong, and what to write instead."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop.scan import scan
from onnxop.scan.attempts import whole_model
from onnxop.scan.calls import model_calls, recorded_calls
from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.calls.recorded_calls import RecordedCall
from onnxop.scan.causes import model_notes, quotients
from onnxop.scan.causes.facts import FACTS
from onnxop.scan.model import other_inputs, target
from onnxop.scan.model.exports import Export
from onnxop.scan.remedies import last_remedies, remedies
from onnxop.scan.remedies.remedy_search import RemedySearch
from onnxop.scan.report.findings import Finding
from onnxop.scan.report.report import Report
from onnxop.starter import starter
from onnxop.trial import trial
from onnxop.trial.call import Call
from onnxop.trial.outcome import Outcome
from onnxop.trial.places import Place
from onnxop_runtime import processes
from tests.packages.scanning import NET, scanned
from tests.programs import program
from tests.warm import Warm

INEXACT = FACTS["inexact"]


@pytest.mark.parametrize(
    ("op", "exporter"),
    [
        pytest.param(op, name, marks=[pytest.mark.everything] * (op != "aten::expm1"))
        for op, fact in INEXACT.items()
        for name in fact["exporters"]
        if "floats" in fact
    ],
)
def test_what_is_known_of_an_exporter_s_rule(op: str, exporter: str) -> None:
    """It is wrong for the floats, and the gallery's spec is right for them."""
    trial.warm_up_exporters()
    call: Any = getattr(torch.ops.aten, op.removeprefix("aten::"))
    tensors = [torch.tensor([[number]]) for number in INEXACT[op]["floats"]]

    class Net(torch.nn.Module):
        def forward(self, *tensors: torch.Tensor) -> Any:
            return call(*tensors) * 1e5

    specs = [starter.write_spec(op).text] * ("gallery" in INEXACT[op]["text"])
    with processes.quiet():
        assert trial.try_export(Call(Net(), (*tensors,)), exporter, 20).kind == "values"
        for spec in specs:
            rules = trial.Rules(specs=(spec,))
            assert trial.try_export(Call(Net(), (*tensors,)), exporter, 20, rules).is_right


QUOTIENTS: dict[str, tuple[Any, Any]] = {
    "floor": (lambda x, y: torch.div(x, y, rounding_mode="floor"), lambda x, y: x // y),
    "trunc": (
        lambda x, y: torch.div(x, y, rounding_mode="trunc"),
        lambda x, y: (x - torch.fmod(x, y)) // y,
    ),
}


@pytest.mark.parametrize("mode", QUOTIENTS)
def test_what_is_known_of_a_rule_for_integers(mode: str) -> None:
    """The dynamo exporter divides them in float32. Scan says so, and what it advises is right."""
    fact, export = INEXACT["aten::div"], Export("dynamo", 20)
    divided, advised = QUOTIENTS[mode]
    x, y = (torch.tensor([number]) for number in fact["integers"])

    class Net(torch.nn.Module):
        def __init__(self, function: Any) -> None:
            super().__init__()
            self.function = function

        def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
            return self.function(x, y)

    with processes.quiet():
        wrong = trial.try_export(Call(Net(divided), (x, y)), *astuple(export))
        assert wrong.kind == "values"
        assert trial.try_export(Call(Net(advised), (x, y)), *astuple(export)).is_right
        calls = recorded_calls.calls_in_program(Call(Net(divided), (x, y)))
        plain = recorded_calls.calls_in_program(Call(Net(torch.div), (x, y)))
    assert f'rounding_mode="{mode}"' in fact["text"]
    for traced, count in ((calls, 1), (plain, 0)):
        report = Report(NET, {export: Outcome("right")}, traced=TracedModel({"dynamo": traced}))
        assert len(model_notes.of_inexact(report)) == count


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("y = a // b", "Write (a - a % b) // b, which is right in both."),
        ("y = -n // 4", "Write -((n + 3) // 4), which is right in both."),
        ("y = a.floor_divide(b)", "Write (a - a % b) // b for a // b, which is right in both."),
    ],
)
def test_a_quotient_that_files_round_to_zero(code: str, told: str, tmp_path: Path) -> None:
    """What to write is told once, as the line's own expression where that is known."""
    file = tmp_path / "net.py"
    file.write_text(f"{code}\n", encoding="utf-8")
    numbers = torch.tensor([-7, 7]), torch.tensor([4, 4])
    call = RecordedCall(torch.ops.aten.floor_divide.default, numbers, {}, frozenset())
    call.places.append(Place(str(file), 1, code))
    traced = TracedModel({"TorchScript": [call]})
    report = Report(NET, {Export("TorchScript", 20): Outcome("values")}, traced=traced)
    (note,) = quotients.notes(report)
    assert told in note.text
    assert note.text.count("//") == code.count("//") + told.count("//") + 1  # -7 // 4


@pytest.mark.slow
@pytest.mark.parametrize("compute", [torch.amax, torch.argmax])
@pytest.mark.parametrize("exporter", ["dynamo", "TorchScript"])
def test_nan_in_a_maximum_of_onnx_runtime(exporter: str, compute: Any) -> None:
    """It is left out, as FIND.md says."""
    trial.warm_up_exporters()

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return compute(x, 1)

    with_nan = torch.tensor([[1.0, 3.0, torch.nan, 2.0]])
    with processes.quiet():
        assert trial.try_export(Call(Net(), (with_nan,)), exporter, 20).kind == "values"
        assert trial.try_export(Call(Net(), (torch.rand(1, 4),)), exporter, 20).kind == "right"


@pytest.mark.parametrize("exporter", ["dynamo", "TorchScript"])
def test_the_rule_of_a_remainder_of_integers_by_a_float(exporter: str) -> None:
    """It rounds as for floats, from about 1e7 on; the gallery's spec is exact there, too."""
    trial.warm_up_exporters()

    class Net(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return x % 2.5

    call = Call(Net(), (torch.arange(10_000_000, 10_000_050),))
    rules = trial.Rules(specs=(starter.write_spec("aten::remainder").text,))
    with processes.quiet():
        assert trial.try_export(call, exporter, 20).kind == "values"
        assert trial.try_export(call, exporter, 20, rules).kind == "right"


def test_a_call_of_an_inexact_rule_is_noted() -> None:
    """Of floats, and where the call has no finding."""
    export = Export("TorchScript", 20)
    tensors = torch.ones(2), torch.ones(2, dtype=torch.int64)
    divide = torch.ops.aten.floor_divide.default
    made = [RecordedCall(divide, (x, x), {}, frozenset()) for x in tensors]
    for number, call in enumerate(made):
        call.places.append(Place("net.py", number, "x // x"))
    found = Report(NET, {export: Outcome("right")}, traced=TracedModel({"TorchScript": made}))
    (note,) = model_notes.of_inexact(found)
    assert note.text.startswith(
        "TorchScript, opset 20: aten::floor_divide (net.py:0: x // x) is another "
    )
    by_number = RecordedCall(
        torch.ops.aten.remainder.Scalar,
        (tensors[1], 2.5),
        {},
        frozenset(),
        [Place("net.py", 7, "x % 2.5")],
    )
    of_number = Report(NET, dict(found.whole), traced=TracedModel({"TorchScript": [by_number]}))
    (note,) = model_notes.of_inexact(of_number)  # of integers, which PyTorch divides as floats
    assert "aten::remainder (net.py:7: x % 2.5) is another remainder" in note.text
    found.findings = [Finding(made[1], {export: Outcome("values")})]
    assert model_notes.of_inexact(found) == []


class Added(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return torch.logaddexp(x, x.flip(1)).relu(), x.exp(), x.softmax(1).log()


@pytest.mark.nightly
def test_an_overflow_within_an_operator() -> None:
    """Of the model and of its calls, for inputs of 1000: exp is infinite in PyTorch, too, and logaddexp is not."""
    trial.warm_up_exporters()
    export = Export("dynamo", 20)
    net = other_inputs.find_other_inputs(
        target.Target("net", Added(), (torch.linspace(-1, 1, 12).view(3, 4),))
    )
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert outcome.fault == "values"
    assert " wrong results: output 0: 8 of 12 elements are infinite or NaN, such as " in outcome.why
    with processes.quiet():
        recorded, _ = model_calls.calls_at_several_inputs(net, "dynamo")
        outcomes = {one.op: trial.try_export(one.as_model_call(), "dynamo", 20) for one in recorded}
    assert [op for op, outcome in outcomes.items() if not outcome.is_right] == ["aten::logaddexp"]
    assert "from -1000 to 1000 in input 0" in outcomes["aten::logaddexp"].why


LARGE = program("scan_inputs/large")


@pytest.mark.everything
def test_what_overflows_for_large_values(warm: Warm, tmp_path: Path) -> None:
    _, found = scanned(LARGE, warm, tmp_path)
    findings = {one["op"]: one["remedies"] for one in found["findings"]}
    told = {text["text"] for one in findings.values() for text in one if text["kind"] == "rewrite"}
    assert told == {f"in the model, {FACTS['instead'][op]}" for op in findings}


ARGSORT: Any = torch.ops.aten.argsort.stable, (torch.tensor([[2.0, 1.0, 2.0]]),), {"stable": True}
PACK: Any = (
    torch.ops.aten._pack_padded_sequence.default,
    (torch.rand(2, 5, 4), torch.tensor([5, 3]), True),
    {},
)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("call", "kind", "text"),
    [
        (ARGSORT, "rewrite", f"in the model, {FACTS['instead']['aten::argsort']}"),
        (
            PACK,
            "none",
            "no spec helps: in the model, call pack_padded_sequence and pad_packed_sequence, both",
        ),
    ],
    ids=["argsort", "pack"],
)
def test_a_change_of_the_model_needs_no_spec(call: Any, kind: str, text: str) -> None:
    """No skeleton is written: after a change, the next scan proposes the spec of the operator called instead."""
    trial.warm_up_exporters()
    export = Export("TorchScript", 20)
    overload, args, kwargs = call
    recorded = RecordedCall(overload, args, kwargs, frozenset())
    with processes.quiet():
        wrong = {export: trial.try_export(recorded.as_model_call(), "TorchScript", 20)}
    found = Report(NET, wrong, traced=TracedModel({"TorchScript": [recorded]}))
    found.findings = [Finding(recorded, wrong)]
    specs = remedies.find_remedies(found, {}, lambda _: None)
    assert [(one.kind, one.text) for one in found.findings[0].remedies] == [(kind, text)]
    assert (specs.helping, specs.unfinished) == ({}, {})


@pytest.mark.parametrize("exporter", ["dynamo", "TorchScript"])
def test_what_to_write_instead_of_linspace(exporter: str) -> None:
    """torch.export makes its number of steps a constant, but not that of torch.arange."""
    code = FACTS["instead"]["aten::linspace"]

    class Steps(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            values = {"start": -1.0, "end": 2.0, "steps": x.shape[0]}
            return x + eval(code, {"torch": torch}, values)

    x, y = torch.rand(7), torch.rand(5)
    torch.testing.assert_close(Steps()(x), x + torch.linspace(-1, 2, 7))
    with processes.quiet():
        outcome = trial.try_export(Call(Steps(), (x,), axes={0: {0}}, others=((y,),)), exporter, 20)
    assert outcome == Outcome("right")


class Angles(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.view_as_complex(x).angle()


@pytest.mark.nightly
def test_the_other_exporter_if_the_model_passes_there() -> None:
    """A call of complex numbers alone does not. It is no way out if the model has calls there without a remedy."""
    wanted = [Export("dynamo", 20), Export("TorchScript", 20)]
    net = target.Target("net", Angles().eval(), (torch.rand(3, 2),))
    found = scan.scan_model(net, wanted, lambda _: None, is_static=True)
    remedies.find_remedies(found, {}, lambda _: None)
    keys = {finding: finding.op for finding in found.findings}
    search = RemedySearch(found, {}, lambda _: None, keys=keys)
    assert {one.op for one in found.findings} == {"aten::view_as_complex", "aten::angle"}
    for finding in found.findings:
        assert [remedy.text for remedy in finding.remedies] == ["the dynamo exporter"]
        search.specs.refused[finding.op] = f"{finding.op}: no spec helps"
        last = last_remedies.of_finding(search, finding, {wanted[0]})
        assert [remedy.text for remedy in last] == ["no spec helps"]


@pytest.mark.nightly
def test_equal_integers_of_other_inputs() -> None:
    """Their order is free, as that of the example's own is: a larger input repeats its integers."""

    class Highest(torch.nn.Module):
        def forward(self, x: torch.Tensor, ids: torch.Tensor) -> Any:
            return x.argsort(-1), torch.eye(9)[ids]

    trial.warm_up_exporters()
    x = torch.tensor([[5, 1, 9, 3, 7, 2, 8, 30, 12, 15, 14, 11, 40, 41, 42, 55, 60, 61]])
    export = Export("TorchScript", 20)
    net = other_inputs.find_other_inputs(
        target.Target("net", Highest(), (x, torch.tensor([8, 8, 0])))
    )
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert (outcome.kind, outcome.why) == ("order", "output 0: 4 of 38 elements differ")


REWRITTEN = LARGE.replace("F.logsigmoid(x)", "-F.softplus(-x)").replace(
    "F.binary_cross_entropy_with_logits(x, y)",
    "F.softplus(x) - x * y",
)


@pytest.mark.nightly
def test_what_is_written_instead(warm: Warm, tmp_path: Path) -> None:
    assert scanned(REWRITTEN, warm, tmp_path)[0] == 0
