"""The inputs of other sizes and values that `onnxop scan` tries, and what it tells of those that fail."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import torch

from onnxop.scan.attempts import whole_model
from onnxop.scan.model import other_inputs, target
from onnxop.scan.model.exports import Export
from onnxop.trial import stability, trial
from onnxop.trial.call import Call, resized
from onnxop_runtime import processes


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


def test_an_overflow_of_what_rounding_decides() -> None:
    """It is none if PyTorch's result in float64 is another."""
    call = Call(Steep(), (torch.tensor([0.7, 0.0]),))
    (result,) = call.results()
    why = stability.outcome_by_finiteness(call, [torch.full_like(result, torch.nan)], [result]).why
    assert why == "output 0: 1 of 2 elements are infinite or NaN, such as nan instead of 0.0"
