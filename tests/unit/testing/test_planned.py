"""The calls that each run makes, whatever its seed."""

from __future__ import annotations

from itertools import product

import pytest
import torch

from onnxop_runtime.testing.draws.planned import calls_of_arguments, rare_calls
from onnxop_runtime.testing.samples import Sample, fixed, many, random, tensor
from tests.unit.testing.drawn_operators import class_of, scalar

DTYPES = [torch.float32, torch.float16]
X = random("float32", 3, 4, sizes="n, k")


def test_a_mode_is_combined_with_each_other_list() -> None:
    scalars = [scalar("mode", "str", "sum"), scalar("weights", "int", [1, 2], is_list=True)]
    samples = (Sample(x=X), Sample(x=X, mode=fixed("max"), weights=fixed([2, 3])))
    tests = class_of(lambda x, mode="sum", weights=(1, 2): x, *samples, scalars=scalars)
    for seed in range(3):
        drawn = [call.scalars for call in calls_of_arguments(tests, DTYPES, seed)]
        assert {"mode": "sum", "weights": [3, 3]} in drawn
        assert {"mode": "max", "weights": [1, 1]} in drawn
        assert {"weights": []} in drawn


def test_an_optional_tensor_is_left_out_with_each_other_scalar() -> None:
    sample = Sample(x=X, bias=random("float32", 4, sizes="k"))
    scalars = [scalar("alpha", "int", 2), scalar("log", "bool", False)]
    tests = class_of(
        lambda x, bias=None, alpha=2, log=False: x, sample, scalars=scalars, optional=("bias",)
    )
    drawn = [*calls_of_arguments(tests, DTYPES, 0)]
    kinds = {call.values for call in drawn}
    assert kinds == {"", "infinities", "equal"}
    without = [{**call.scalars} for call in drawn if call.left_out]
    assert {"alpha": 0} in without
    assert {"log": True} in without
    assert {} in without
    assert all(
        {"alpha": alpha, "log": log} in [call.scalars for call in drawn]
        for alpha, log in product((0, 1, -2), (True,))
    )


def test_each_length_of_a_list_is_drawn() -> None:
    tests = class_of(
        lambda xs: sum(xs), Sample(xs=many(random("float32", 3), random("float32", 3)))
    )
    drawn = [call for call in calls_of_arguments(tests, DTYPES, 0) if call.lengths]
    assert {call.lengths["xs"] for call in drawn} == {1, 3, 4, 5, 9, 17}


def test_indices_just_out_of_range_are_drawn() -> None:
    index = tensor([0, 3, -1], "int64")
    sample = Sample(x=random("float32", 4, 2), index=index)
    tests = class_of(lambda x, index: x[index], sample)
    drawn = [call.arguments()["index"].tolist() for call in rare_calls(tests, DTYPES)]
    assert drawn == [[0, 3, -1], [0, 4, -1], [0, -5, -1]]


def test_negative_indices_that_a_reference_refuses_are_drawn() -> None:
    index = tensor([0, 3], "int64")
    sample = Sample(x=random("float32", 4, 2), index=index)
    tests = class_of(lambda x, index: x.index_select(0, index), sample)
    drawn = [call.arguments()["index"].tolist() for call in rare_calls(tests, DTYPES)]
    assert drawn == [[0, 3], [0, 4], [0, -1]]


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [([0, 2, 5], [[0, 0, 5], [0, 5, 5]]), ([0, 5], []), ([0, 5, 2], [])],
)
def test_offsets_with_equal_neighbours_are_drawn(
    offsets: list[int], expected: list[list[int]]
) -> None:
    sample = Sample(x=random("float32", 5), offsets=tensor(offsets, "int64"))
    tests = class_of(lambda x, offsets: x * offsets.sum(), sample)
    _, *drawn = rare_calls(tests, DTYPES)
    assert [call.arguments()["offsets"].tolist() for call in drawn] == expected
