"""Models at other sizes and values of their inputs, and random ones."""

from __future__ import annotations

import sys
import warnings
from dataclasses import replace
from typing import Any

import pytest
import torch

from onnxop.errors import OnnxopError
from onnxop.scan.attempts import whole_model
from onnxop.scan.model import other_inputs, target
from onnxop.scan.model.exports import Export
from onnxop.trial import compared_sizes, places, trial
from onnxop.trial.call import Call, Untied
from onnxop_runtime import processes
from tests.programs import program


def test_inputs_of_other_sizes_and_values() -> None:
    """Every dimension that PyTorch takes larger, no two of one size where they need not be."""

    class Net(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(3, 2)

        def forward(self, x: Any, lengths: Any, *, y: Any) -> Any:
            return self.linear(x)[lengths] + y, x.reshape(-1, 4)

    x, y = torch.randn(1, 4, 4, 3), torch.rand(2, 4, 4, 2)
    net = target.Target("net", Net().eval(), (x, torch.tensor([0, 0])), {"y": y})
    changed = other_inputs.find_other_inputs(net)
    (larger, lengths, other), *_, fewest = changed.sizes
    assert [tuple(tensor.shape) for tensor in fewest] == [(1, 2, 2, 3), (2,), (2, 2, 2, 2)]
    assert (larger.shape, lengths.shape, other.shape) == ((2, 5, 8, 3), (3,), (3, 5, 8, 2))
    assert {at: [*dims] for at, dims in changed.axes.items()} == {
        0: [0, 1, 2],
        1: [0],
        2: [0, 1, 2],
    }
    (turned, same, _), *_ = changed.values
    assert turned.equal(-x.flip(1))
    assert same.equal(torch.tensor([0, 0]))
    auto = torch.export.Dim.AUTO
    named = replace(net, dynamic_shapes=({1: auto}, None, {1: auto}))
    larger, lengths, other = other_inputs.find_other_inputs(named).sizes[0]
    assert (larger.shape, other.shape) == ((1, 5, 4, 3), (2, 5, 4, 2))
    with pytest.raises(
        OnnxopError, match="net: torch.export rejects its dynamic_shapes: UserError: "
    ):
        other_inputs.find_other_inputs(replace(net, dynamic_shapes=[{0: "n"}]))


class Rolled(torch.nn.Module):
    """Rolls by 5: of sizes above 4, TorchScript's file does so, too."""

    def forward(self, x: torch.Tensor) -> Any:
        return x - x.roll(5, -1)


class Halves(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> Any:
        return x.reshape(2, -1)


@pytest.mark.nightly
def test_a_size_that_is_much_smaller() -> None:
    """Of dimensions that are 8 or more: less than half of these is more than 3."""
    trial.warm_up_exporters()
    exports = [Export("TorchScript", 20), Export("dynamo", 20)]
    net = other_inputs.find_other_inputs(target.Target("net", Rolled(), (torch.rand(2, 12),)))
    assert [tuple(x.shape) for (x,) in net.sizes] == [(3, 13), (2, 5), (5, 15), (2, 3)]
    outcomes = whole_model.try_exports(replace(net, values=()), exports, lambda _: None)
    wrong, right = (outcomes[export] for export in exports)
    assert (wrong.kind, wrong.fault) == ("example", "sizes")
    assert "with dynamic dimensions, run with float32[2, 3]: wrong results: " in wrong.why
    assert str(right) == "right"


def smallest_of_all(x: torch.Tensor) -> torch.Tensor:
    """Return the least value everywhere, after as many steps as there are values."""
    for _ in range(x.size(0)):
        x = torch.minimum(x, torch.cat([x[-1:], x[:-1]]))
    return x


class Smallest(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            self.smallest: Any = torch.jit.script(smallest_of_all)

    def forward(self, x: torch.Tensor) -> Any:
        return self.smallest(x)


@pytest.mark.nightly
def test_a_loop_that_an_exporter_unrolls() -> None:
    """It has the steps that the export's size needs, which are enough for smaller ones."""
    trial.warm_up_exporters()
    exports = [Export("TorchScript", 20), Export("dynamo", 20)]
    net = target.Target("net", Smallest(), (torch.arange(6.0, 0, -1),))
    net = other_inputs.find_other_inputs(net)
    assert [x.shape[0] for (x,) in net.sizes] == [7, 2, 9]
    outcomes = whole_model.try_exports(replace(net, values=()), exports, lambda _: None)
    right, wrong = (outcomes[export] for export in exports)
    assert right.kind == "right"
    assert (wrong.kind, wrong.fault) == ("example", "specialised")
    assert "run with float32[9]: wrong results: " in wrong.why


class Sum(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> Any:
        return x + y


def test_dimensions_of_several_inputs_are_enlarged_again() -> None:
    net = target.Target("net", Sum(), (torch.rand(6), torch.rand(6)))
    sizes = other_inputs.find_other_inputs(net).sizes
    assert [(len(x), len(y)) for x, y in sizes] == [(7, 7), (2, 2), (9, 9)]


@pytest.mark.parametrize(
    ("model", "smallest"),
    [
        (torch.nn.AvgPool1d(2, 1), 3),
        (torch.nn.AvgPool1d(2), 6),  # 3 becomes 1, which may be broadcast
        (Halves(), 2),  # 9 values are no two halves
        (torch.nn.AvgPool1d(5), 6),
    ],
    ids=["overlapping", "pairs", "halves", "wide"],
)
def test_the_smallest_size(model: torch.nn.Module, smallest: int) -> None:
    """PyTorch takes it, and no size within the model becomes 1."""
    changed = other_inputs.find_other_inputs(target.Target("net", model, (torch.rand(3, 16),)))
    assert min(x.shape[1] for (x,) in changed.sizes) == smallest


def test_dimensions_that_are_computed_of_others() -> None:
    """The second size keeps what dynamic_shapes say: the relation, and the bounds."""

    class Both(torch.nn.Module):
        def forward(self, x: Any, y: Any) -> Any:
            return torch.cat([x, x])[1:] + y

    class Fours(torch.nn.Module):
        def forward(self, x: Any) -> Any:
            return x.view(-1, 4, 3).sum(1)

    n, few = torch.export.Dim("n", min=2, max=64), torch.export.Dim("few", min=2, max=3)

    def second(model: torch.nn.Module, *shapes: Any, like: Any) -> list[list[int]]:
        args = tuple(torch.rand(shape) for shape in shapes)
        net = target.Target("net", model, args, dynamic_shapes=like)
        return [
            [*tensor.shape]
            for tensors in other_inputs.find_other_inputs(net).sizes
            for tensor in tensors
        ]

    assert second(Both(), [3, 4], [5, 4], like=({0: n}, {0: 2 * n - 1})) == [
        [4, 4],
        [7, 4],
        [2, 4],
        [3, 4],
    ]
    assert second(Fours(), [8, 3], like=({0: 4 * n},)) == [[12, 3]]
    assert second(torch.nn.ReLU(), [3, 4], like=({0: few},)) == [[2, 4]]


LOOPS = program("scan/loops")


def varied(name: str) -> target.Target:
    space: dict[str, Any] = {}
    exec(LOOPS, space)  # noqa: S102 - of this file
    return other_inputs.find_other_inputs(target.Target(name, *space[name]()))


def test_dimensions_of_several_inputs_grow_together() -> None:
    """And integers have other values."""
    e, mask = varied("loop").sizes[0]
    assert (e.shape, mask.shape) == ((3, 5, 6), (3, 5))
    assert [int(k) for _, k in varied("baked").values] == [2, -3, 3]


@pytest.mark.parametrize(
    ("name", "exporter", "why"),
    [
        (
            "loop",
            "dynamo",
            "exported from float32[3, 5, 6], float32[3, 5] with dynamic dimensions, run with ",
        ),
        (
            "loop",
            "TorchScript",
            "exported from float32[3, 5, 6], float32[3, 5] with dynamic dimensions, run with ",
        ),
        ("baked", "TorchScript", "all 2 in k: wrong results: "),
        ("wide", "dynamo", "; torch.export guards on dimension 1 of x <= 12"),
    ],
)
@pytest.mark.everything
def test_what_an_exporter_keeps_of_the_first_inputs(name: str, exporter: str, why: str) -> None:
    """Sizes that Python loops over or compares, and integers that it reads."""
    trial.warm_up_exporters()
    export = Export(exporter, 20)
    outcome = whole_model.try_exports(varied(name), [export], lambda _: None)[export]
    assert outcome.kind == "example"
    assert why in outcome.why


def test_the_program_is_no_users_code() -> None:
    assert places.is_users(__file__)
    assert not places.is_users(sys.argv[0])


class Guarded(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.shape[1] > 12 else x + 1


def test_sizes_beyond_a_guard_are_asked_of_torch_export_once() -> None:
    """The dynamo exporter's program has the bounds, and the TorchScript exporter's file is tried there, too."""
    trial.warm_up_exporters()
    net = other_inputs.find_other_inputs(target.Target("net", Guarded(), (torch.rand(2, 8),)))
    call = net.dynamic("dynamo")
    assert call is not None
    with processes.quiet():
        outcome = trial.try_export(call, "dynamo", 20)
    assert (outcome.kind, outcome.beyond is None) == ("example", False)
    known = net.with_known([outcome])
    traced, again = known.dynamic("TorchScript"), known.dynamic("dynamo")
    assert traced is not None
    assert again is not None
    assert (traced.is_beyond, again.is_beyond) == (False, True)
    assert traced.others[-1][0].shape[1] == 13
    with processes.quiet():
        assert trial.try_export(traced, "TorchScript", 20).kind == "example"


class Filled(torch.nn.Module):
    """Fills up to ten columns, of which it takes nine."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[1] < 10:
            x = torch.nn.functional.pad(x, (0, 10 - x.shape[1]), value=1.0)
        return x[:, :9].sum(1)


@pytest.mark.parametrize("exporter", ["dynamo", "TorchScript"])
def test_sizes_below_a_guard(exporter: str) -> None:
    """Next to it, where the file happens to be right, and at half of it."""
    trial.warm_up_exporters()
    x, other = torch.rand(2, 20), torch.rand(3, 21)
    call = Call(Filled(), (other,), axes={0: [0, 1]}, others=((x,),), is_beyond=True)
    with processes.quiet():
        outcome = trial.try_export(call, exporter, 20)
    assert outcome.beyond is not None
    assert [tensors[0].shape[1] for tensors in outcome.beyond] == [9, 5]
    assert outcome.kind == "example"
    assert "run with float32[3, 5]: wrong results" in outcome.why


class Scattered(torch.nn.Module):
    """Takes an index that may be smaller than its source."""

    def forward(self, x: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
        return torch.zeros(5, x.shape[1]).scatter_add(0, index, x)


ONE_SIZE = "dimension 0 of x and index have one size and dimension 1 of x and index have one size"
SCATTERED = torch.randn(4, 3), torch.randint(0, 5, (4, 3))


@pytest.mark.parametrize(
    ("exporter", "told"),
    [
        (
            "dynamo",
            f"right as long as {ONE_SIZE}",
        ),
        ("TorchScript", "right"),
    ],
)
def test_sizes_that_are_equal_in_the_example(exporter: str, told: str) -> None:
    """A file that is right where they are equal, and fails where they differ, is right with this
    condition.
    """
    trial.warm_up_exporters()
    net = other_inputs.find_other_inputs(target.Target("net", Scattered(), SCATTERED))
    tied, *_, untied, narrower = net.sizes
    assert isinstance(untied, Untied)
    assert tied[0].shape == tied[1].shape
    assert (untied[0].shape[0], narrower[0].shape[1]) > (untied[1].shape[0], narrower[1].shape[1])
    export = Export(exporter, 20)
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert str(outcome) == told


def test_sizes_that_differ_in_the_example() -> None:
    """No equality is assumed: the file is wrong for the user's sizes."""
    trial.warm_up_exporters()
    other: Any = ((torch.randn(6, 3), SCATTERED[1]), {})
    net = target.Target("net", Scattered(), SCATTERED, others=(other,))
    net = other_inputs.find_other_inputs(net)
    export = Export("dynamo", 20)
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert (outcome.kind, outcome.equal) == ("example", ())


class Longer(torch.nn.Module):
    """Takes another side at a size that is larger than those of the tied inputs."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return x.sum() * 2 + y.sum() if x.shape[0] > 5 else x.sum() + y.sum()


def test_a_larger_size_is_no_other_equality() -> None:
    """The sizes are tried equal, as large as the larger one, before equality is told as the cause."""
    trial.warm_up_exporters()
    args = torch.rand(4), torch.rand(4)
    net = other_inputs.find_other_inputs(target.Target("net", Longer(), args))
    assert isinstance(net.sizes[-1], Untied)
    export = Export("TorchScript", 20)
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert (outcome.kind, outcome.equal) == ("example", ())
    assert "run with float32[7], float32[7]: wrong results" in outcome.why


class Cut(torch.nn.Module):
    """Takes eight columns at most. torch.export stops at its other condition, which is on data."""

    def __init__(self) -> None:
        super().__init__()
        self.most = 8

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.shape[1] > self.most:
            x = x[:, : self.most].exp()
        if x.sum() > 1e6:
            x = x.abs()
        return x * 2


def test_sizes_that_a_trace_compares() -> None:
    """The nearest size at which a comparison gives something else is tried, if PyTorch takes it."""
    export = Export("TorchScript", 20)
    net = target.Target("net", Cut().eval(), (torch.randn(2, 5),))
    net = other_inputs.find_other_inputs(net)
    dynamic = net.dynamic("TorchScript")
    assert dynamic is not None
    compared = compared_sizes.with_other_results(dynamic, 1000)
    assert [[tensor.shape for tensor in tensors] for tensors in compared] == [[(3, 9)]]
    assert not [*compared_sizes.with_other_results(dynamic, 8)]
    outcome = whole_model.try_exports(net, [export], lambda _: None)[export]
    assert outcome.kind == "example"
    assert "run with float32[3, 9]" in outcome.why


class Parts(torch.nn.Module):
    """Has a mean of no elements, which is a NaN, of less than three columns."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.stack([part.mean(1) for part in x.tensor_split(3, 1)])


@pytest.mark.parametrize("first", [torch.rand(2, 6), torch.full((2, 6), torch.nan)])
def test_sizes_for_which_pytorch_has_nans(first: torch.Tensor) -> None:
    """No file has to be right there, unless the example has NaNs, too."""
    net = target.Target("net", Parts().eval(), (first,), known=(((first,), [Parts()(first)]),))
    net = other_inputs.find_other_inputs(net)
    results = [(tensors, [Parts()(*tensors)]) for tensors in net.sizes]
    smallest = min(tensors[0].shape[1] for tensors in net.sizes)
    kept = other_inputs.without_sizes_of_nan(replace(net, known=(*net.known, *results)))
    assert smallest == 2
    has_nans = bool(first.isnan().any())
    assert min(tensors[0].shape[1] for tensors in kept.sizes) == (2 if has_nans else 7)
    assert kept.axes == {0: {0, 1}}
