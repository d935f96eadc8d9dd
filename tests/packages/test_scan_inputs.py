"""The inputs of other sizes and values that `onnxop scan` tries, and what it tells of those that fail."""

from __future__ import annotations

import warnings
from dataclasses import astuple, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from onnxop.scan import scan
from onnxop.scan.attempts import whole_model
from onnxop.scan.calls import model_calls, recorded_calls
from onnxop.scan.calls.model_calls import TracedModel
from onnxop.scan.calls.recorded_calls import RecordedCall
from onnxop.scan.causes import model_notes, other_exporter, quotients, trace_constants
from onnxop.scan.causes.facts import FACTS
from onnxop.scan.model import other_inputs, target
from onnxop.scan.model.exports import Export
from onnxop.scan.one_side.kept_sides import kept_sides
from onnxop.scan.remedies import last_remedies, remedies
from onnxop.scan.remedies.remedy_search import RemedySearch
from onnxop.scan.report.findings import Finding
from onnxop.scan.report.report import KeptLines, Report
from onnxop.starter import starter
from onnxop.trial import stability, trial
from onnxop.trial.call import Call, call_of_overload, resized
from onnxop.trial.outcome import Kind, Outcome
from onnxop.trial.places import Place
from onnxop_runtime import processes
from onnxop_runtime.torch_internals import is_tracing
from tests.packages.scanning import NET, scanned
from tests.programs import program
from tests.warm import Warm


def values(model: torch.nn.Module, *args: torch.Tensor) -> list[tuple[Any, ...]]:
    return [*other_inputs.find_other_inputs(target.Target("net", model.eval(), args)).values]


