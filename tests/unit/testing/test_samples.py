"""The calls that tests of packages make: their arguments, sizes and comparisons."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime.testing import arguments, changes, samples
from onnxop_runtime.testing.samples import Error, Sample, fixed, many, random, tensor
from onnxop_runtime.testing.symbolic_sizes import Dimensions

SAMPLE = Sample(
    x=random("float32", 2, 3, larger=(4, 3), sizes="n, 3"),
    y=many(random("int64", 2), tensor([1, 2])),
    alpha=fixed(0.5),
)


def test_the_name_of_a_sample() -> None:
    assert str(SAMPLE) == "x float32[2, 3], y [int64[2], [1, 2]], alpha 0.5"
    assert str(Error(ValueError, "", x=fixed(1))) == "x 1: ValueError"


def test_arguments_have_the_sizes_of_the_sample() -> None:
    first, larger = SAMPLE.arguments(), SAMPLE.arguments(larger=True)
    assert (first["x"].shape, larger["x"].shape) == ((2, 3), (4, 3))
    assert [item.dtype for item in first["y"]] == [torch.int64, torch.int64]
    assert SAMPLE.axes() == {"x": {0: "x_0"}}


def test_a_seed_draws_the_same_values() -> None:
    drawn = []
    for _ in range(2):
        with samples.seeded(3):
            drawn.append(SAMPLE.arguments()["x"])
    assert torch.equal(*drawn)
    assert not torch.equal(drawn[0], SAMPLE.arguments()["x"])


def test_values_stay_within_bounds() -> None:
    values = random("float32", 1000, low=2.0, high=3.0).value((1000,))
    assert 2 <= values.min() <= values.max() <= 3


def test_sizes_follow_their_symbols() -> None:
    dimensions = Dimensions(SAMPLE)
    assert dimensions.named == {"n"}
    assert dimensions.shapes("x", {"n": 5}) == [(5, 3)]
    assert dimensions.elements({"n": 5}) == 15


def test_tensors_are_split_and_merged() -> None:
    call = SAMPLE.arguments()
    tensors, scalars = arguments.split(call)
    assert [*tensors] == ["x", "y_0", "y_1"]
    assert scalars["alpha"] == 0.5
    assert arguments.merged(tensors, scalars) == call


def test_results_are_compared_by_their_dtype() -> None:
    ones = torch.ones(2)
    arguments.assert_close(ones, ones + 1e-6)
    with pytest.raises(AssertionError):
        arguments.assert_same(ones, ones + 1e-6)
    with pytest.raises(AssertionError):
        arguments.assert_close(ones, ones.double())


@pytest.mark.parametrize(
    ("value", "others"),
    [(True, [False]), (1, [2, 3, 6, 4]), ([1, 2], [[2, 2], [0, 2], [1, 3], [1, 1]])],
)
def test_values_near_another(value: object, others: list[object]) -> None:
    assert changes.near(value) == others
