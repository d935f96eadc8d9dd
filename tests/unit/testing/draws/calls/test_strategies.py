"""Drawn calls, as hypothesis draws them."""

from __future__ import annotations

from typing import Any

import hypothesis
import pytest
import torch

from onnxop_runtime.testing.draws.calls.call import DrawnCall
from onnxop_runtime.testing.draws.calls.strategies import drawn_calls
from onnxop_runtime.testing.draws.choices.draw_kinds import DrawKind
from onnxop_runtime.testing.draws.choices.literals import samples_to_draw
from onnxop_runtime.testing.samples import Sample, fixed, many, random, tensor
from tests.unit.testing.draws.drawn_operators import class_of, scalar


def calls_of(tests: Any, kind: DrawKind, argument: str, dtype: torch.dtype) -> list[DrawnCall]:
    """Return calls that are drawn of a kind."""
    calls: list[DrawnCall] = []

    @hypothesis.seed(0)
    @hypothesis.settings(max_examples=80, database=None, phases=[hypothesis.Phase.generate])
    @hypothesis.given(drawn_calls(tests, [dtype], kind, argument))
    def draw(drawn: DrawnCall) -> None:
        calls.append(drawn)

    draw()
    return calls


def added(x: torch.Tensor, start: float = 0) -> torch.Tensor:
    return x + start


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dtype", "is_drawn"), [(torch.int64, True), (torch.int32, False), (torch.float32, True)]
)
def test_integer_scalars_are_beyond_32_bits_beside_wide_tensors(
    dtype: torch.dtype, is_drawn: bool
) -> None:
    sample = Sample(x=random(str(dtype).removeprefix("torch."), 3), start=fixed(3))
    tests = class_of(added, sample, scalars=[scalar("start", "number")])
    drawn = calls_of(tests, "large scalar", "start", dtype)
    assert any(call.scalars["start"] > 2**31 for call in drawn) == is_drawn


def test_a_kernel_may_refuse_real_scalars_beside_integers() -> None:
    sample = Sample(x=random("int64", 3), start=fixed(0.5))
    tests = class_of(added, sample, scalars=[scalar("start", "number")])
    calls = calls_of(tests, "scalar", "start", torch.int64)
    assert {isinstance(call.scalars["start"], float) for call in calls} == {True}
    assert all(call.may_be_refused for call in calls)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["scalar", "large scalar"])
def test_integers_fit_the_dtype_beside_them(kind: DrawKind) -> None:
    """PyTorch's operators give a number the dtype of a tensor beside it, so that 65539 is 3."""
    sample = Sample(x=random("int64", 3), by=fixed(5))
    tests = class_of(lambda x, by: x % by, sample, scalars=[scalar("by", "int")])
    drawn = [call.scalars.get("by", 5) for call in calls_of(tests, kind, "by", torch.uint8)]
    assert all(0 <= by < 256 for by in drawn), drawn
    wide = [call.scalars["by"] for call in calls_of(tests, kind, "by", torch.int64)]
    assert min(wide) < 0 or max(wide) > 255, wide


@pytest.mark.slow
def test_integers_that_a_reference_does_not_wrap() -> None:
    """A quantised operator adds its zero point in float32, and then clamps."""

    def quantised(x: torch.Tensor, zero: int = 0) -> torch.Tensor:
        return (x.float() * 0.5 + zero).clamp(-128, 127).to(torch.int8)

    sample = Sample(x=random("int8", 30), zero=fixed(-3))
    tests = class_of(quantised, sample, scalars=[scalar("zero", "int", 0)])
    drawn = [c.scalars["zero"] for c in calls_of(tests, "large scalar", "zero", torch.int8)]
    assert max(drawn) > 2**16


@pytest.mark.slow
def test_lists_of_one_length_change_together() -> None:
    samples = [
        Sample(
            xs=many(*[random("float32", 3)] * count),
            ys=many(*[random("float32", 3)] * count),
            weights=fixed([0.5] * count),
            dims=fixed([0, 1]),
        )
        for count in (2, 3)
    ]
    scalars = [scalar("weights", "float", is_list=True), scalar("dims", "int", is_list=True)]
    tests = class_of(lambda xs, ys, weights, dims: sum(xs), *samples, scalars=scalars)
    calls = calls_of(tests, "length", "", torch.float32)
    lengths = set()
    for call in calls:
        arguments = call.arguments()
        length = len(arguments["xs"])
        assert (len(arguments["ys"]), len(arguments["weights"])) == (length, length)
        assert len(arguments["dims"]) in (0, 1, 2, 3, 4)
        lengths.add(length)
    assert {1, 5, 9, 17} <= lengths


@pytest.mark.slow
def test_a_large_call_is_of_a_sample_in_which_the_size_grows() -> None:
    def means(x: torch.Tensor, ids: torch.Tensor) -> torch.Tensor:
        return x.new_zeros(2, x.shape[1]).index_add(0, ids, x)

    tests = class_of(means, Sample(x=random("float32", 3, 4), ids=tensor([1, 0, 1])))
    assert len(samples_to_draw(tests)) == 2
    calls = calls_of(tests, "large", "_3", torch.float32)
    assert min(call.arguments()["ids"].numel() for call in calls) > 1000
