"""What further calls of a model tell of its results."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.verification import pytorch_results
from onnxop_runtime.verification.pytorch_results import Varying
from tests.unit.verification.calls import called


def test_results_in_float64() -> None:
    x = torch.rand(3)
    pytorch = called(lambda x: (x.float().exp(), torch.complex(x, x)), x)
    assert not isinstance(pytorch.exact, str)
    exponential, pairs = pytorch.exact
    assert torch.equal(exponential, x.double().exp())
    assert torch.equal(pairs, torch.stack([x, x], 1).double())


def test_a_model_in_float64_stays_as_it_was() -> None:
    model = torch.nn.BatchNorm1d(2)
    pytorch = called(model, torch.rand(3, 2))
    assert not isinstance(pytorch.exact, str)
    assert {value.dtype for value in model.state_dict().values()} == {torch.float32, torch.int64}


def only_float32(x: Tensor) -> Tensor:
    if x.dtype != torch.float32:
        raise RuntimeError("expected Float\nbut got Double")
    return x.sin()


def test_why_there_are_none_in_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    pytorch = called(only_float32, torch.rand(3))
    fact = "PyTorch does not run the model in float64 (RuntimeError: expected Float)"
    assert pytorch.exact == fact
    other = called(lambda x: x[: x.element_size()], torch.rand(9))
    assert other.exact == "in float64 its results have other shapes"
    monkeypatch.setattr(pytorch_results, "MOST_PARAMETERS", 5)
    large = called(torch.nn.Linear(2, 2), torch.rand(2))
    assert large.exact == "a model of 6 parameters, more than 5, is not copied"


def draws(x: Tensor) -> Any:
    return x + 1, torch.multinomial(torch.tensor([0.7, 0.3]), 1), x.sum(0)


def test_results_that_vary() -> None:
    assert called(draws, torch.rand(3)).varying == Varying(frozenset(), frozenset({1}))
    assert called(torch.sin, torch.rand(3)).varying == Varying()
    lengths = called(lambda x: x[: torch.randint(1, 4, ()).item()], torch.rand(3))
    assert lengths.varying == Varying(frozenset({0}), frozenset())


def test_the_random_numbers_of_the_program_stay() -> None:
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    assert called(draws, torch.ones(3)).varying.values
    assert torch.equal(torch.rand(2), expected)


def test_equal_values_in_onnx_order() -> None:
    equal = torch.zeros(4000)
    pytorch = called(lambda x: x.topk(300).indices, equal)
    assert pytorch.in_onnx_order is not None
    assert pytorch.in_onnx_order.expected[0].tolist() == [*range(300)]
    assert called(lambda x: x.topk(3).indices, torch.arange(9.0)).in_onnx_order is None


@pytest.mark.parametrize(("count", "is_changed"), [(100, True), (4000, False)])
def test_equal_values_of_a_small_dtype(count: int, is_changed: bool) -> None:
    """Of bfloat16 there are not as many different ones: the call is not tried over and over."""
    pytorch = called(torch.nn.Identity(), torch.ones(count, dtype=torch.bfloat16))
    assert (pytorch.of_distinct_values is not None) == is_changed


def test_complete_results_need_no_model() -> None:
    pytorch = called(lambda x: x.topk(300).indices, torch.zeros(4000))
    pytorch.complete()
    copied = pickle.loads(pickle.dumps(pytorch))
    assert copied.varying == Varying()
    assert torch.equal(copied.exact[0], copied.expected[0])
    assert copied.in_onnx_order.expected[0].tolist() == [*range(300)]
    assert copied.of_distinct_values.tensors[0].unique().numel() == 4000
    assert copied.in_onnx_order.exact
