"""The dimensions that ``dynamic_shapes`` names for scan, where torch.export refuses the model."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from onnxop.scan.model import other_inputs, target
from onnxop.scan.model.exports import Export
from onnxop.scan.pages.dynamic_argument import dynamic_argument
from onnxop.trial.call import Untied, resized

Dim = torch.export.Dim
Sizes = list[list[tuple[int, ...]]]


class Refused(torch.nn.Module):
    """Has a condition on data, at which torch.export stops."""

    def forward(self, x: torch.Tensor, y: torch.Tensor | None = None, **more: Any) -> Any:
        if x.sum() > 1e6:
            x = x.abs()
        return x.exp(), y, more


class Added(Refused):
    def forward(self, x: torch.Tensor, y: Any = None, **_: Any) -> Any:
        first, *_ = super().forward(x)
        return first + y


class Packed(torch.nn.Module):
    """Packs sequences, in which torch.export has no values."""

    def __init__(self) -> None:
        super().__init__()
        self.rnn = torch.nn.LSTM(4, 5, batch_first=True)

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> Any:
        packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
        y, _ = self.rnn(packed)
        return torch.nn.utils.rnn.pad_packed_sequence(y, batch_first=True, total_length=x.shape[1])[
            0
        ]


def varied(
    model: torch.nn.Module, *args: torch.Tensor, like: Any, **kwargs: Any
) -> tuple[Sizes, target.Target]:
    """Return the shapes of the other sizes, and the target."""
    net = target.Target("net", model.eval(), args, kwargs, dynamic_shapes=like)
    net = other_inputs.find_other_inputs(net)
    return [[tuple(x.shape) for x in tensors] for tensors in net.sizes], net


X, Y = torch.rand(6, 8), torch.rand(6, 8)
N = Dim("n", min=5, max=6)


@pytest.mark.parametrize(
    ("like", "sizes"),
    [
        (({0: N}, {0: N}), [[(5, 8), (5, 8)]]),
        ({"x": (N, Dim.STATIC), "y": None}, [[(5, 8), (6, 8)]]),
        (({1: Dim.DYNAMIC(max=9)}, (6, None)), [[(6, n), (6, 8)] for n in (9, 3, 2)]),
        ([{0: "b"}, {0: "b"}], [[(7, 8), (7, 8)], [(2, 8), (2, 8)]]),
        (({0: 2 * Dim("n", max=3)}, None), [[(4, 8), (6, 8)]]),
        (({0: Dim.STATIC, 1: 8}, None), []),
    ],
    ids=["one Dim", "by name", "hint", "strings", "derived", "static"],
)
def test_the_sizes_that_it_allows(like: Any, sizes: Sizes) -> None:
    found, net = varied(Refused(), X, Y, like=like)
    assert found == sizes
    assert bool(net.axes) == bool(sizes)


def test_nested_arguments() -> None:
    n = Dim("n")
    like = {"x": None, "y": [{"z": {0: n}}], "more": {"w": {1: n}}}
    found, _ = varied(Refused(), X, like=like, y=[{"z": Y}], w=torch.rand(2, 6))
    assert found[0] == [(6, 8), (7, 8), (2, 7)]


def test_shapes_of_tensors() -> None:
    like: Any = torch.export.ShapesCollection()  # type: ignore[no-untyped-call,unused-ignore]
    like[Y] = {0: Dim("n")}
    found, _ = varied(Refused(), X, Y, like=like)
    assert found[0] == [(6, 8), (7, 8)]


def test_dimensions_of_different_names_are_not_tied() -> None:
    """A trace has equal sizes of these only where PyTorch refuses others."""
    found, _ = varied(Refused(), X, Y, like=({0: "a"}, {0: "b"}))
    assert found[0] == [(7, 8), (8, 8)]
    found, _ = varied(Added(), X, Y, like=({0: Dim("a", max=9)}, {0: Dim("b", min=6)}))
    assert found == [[(7, 8), (7, 8)]]


def test_hints_may_have_to_be_equal() -> None:
    """As those of torch.export, which asks the model; they are tried apart, too."""
    found, net = varied(Refused(), X, Y, like=({0: Dim.AUTO(max=8)}, {0: Dim.AUTO}))
    assert found[0] == [(7, 8), (7, 8)]
    assert isinstance(net.sizes[-1], Untied)
    assert found[-1] == [(8, 8), (6, 8)]
    found, _ = varied(Added(), X, Y, like=({0: Dim.AUTO}, {0: Dim.AUTO}))
    assert [x for x, _ in found] == [y for _, y in found]


def test_a_size_of_one() -> None:
    """torch.export makes it a constant, but not the TorchScript exporter."""
    found, _ = varied(Refused(), X[:1], Y, like=({0: Dim("b", max=2)}, None))
    assert found == [[(2, 8), (6, 8)]]


def test_packed_sequences() -> None:
    """The export's dynamic_axes name these dimensions. Lengths that decrease still do."""
    assert resized(torch.tensor([7, 5, 3]), 0, 4).tolist() == [7, 7, 5, 3]
    b = Dim("b", max=4)
    lengths = torch.tensor([7, 5, 3])
    like = {"x": {0: b, 1: Dim("t", min=7)}, "lengths": {0: b}}
    found, net = varied(Packed(), torch.rand(3, 7, 4), lengths, like=like)
    assert found == [[(4, 8, 4), (4,)], [(2, 7, 4), (2,)]]
    argument = dynamic_argument(net, net.axes, Export("TorchScript", 20))
    assert 'dynamic_axes={"x": [0, 1], "lengths": [0]}' in argument


REJECTED = "net: torch.export rejects its dynamic_shapes: "


@pytest.mark.parametrize(
    ("like", "why"),
    [
        (({2: N}, None), "net: dynamic_shapes: x has no dimension 2; write 0 or 1"),
        ((None, {-1: Dim.AUTO}), "net: dynamic_shapes: y has no dimension -1; write 0 or 1"),
        (({0: N},), f"{REJECTED}UserError: Detected mismatch between the structure of `inputs` "),
        ({"z": None, "y": None}, f"{REJECTED}UserError: When `dynamic_shapes` is specified as a "),
        (({0: Dim("n", max=5)}, None), f"{REJECTED}.*6 not in range "),
        (({1: 9}, None), f"{REJECTED}.*Static shape constraint of 9 does not match input size of "),
        (("x", None), f"{REJECTED}UserError: Unexpected input tensor shape "),
        ((({0: N}, {1: N})), f"{REJECTED}.*8 not in range "),
    ],
)
def test_wrong_ones_are_errors(like: Any, why: str) -> None:
    with pytest.raises(target.TargetError, match=why):
        varied(Refused(), X, Y, like=like)


def test_a_model_that_does_not_allow_them_is_an_error() -> None:
    """torch.export has traced it, and says what to write."""
    halves = torch.nn.Unflatten(0, (2, 3))
    with pytest.raises(target.TargetError, match=f"{REJECTED}UserError: .*specialized"):
        varied(halves, X, like=({0: Dim("n")},))


def test_names_of_a_model_that_torch_export_takes() -> None:
    """As torch.onnx.export takes them: those of several places are equal, and others may be."""
    sums = torch.nn.Bilinear(8, 8, 3)
    found, _ = varied(sums, X, Y, like=({0: "batch size"}, {0: "other"}))
    assert found[0] == [(7, 8), (7, 8)]
    found, _ = varied(torch.nn.PairwiseDistance(), X, Y, like=({0: "b b"}, {0: "b b"}))
    assert found[0] == [(7, 8), (7, 8)]
