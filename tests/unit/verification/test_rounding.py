"""Rounding, and errors that are none."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from onnxop_runtime.verification.differences import difference
from onnxop_runtime.verification.rounding import distances, is_decided_by_rounding, is_rounding
from tests.unit.verification.calls import called


def test_rounding_of_a_deep_model_is_right() -> None:
    """Errors of float32 that PyTorch has itself, beside float64; what is wrong stays so."""
    x = torch.rand(50)
    pytorch = called(lambda x: (x + 1e4) - 1e4, x)
    assert difference([x], pytorch.expected)
    assert is_rounding([x], pytorch)
    assert not is_rounding([x + 2e-3], pytorch)
    wrong = called(torch.sigmoid, torch.rand(50))
    assert not is_rounding([wrong.expected[0] + 3e-4], wrong)


@pytest.mark.parametrize(("dtype", "large"), [(torch.float16, 4e1), (torch.bfloat16, 1e1)])
def test_rounding_of_half_precision(dtype: torch.dtype, large: float) -> None:
    x = torch.rand(50).to(dtype)
    pytorch = called(lambda x: (x + large) - large, x)
    assert difference([x], pytorch.expected)
    assert is_rounding([x], pytorch)
    assert not is_rounding([x + 0.2], pytorch)
    exact = called(torch.sigmoid, x)
    assert not is_rounding([exact.expected[0] + 0.1], exact)


def test_an_error_in_one_direction_is_no_rounding() -> None:
    """Even if no element is further off than PyTorch's worst."""
    x = torch.linspace(0.001, 1, 1000)
    pytorch = called(lambda x: torch.where(x > 0.99, (x + 1e4) - 1e4, x), x)
    assert difference([x], pytorch.expected)
    assert is_rounding([x], pytorch)
    assert not is_rounding([x + 3e-4], pytorch)


def test_rounding_of_few_among_many() -> None:
    """Of very many elements, few may be beyond the tolerance by little; more are no rounding."""
    torch.manual_seed(0)
    pytorch = called(torch.nn.Identity(), torch.randn(100, 1000))
    (right,) = pytorch.expected
    few, many = right.clone(), right.clone()
    few[0, :50] += 9e-5 * right[0, :50].sign()
    many[:, :50] += 9e-5 * right[:, :50].sign()
    assert is_rounding([few], pytorch)
    assert not is_rounding([many], pytorch)
    few[0, 0] += 5e-3
    assert not is_rounding([few], pytorch)


def test_rounding_of_large_and_complex_results() -> None:
    """It is in proportion to the size of the most values, not of a few, as a mask has them."""
    pytorch = called(torch.nn.Identity(), torch.tensor([300.0, -200.0, 1e-3]))
    (right,) = pytorch.expected
    assert is_rounding([right + 5e-4], pytorch)
    assert not is_rounding([right + 5e-3], pytorch)
    masked = torch.tensor([-1e9, 0.1, 0.2, 0.3])
    assert not is_rounding([masked + 1e-4], called(torch.nn.Identity(), masked))
    complex_numbers = torch.complex(right, right)
    wrong = torch.view_as_real(complex_numbers) + 5e-4
    assert is_rounding([wrong], called(torch.nn.Identity(), complex_numbers))


@pytest.mark.parametrize("wrong", [torch.ones(3).double(), torch.ones(2), torch.ones(3).int()])
def test_other_shapes_and_dtypes_are_no_rounding(wrong: torch.Tensor) -> None:
    assert not is_rounding([wrong], called(torch.nn.Identity(), torch.ones(3)))


def test_integers_do_not_round() -> None:
    assert not is_rounding([torch.tensor([2])], called(torch.nn.Identity(), torch.tensor([1])))


def test_values_that_rounding_decides() -> None:
    x: Any = torch.linspace(-0.9, 0.8, 12)
    steep = called(lambda x: (x * 1e7).sin(), x)
    assert is_decided_by_rounding([steep.expected[0] + 0.1], steep, {0})
    assert not is_decided_by_rounding([steep.expected[0].double()], steep, {0})
    plain, empty = called(torch.sin, x), called(torch.sin, x[:0])
    assert not is_decided_by_rounding([plain.expected[0] + 0.1], plain, {0})
    assert not is_decided_by_rounding(empty.expected, empty, {0})


def test_distances_of_numbers_without_size() -> None:
    nan, inf = float("nan"), float("inf")
    one = torch.tensor([nan, inf, nan, inf, 1.0])
    other = torch.tensor([nan, inf, 1.0, -inf, 3.0])
    assert distances(one, other).tolist() == [0.0, 0.0, inf, inf, 2.0]