class Steep(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return (x * 1e6).sin()


class Rows(torch.nn.Module):
    """Takes its first argument as it is, and the others as indices or labels."""

    def forward(self, x: torch.Tensor, ids: torch.Tensor, offsets: torch.Tensor) -> Any:
        table = torch.ones(9, 2)
        bag = torch.nn.functional.embedding_bag(ids, table, offsets, mode="sum")
        return torch.floor_divide(offsets[:, None], 3), x.sigmoid(), bag


@pytest.mark.nightly
def test_large_values_of_both_signs() -> None:
    """A column of labels stays, and so do indices that PyTorch refuses otherwise; offsets stay in order, of which
    two may be equal.
    """
    x = torch.tensor([[1.0, 0.25, 0.75], [2.0, 0.5, 0.25]])
    found = values(Rows(), x, torch.tensor([3, 8, 2, 0]), torch.tensor([0, 2, 3]))
    (large, ids, offsets), _ = found[-2:]
    assert large.tolist() == [[1.0, -16.0, 16.0], [2.0, 0.0, -16.0]]
    assert (ids.tolist(), offsets.tolist()) == ([3, 8, 2, 0], [0, 2, 3])
    assert all(own[2].tolist() in ([0, 2, 3], [0, 0, 3]) for own in found)
    assert resized(torch.tensor([0, 2, 3]), 0, 5).tolist() == [0, 0, 2, 2, 3]
    assert resized(torch.tensor([3, 0, 2]), 0, 4).tolist() == [3, 0, 2, 3]


def test_offsets_are_not_negated() -> None:
    """Nor are positions, which begin with 0, too; other integers are."""

    class Sliced(torch.nn.Module):
        def forward(self, x: torch.Tensor, offsets: torch.Tensor) -> Any:
            return x[offsets[0] :].sum() + offsets

    x = torch.rand(12)
    assert all((own[1] >= 0).all() for own in values(Sliced(), x, torch.tensor([0, 3, 8])))
    for others in ([3, 0, 8], [2, 3, 8]):
        assert any((own[1] < 0).any() for own in values(Sliced(), x, torch.tensor(others)))


def test_values_that_pytorch_does_not_take() -> None:
    """Those of a logarithm stay above 0; those that rounding changes are left out."""

    class Log(torch.nn.Module):
        def forward(self, x: torch.Tensor, n: torch.Tensor) -> Any:
            return x.log() + n[:, None], n // 3

    x, n = torch.tensor([[0.5, 0.125]]), torch.tensor([7])
    (large, negated) = values(Log(), x, n)[-2]
    assert (large.tolist(), negated.tolist()) == ([[16.0, 4.0]], [-7])

    assert all(
        own[0].abs().max() <= 1 for own in values(Steep(), torch.linspace(-0.9, 0.8, 12))[:-1]
    )


class Cells(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x // 3


@pytest.mark.parametrize(
    "x", [torch.tensor([0.2, 0.9]), torch.tensor([5, 9])], ids=["floats", "integers"]
)
def test_a_division_that_is_right_above_0(x: torch.Tensor) -> None:
    """TorchScript's floor division truncates: for inputs of the example's sign it is right."""
    trial.warm_up_exporters()
    export = Export("TorchScript", 20)
    net = other_inputs.find_other_inputs(target.Target("net", Cells(), (x,)))
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert outcome.why.startswith("run with other values, from -")
    assert outcome.fault == "values"


class Slots(torch.nn.Module):
    """Adds each row to a slot, or writes it there."""

    def __init__(self, *, is_sum: bool = True) -> None:
        super().__init__()
        self.is_sum = is_sum

    def forward(self, rows: torch.Tensor, slot: torch.Tensor) -> Any:
        slots = torch.zeros(5, 3)
        return slots.index_add_(0, slot, rows) if self.is_sum else slots.index_copy(0, slot, rows)


def test_integers_that_repeat() -> None:
    """PyTorch adds both rows to a slot that is named twice, TorchScript's file keeps one."""
    trial.warm_up_exporters()
    exports = [Export("TorchScript", 20), Export("dynamo", 20)]
    args = torch.linspace(-1, 1, 12).view(4, 3), torch.arange(4)
    net = other_inputs.find_other_inputs(target.Target("net", Slots(), args))
    outcomes = whole_model.try_exports(replace(net, sizes=()), exports, lambda _: None)
    wrong, right = (outcomes[export] for export in exports)
    assert (wrong.kind, wrong.fault) == ("example", "values")
    assert "run with other values, from 0 to 3 in slot: wrong results: " in wrong.why
    assert right.kind == "right"


def test_where_integers_repeat() -> None:
    """Along each dimension in which none does; offsets stay in order, and the last one stays."""

    class Doubled(torch.nn.Module):
        def forward(self, slot: torch.Tensor, rows: torch.Tensor) -> Any:
            return slot * 2, rows * 2

    rows = torch.tensor([[1, 2, 1], [3, 4, 3]])
    tried = [(a.tolist(), b.tolist()) for a, b in values(Doubled(), torch.tensor([0, 3, 8]), rows)]
    assert ([0, 0, 8], [[1, 2, 1], [3, 4, 3]]) in tried
    tried = [(a.tolist(), b.tolist()) for a, b in values(Doubled(), torch.tensor([5, 2]), rows.T)]
    assert ([5, 5], [[1, 3], [2, 4], [1, 3]]) in tried


@pytest.mark.parametrize(
    "write",
    [
        pytest.param(lambda x, at, v: torch.ops.aten.index_put(x, [None, at], v), id="index_put"),
        pytest.param(lambda x, at, v: x.index_copy(1, at, v), id="index_copy"),
        pytest.param(lambda x, at, v: x.scatter(1, at.expand(2, 3), v), id="scatter"),
        pytest.param(lambda x, at, v: x.put(at, v[0]), id="put"),
    ],
)
def test_integers_that_repeat_where_the_last_write_stays(write: Any) -> None:
    """PyTorch leaves the order of unequal values open; equal ones have none."""

    class Written(torch.nn.Module):
        def forward(self, x: torch.Tensor, at: torch.Tensor, written: torch.Tensor) -> Any:
            return write(x, at, written)

    x, at = torch.zeros(2, 5), torch.tensor([3, 1, 4])
    for written, is_tried in ((torch.rand(2, 3), False), (torch.ones(2, 3), True)):
        tried = [own[1].tolist() for own in values(Written(), x, at, written)]
        assert ([3, 3, 4] in tried) == is_tried


class Missing(torch.nn.Module):
    """Takes NaNs of its first input as values that are missing."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        return torch.nanmean(x, 1), x.amax(1) + y


def test_a_nan_where_the_model_asks_for_it() -> None:
    """In PyTorch the maximum of a NaN is NaN, in ONNX Runtime it is another value."""
    trial.warm_up_exporters()
    export = Export("dynamo", 20)
    args = torch.linspace(-1, 1, 12).view(2, 6), torch.rand(2)
    net = other_inputs.find_other_inputs(target.Target("net", Missing(), args))
    (own,) = [own for own in net.values if own[0].isnan().any()]
    assert (own[0].isnan().sum(), own[1].isnan().sum()) == (1, 0)
    outcome = whole_model.try_exports(replace(net, sizes=()), [export], lambda _: None)[export]
    assert (outcome.kind, outcome.fault) == ("example", "values")
    assert "run with other values, from -1 to 1 and NaN in x: wrong results: " in outcome.why


@pytest.mark.parametrize(
    ("ask", "is_asked"),
    [
        (lambda x: x[x != x], True),  # noqa: PLR0124
        (lambda x: torch.where(x.isnan(), 0.0, x), True),
        (lambda x: x.nanquantile(0.5, dim=0), True),
        (lambda x: x.quantile(0.5, dim=0), False),
        (lambda x: x.relu(), False),
        (lambda x: x.nan_to_num() if x.isnan().any() else x * 2, False),
        (lambda x: x.nan_to_num() if not x.isnan().any() else x.nan_to_num().item(), False),
    ],
    ids=["ne", "isnan", "nanquantile", "quantile", "relu", "condition", "raises"],
)
def test_where_a_nan_is_tried(ask: Any, is_asked: bool) -> None:
    """In no model that does not ask for it, as what ONNX's functions make of one is free, nor in one that raises or
    that takes another side of a condition, which is told of as such.
    """

    class Asking(torch.nn.Module):
        def forward(self, x: torch.Tensor) -> Any:
            return ask(x)

    assert any(own[0].isnan().any() for own in values(Asking(), torch.rand(4, 3))) == is_asked


class Attended(torch.nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> Any:
        return torch.nn.functional.scaled_dot_product_attention(x, x, x, attn_mask=mask)


def test_a_mask_without_true_values() -> None:
    """PyTorch's results are 0 there, those of the dynamo exporter's rule are not."""
    trial.warm_up_exporters()
    export = Export("dynamo", 20)
    args = torch.linspace(-1, 1, 24).view(1, 2, 3, 4), torch.ones(1, 1, 1, 3, dtype=torch.bool)
    net = other_inputs.find_other_inputs(target.Target("net", Attended(), args))
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert (outcome.kind, outcome.fault) == ("example", "values")
    assert "run with other values, all 0 in mask: wrong results: " in outcome.why


class Gathered(torch.nn.Module):
    """Takes the last value of each padded sequence."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> Any:
        return x[torch.arange(len(x)), mask.sum(-1).long() - 1]


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.bool], ids=str)
def test_a_mask_of_ones_is_tried_with_padded_sequences(dtype: torch.dtype) -> None:
    """Other signs of ones are no other mask, and in any order they are the same one."""
    found = values(Gathered(), torch.rand(2, 5), torch.ones(2, 5, dtype=dtype))
    _, mask = found[0]
    assert mask.tolist() == [[1, 1, 1, 0, 0]] * 2


