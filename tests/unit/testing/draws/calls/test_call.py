"""A drawn call's arguments: their dtype, their sizes and their memory."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime.testing.draws.calls.call import DrawnCall
from onnxop_runtime.testing.draws.choices.draw_kinds import LAYOUTS, LayoutKind
from onnxop_runtime.testing.samples import Sample, fixed, many, random

SAMPLE = Sample(
    x=random("float32", 3, 4, sizes="n, k"), y=random("float32", 3, 4, sizes="n, k"), size=fixed(2)
)


def test_tensors_stand_between_numbers_that_must_not_be_read() -> None:
    x = DrawnCall(SAMPLE).arguments()["x"]
    memory = torch.as_strided(x, [x.storage_offset() + x.numel() + 1], [1], 0)
    assert bool(memory[x.storage_offset() - 1].isnan())
    assert bool(memory[-1].isnan())
    integers = DrawnCall(Sample(x=random("int8", 5))).arguments()["x"]
    before = torch.as_strided(integers, [1], [1], integers.storage_offset() - 1)
    assert before.item() == 127


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts_keep_shapes(layout: LayoutKind) -> None:
    x = DrawnCall(SAMPLE, layout=layout).arguments()["x"]
    assert x.shape == (3, 4)
    assert x.is_contiguous() == (layout == "aliased")


def test_one_tensor_as_two_arguments() -> None:
    arguments = DrawnCall(SAMPLE, layout="aliased").arguments()
    assert arguments["x"].data_ptr() == arguments["y"].data_ptr()


def test_the_tensor_with_other_values_is_told() -> None:
    for seed, shown in [(0, "x (NaN), y (NaN)"), (1, "x (NaN), y"), (3, "x, y (NaN)")]:
        drawn = DrawnCall(SAMPLE, seed=seed, values="NaN", layout="strided")
        text = drawn.shown(drawn.arguments()).replace(" float32[3, 4]", "")
        assert text.startswith(shown)
        assert text.endswith(" (strided)")
    drawn = DrawnCall(
        Sample(xs=many(random("float32", 2), random("float32", 2))), 1, values="zeros"
    )
    assert drawn.shown(drawn.arguments()) == "xs [float32[2] (zeros), float32[2]]"


def test_changes_of_a_call() -> None:
    drawn = DrawnCall(
        SAMPLE, dtype=torch.float16, sizes={"n": 7}, scalars={"size": 3}, left_out=["y"]
    )
    arguments = drawn.arguments()
    assert (arguments["x"].dtype, arguments["x"].shape) == (torch.float16, (7, 4))
    assert (arguments["y"], arguments["size"]) == (None, 3)
    assert drawn.shown(arguments) == "x float16[7, 4], y None, size 3"
    assert not drawn.may_be_refused
    assert DrawnCall(SAMPLE, ranks={"n": ()}).may_be_refused
    assert DrawnCall(Sample(x=random("float32", 3)), sizes={"_3": 4}).may_be_refused


def test_a_seed_draws_the_same_numbers_again() -> None:
    one, other, third = (DrawnCall(SAMPLE, seed=seed).arguments()["x"] for seed in (1, 1, 2))
    assert torch.equal(one, other)
    assert not torch.equal(one, third)
