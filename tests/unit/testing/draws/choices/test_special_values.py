"""Special numbers in tensors of each dtype."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime.testing.draws.choices.draw_kinds import VALUES
from onnxop_runtime.testing.draws.choices.special_values import FINITE, with_numbers, with_values

DTYPES = (
    torch.float64,
    torch.float32,
    torch.float16,
    torch.bfloat16,
    torch.int64,
    torch.int8,
    torch.uint8,
    torch.bool,
)


def drawn(dtype: torch.dtype, kind: str) -> torch.Tensor:
    """Return ones with special values, of several draws."""
    generator = torch.Generator().manual_seed(0)
    ones = torch.ones(4, 5, dtype=dtype)
    return torch.stack([with_values(ones, kind, generator, seed) for seed in range(20)])


@pytest.mark.parametrize("kind", [kind for kind in (*VALUES, *FINITE) if kind != "equal"])
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_each_dtype_has_each_kind(dtype: torch.dtype, kind: str) -> None:
    tensor = drawn(dtype, kind)
    assert tensor.dtype == dtype
    if dtype.is_floating_point:
        assert bool(tensor.isnan().any()) == (kind == "NaN")
        assert bool(tensor.isinf().any()) == (kind == "infinities")


def test_zeros_have_both_signs() -> None:
    zeros = drawn(torch.float32, "zeros")
    zeros = zeros[zeros == 0]
    assert {*zeros.signbit().tolist()} == {True, False}


def test_extremes_of_float64_are_sometimes_beyond_float32() -> None:
    sizes = drawn(torch.float64, "extremes").abs()
    assert bool((sizes > 1e38).any())
    assert bool(sizes.float().isinf().any())


def test_extremes_of_integers_are_beyond_the_whole_numbers_of_float64() -> None:
    numbers = drawn(torch.int64, "extremes")
    assert bool((numbers == 2**53 + 1).any())
    assert bool((numbers == torch.iinfo(torch.int64).min).any())


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64], ids=str)
def test_extremes_of_integers_are_the_same_numbers_in_float32(dtype: torch.dtype) -> None:
    """A kernel that compares integers as float32 takes neighbours for equal."""
    numbers = {*drawn(dtype, "extremes").flatten().tolist()}
    for number in (2**24, torch.iinfo(dtype).max - 1):
        assert {number, number + 1} <= numbers


def test_a_tensor_without_elements_stays_so() -> None:
    generator = torch.Generator().manual_seed(0)
    assert with_values(torch.ones(0, 3), "NaN", generator).shape == (0, 3)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.int8])
def test_numbers_that_are_equal_to_scalars(dtype: torch.dtype) -> None:
    generator = torch.Generator().manual_seed(0)
    zeros = torch.zeros(400, dtype=dtype)
    values = {*with_numbers(zeros, [8, 100], generator, is_once=False).tolist()}
    assert {8, -8, 4, -4, 16, -16, 100, -100, 50, -50} <= values
    if dtype.is_floating_point:
        eight = torch.tensor(8, dtype=dtype)
        infinity = torch.tensor(float("inf"), dtype=dtype)
        assert {float(eight.nextafter(infinity)), float(eight.nextafter(-infinity))} <= values
    else:
        assert {7, 9, 101} <= values
        assert 200 not in values


def test_numbers_that_are_equal_to_scalars_come_once_where_their_order_matters() -> None:
    for seed in range(20):
        generator = torch.Generator().manual_seed(seed)
        changed = with_numbers(torch.zeros(3, 4), [0.5], generator, is_once=True)
        values = changed[changed != 0]
        assert len({*values.tolist()}) == len(values) == 7
        assert len({*values.sign().tolist()}) == 1
    assert with_numbers(torch.zeros(0, 4), [0.5], generator, is_once=True).shape == (0, 4)


@pytest.mark.parametrize("shape", [(6, 5), (4,), (2, 4, 7)])
def test_ties_have_the_largest_number_in_each_slice(shape: tuple[int, ...]) -> None:
    for seed, largest in enumerate((127.0, 255.0, 127.5, 7.0)):
        generator = torch.Generator().manual_seed(seed)
        numbers = with_values(torch.zeros(shape), "ties", generator, seed)
        assert bool((2 * numbers == (2 * numbers).round()).all())
        for dimension, size in enumerate(shape):
            assert bool((numbers.abs().amax(dimension) == largest).all())
            if size >= 4:
                assert bool((numbers.amin(dimension) == -largest).all())


def test_numbers_far_from_0_keep_their_differences() -> None:
    numbers = torch.randn(5, dtype=torch.float64)
    far = with_values(numbers, "offset", torch.Generator())
    assert bool((far > 1e6).all())
    assert torch.allclose(far.diff(), numbers.diff(), 0.0, 1e-6)
