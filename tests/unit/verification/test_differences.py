"""Results as tensors, compared by the definition of correct results."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from onnxop_runtime.verification import comparison, runners
from onnxop_runtime.verification.differences import as_tensor, difference, differing_results


@pytest.mark.parametrize("error", [0.0, 5e-6, 5e-5, 5e-4, 5e-3])
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_right_is_what_verify_calls_right(error: float, dtype: torch.dtype) -> None:
    expected = torch.tensor([255.0, 1.0, 0.001, float("inf"), float("nan")], dtype=dtype)
    actual = expected * (1 + error)
    _, failures = comparison.compare([runners.as_array(expected)], [runners.as_array(actual)])
    assert bool(difference([actual], [expected])) is bool(failures)
    assert bool(failures) is (error > comparison.TOLERANCES[str(dtype).removeprefix("torch.")][0])


def test_no_number_is_near_an_infinity() -> None:
    infinity = torch.tensor([float("inf")])
    assert difference([torch.tensor([5.0])], [infinity])
    assert difference([infinity], [torch.tensor([5.0])])
    large = torch.tensor([2**60])
    assert difference([large + 1], [large])


def test_pairs_stand_for_complex_numbers() -> None:
    complex_numbers = torch.view_as_complex(torch.rand(3, 2)).conj()
    pairs = torch.view_as_real(complex_numbers.resolve_conj())
    assert not difference([pairs], [complex_numbers])
    assert not difference([complex_numbers], [complex_numbers])
    assert difference([pairs + 1], [complex_numbers])


def test_which_results_differ() -> None:
    x, y = torch.ones(2), torch.zeros(3)
    assert differing_results([x, y + 1], [x, y]) == {1}
    assert differing_results([x], [x, y]) == set()  # they are not in pairs


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.int64, torch.bool])
def test_an_array_becomes_the_tensor_that_it_was(dtype: torch.dtype) -> None:
    tensor = torch.tensor([[1, 0, 2]]).to(dtype)
    result = as_tensor(runners.as_array(tensor))
    assert result.dtype is dtype
    assert torch.equal(result, tensor)


def test_a_reversed_array_is_copied() -> None:
    assert as_tensor(np.arange(3.0)[::-1]).tolist() == [2.0, 1.0, 0.0]


def test_a_read_only_array_is_copied() -> None:
    array = np.arange(3.0)
    array.flags.writeable = False
    assert as_tensor(array).tolist() == [0.0, 1.0, 2.0]
