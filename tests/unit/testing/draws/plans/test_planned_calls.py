"""The calls that each run makes, whatever its seed."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest
import torch

from onnxop_runtime.testing.draws.plans.planned_calls import (
    calls_of_arguments,
    calls_of_mapping,
    rare_calls,
)
from onnxop_runtime.testing.samples import Draw, Sample, fixed, many, random, tensor
from tests.unit.testing.draws.drawn_operators import class_of, scalar

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
    assert kinds >= {"", "infinities", "equal", "offset", "extremes", "zeros", "NaN"}
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
    assert drawn[:3] == [[0, 3, -1], [0, 4, -1], [0, -5, -1]]
    assert {index[1] for index in drawn[3:]} == {0, -2, -4}


def test_negative_indices_that_a_reference_refuses_are_drawn() -> None:
    index = tensor([0, 3], "int64")
    sample = Sample(x=random("float32", 4, 2), index=index)
    tests = class_of(lambda x, index: x.index_select(0, index), sample)
    drawn = [call.arguments()["index"].tolist() for call in rare_calls(tests, DTYPES)]
    assert drawn == [[0, 3], [0, 4], [0, -1], [0, 0]]


@pytest.mark.parametrize(
    ("offsets", "expected"),
    [([0, 2, 5], [[0, 0, 5], [0, 5, 5]]), ([0, 5], []), ([0, 5, 2], [])],
)
def test_offsets_with_equal_neighbours_are_drawn(
    offsets: list[int], expected: list[list[int]]
) -> None:
    sample = Sample(x=random("float32", 5), offsets=tensor(offsets, "int64"))
    # A reference of integers alone, so that no other numbers are taken.
    tests = class_of(lambda x, offsets: x[: offsets[-1]] + 0 * x[offsets % 5].sum(), sample)
    _, *drawn = rare_calls(tests, DTYPES)
    assert [call.arguments()["offsets"].tolist() for call in drawn] == expected


def quantized(x: torch.Tensor) -> torch.Tensor:
    return (x / (x.abs().amax(-1, keepdim=True) / 127)).round().to(torch.int8)


def test_ties_are_drawn_of_what_a_reference_rounds_exactly() -> None:
    drawn = calls_of_arguments(class_of(quantized, Sample(x=X)), DTYPES, 0)
    (ties,) = (call.arguments()["x"] for call in drawn if call.values == "ties")
    assert ties.abs().amax(-1).tolist() == [127.0] * 3
    halves = ties[ties.frac() != 0]
    assert len(halves) > 1
    assert bool((halves.frac().abs() == 0.5).all())
    without = calls_of_arguments(class_of(lambda x: x * 2, Sample(x=X)), DTYPES, 0)
    assert "ties" not in {call.values for call in without}


def requantized(accumulator: torch.Tensor, scale: torch.Tensor, zero: int = 0) -> torch.Tensor:
    return ((accumulator.float() * scale).round() + zero).clamp(-128, 127).to(torch.int8)


def test_integers_have_ties_by_scales_that_the_spec_bounds() -> None:
    sample = Sample(
        accumulator=random("int32", 40, 3, low=-200, high=200),
        scale=random("float32", 3, low=0.05, high=1.0),
    )
    tests = class_of(requantized, sample, scalars=[scalar("zero", "int", 0)])
    drawn = [c for c in calls_of_arguments(tests, [torch.int32], 0) if c.values == "ties"]
    assert 1 in [call.scalars.get("zero") for call in drawn]
    for call in drawn:
        arguments = call.arguments()
        products = arguments["accumulator"] * arguments["scale"]
        assert bool((products.frac().abs() == 0.5).any())
        assert 0.05 <= float(arguments["scale"].min()) <= float(arguments["scale"].max()) <= 1.0


def test_the_sign_of_one_number_in_a_list_is_changed() -> None:
    scalars = [scalar("pad", "int", [1, 2, 0], is_list=True)]
    tests = class_of(lambda x, pad=(): x, Sample(x=X), scalars=scalars)
    drawn = [call.scalars.get("pad") for call in calls_of_arguments(tests, DTYPES, 0)]
    assert all(pad in drawn for pad in ([-1, 2, 0], [1, -2, 0], [1, 2, -1]))


def test_several_tensors_have_more_dimensions_at_once() -> None:
    y, bias = random("float32", 5, 4, sizes="m, k"), random("float32", 5, sizes="m")
    tests = class_of(lambda x, y, bias: x @ y.mT + bias, Sample(x=X, y=y, bias=bias))
    drawn = [call for call in calls_of_arguments(tests, DTYPES, 0) if call.before]
    shapes = [[tuple(t.shape) for t in call.arguments().values()] for call in drawn]
    assert [(3, 3, 4), (3, 5, 4), (5,)] in shapes
    assert [(2, 3, 3, 4), (2, 3, 5, 4), (2, 3, 5)] in shapes
    assert all(call.may_be_refused for call in drawn)


def test_a_batch_of_one_tensor_is_broadcast() -> None:
    sample = Sample(a=X, b=random("float32", 4, 5, sizes="k, m"))
    tests = class_of(lambda a, b: a @ b, sample)
    drawn = [call for call in calls_of_arguments(tests, DTYPES, 0) if call.before and call.ones]
    shapes = [[tuple(t.shape) for t in call.arguments().values()] for call in drawn]
    assert [(2, 3, 3, 4), (2, 1, 4, 5)] in shapes
    assert [(1, 3, 3, 4), (2, 3, 4, 5)] in shapes


def test_two_dimensions_or_none_are_in_place_of_each() -> None:
    drawn = calls_of_arguments(class_of(lambda x: x, Sample(x=X)), DTYPES, 0)
    shapes = [tuple(call.arguments()["x"].shape) for call in drawn if call.ranks]
    assert (2, 3, 4) in shapes
    assert (3, 2, 3) in shapes
    assert {(3,), (4,)} <= {*shapes}


def test_a_tensor_has_sizes_of_1_where_others_have_not() -> None:
    mask = tensor([[True, False], [True, True]], "bool")
    sample = Sample(x=random("float32", 2, 2, sizes="n, k"), mask=mask)
    tests = class_of(lambda x, mask: torch.where(mask, x, 0), sample)
    calls = calls_of_arguments(tests, DTYPES, 0)
    drawn = [call.arguments() for call in calls if call.ones and not call.before]
    shapes = [tuple(tuple(t.shape) for t in arguments.values()) for arguments in drawn]
    of_mask = [(1, 2), (2, 1), (1, 1)]
    assert {*shapes} == {*(((2, 2), s) for s in of_mask), *((s, (2, 2)) for s in of_mask)}


def test_sizes_are_at_the_ends_of_blocks() -> None:
    drawn = [*calls_of_arguments(class_of(lambda x: x, Sample(x=X)), DTYPES, 0)]
    for size in (16, 32, 64, 128, 129, 256, 257):
        assert {"n": size} in [call.sizes for call in drawn]
        assert {"k": size} in [call.sizes for call in drawn]


def _modes(arguments: dict[str, Any]) -> dict[str, Any]:
    return {name: arguments[name] for name in ("mode", "align")}


def test_modes_meet_sizes_and_numbers_of_1() -> None:
    scalars = [
        scalar("size", "int", 7),
        scalar("mode", "str", "linear"),
        scalar("align", "bool", False),
    ]
    samples = (Sample(x=X), Sample(x=X, mode=fixed("nearest")))
    tests = class_of(lambda x, size=7, mode="", align=False: x, *samples, scalars=scalars)
    drawn = [*calls_of_arguments(tests, DTYPES, 0)]
    for mode, align in product(("linear", "nearest"), (False, True)):
        modes = {"mode": mode, "align": align}
        of_call = [(call, {"mode": "linear", "align": False, **call.arguments()}) for call in drawn]
        found = [call for call, arguments in of_call if modes.items() <= _modes(arguments).items()]
        assert any(call.scalars.get("size") == 1 for call in found), (mode, align)
        assert any(call.sizes == {"k": 1} for call in found), (mode, align)


def test_other_scalars_meet_special_values() -> None:
    tests = class_of(
        lambda x, scale=2.0: x * scale, Sample(x=X), scalars=[scalar("scale", "float", 2.0)]
    )
    drawn = [(call.scalars, call.values) for call in calls_of_arguments(tests, DTYPES, 0)]
    for values, scale in product(("extremes", "NaN", "infinities", "zeros"), (0.0, -2.0)):
        assert ({"scale": scale}, values) in drawn


@pytest.mark.parametrize("mask", [random("bool", 3, sizes="n"), tensor([True, False, True])])
def test_masks_of_one_value_are_drawn(mask: Draw) -> None:
    sample = Sample(x=X, mask=mask)
    tests = class_of(lambda x, mask: torch.where(mask[:, None], x, 0), sample)
    _, *drawn = rare_calls(tests, DTYPES)
    masks = [call.arguments()["mask"].tolist() for call in drawn]
    assert masks == [[False] * 3, [True] * 3]
    assert all(call.sample.axes() == {} for call in drawn)


def test_each_integer_dtype_has_each_group_of_extremes() -> None:
    tests = class_of(lambda x: x, Sample(x=random("float32", 3, 4, sizes="n, k")))
    dtypes = [torch.float32, torch.int64, torch.uint8]
    drawn = [call for call in calls_of_arguments(tests, dtypes, 0) if call.values == "extremes"]
    of_int64 = [call.arguments()["x"] for call in drawn if call.dtype == torch.int64]
    assert any(2**53 in x and 2**53 + 1 in x for x in of_int64)
    assert {call.dtype for call in drawn} == {torch.int64, torch.uint8}
    assert len(drawn) == 10


def test_numbers_of_indices_are_equal_where_a_size_is_1() -> None:
    indices = random("int64", 4, 3, sizes="bags, 3")
    tests = class_of(lambda x, indices: x[indices % 3].sum(1), Sample(x=X, indices=indices))
    drawn = [call for call in calls_of_arguments(tests, DTYPES, 0) if call.ones and call.sizes]
    shapes = {tuple(call.arguments()["indices"].shape) for call in drawn}
    assert shapes == {(12, 1), (1, 9)}
    assert all(call.may_be_refused for call in drawn)


def test_floats_beside_integers_have_each_dtype() -> None:
    sample = Sample(packed=random("int8", 3, 4), scales=random("float32", 3))
    drawn = [*calls_of_arguments(class_of(lambda packed, scales: scales, sample), [torch.int8], 0)]
    dtypes = {call.arguments()["scales"].dtype for call in drawn}
    assert dtypes == {torch.float64, torch.float32, torch.float16, torch.bfloat16}
    infinite = [call.arguments() for call in drawn if call.values == "infinities"]
    assert any(bool(arguments["scales"].isinf().any()) for arguments in infinite)


def test_mappings_are_called_at_other_ranks_and_with_pairs() -> None:
    scalars = [scalar("alpha", "int", 2), scalar("log", "bool", False)]
    tests = class_of(lambda x, alpha=2, log=False: x * alpha, Sample(x=X), scalars=scalars)
    drawn = [*calls_of_mapping(tests, DTYPES, 0)]
    assert (2, 3, 4) in [tuple(call.arguments()["x"].shape) for call in drawn if call.ranks]
    assert {1, 2} <= {len(call.scalars) for call in drawn}
    assert not any(call.values or call.layout for call in drawn)