class Pooled(torch.nn.Module):
    """Takes the mean of what the mask shows, and 0 of nothing."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> Any:
        shown = mask.unsqueeze(-1).float()
        return (x * shown).sum(1) / shown.sum(1).clamp(min=1e-9)


@pytest.mark.parametrize("dtype", [torch.int64, torch.float32, torch.bool], ids=str)
@pytest.mark.parametrize(
    ("mask", "hidden"),
    [
        ([[1, 1, 1]] * 2, [[1, 1, 1], [0, 0, 0]]),
        ([[1, 1, 1]], [[0, 0, 0]]),
        ([[1, 1, 0], [1, 0, 0]], [[1, 1, 0], [0, 0, 0]]),
    ],
    ids=["two", "one", "padded"],
)
def test_a_mask_that_hides_a_sequence(
    dtype: torch.dtype, mask: list[list[int]], hidden: list[list[int]]
) -> None:
    """The last one, or the only one. Masks of ones are not negated."""
    x = torch.rand(len(mask), 3, 2)
    masks = [own[1].tolist() for own in values(Pooled(), x, torch.tensor(mask, dtype=dtype))]
    assert hidden in masks
    assert [[-1, -1, -1]] * len(mask) not in masks


class Shown(torch.nn.Module):
    """Adds one where each sequence has a value to show."""

    def forward(self, x: torch.Tensor, mask: torch.Tensor) -> Any:
        total = (x * mask.unsqueeze(-1)).sum(1)
        return total + 1 if mask.sum(1).min() > 0 else total


def test_a_file_that_is_wrong_where_a_mask_hides_all() -> None:
    """A trace keeps the side of the condition that masks with a one reach."""
    trial.warm_up_exporters()
    export = Export("TorchScript", 20)
    args = torch.rand(2, 4, 3), torch.ones(2, 4, dtype=torch.int64)
    net = other_inputs.find_other_inputs(target.Target("net", Shown(), args))
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert (outcome.kind, outcome.fault) == ("example", "values")
    assert "run with other values, from 0 to 1 in mask: wrong results: " in outcome.why


class Culprit(torch.nn.Module):
    """Of several inputs, the values of one decide whether a trace is right."""

    def forward(self, a: torch.Tensor, b: torch.Tensor, c: torch.Tensor, mask: torch.Tensor) -> Any:
        total = a + b + c
        return total if mask.all() else total.flip(0)


def test_the_input_that_alone_makes_a_file_wrong() -> None:
    """The others are named only if none does alone."""
    trial.warm_up_exporters()
    args = (*(torch.tensor([3, 5, 9]) + n for n in range(3)), torch.ones(3, dtype=torch.bool))
    other = *(tensor + 1 for tensor in args[:3]), torch.zeros(3, dtype=torch.bool)
    with processes.quiet():
        outcome = trial.try_export(Call(Culprit(), args, others=(other,)), "TorchScript", 20)
    assert outcome.why.startswith("run with other values, all 0 in mask: wrong results: ")
    assert [tensor.tolist() for tensor in outcome.inputs[:3]] == [t.tolist() for t in args[:3]]

    class Both(torch.nn.Module):
        def forward(self, a: torch.Tensor, b: torch.Tensor) -> Any:
            return a - b if a.sum() > 9 and b.sum() > 9 else a + b

    args, other = (torch.ones(3), torch.ones(3)), (torch.full((3,), 4.0), torch.full((3,), 5.0))
    with processes.quiet():
        outcome = trial.try_export(Call(Both(), args, others=(other,)), "TorchScript", 20)
    assert outcome.why.startswith("run with other values, all 4 in a, all 5 in b: wrong results: ")


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


def test_an_overflow_of_what_rounding_decides() -> None:
    """It is none if PyTorch's result in float64 is another."""
    call = Call(Steep(), (torch.tensor([0.7, 0.0]),))
    (result,) = call.results()
    why = stability.outcome_by_finiteness(call, [torch.full_like(result, torch.nan)], [result]).why
    assert why == "output 0: 1 of 2 elements are infinite or NaN, such as nan instead of 0.0"


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
