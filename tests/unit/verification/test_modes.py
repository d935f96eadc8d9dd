"""Modes in which PyTorch computes a model otherwise."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime.verification.modes import InFloat64, WithTiesInOnnxOrder


def test_float64_also_where_a_model_names_a_dtype() -> None:
    x = torch.rand(4)
    with InFloat64():
        results = [
            x.sin(),
            x.half() + 1,
            torch.zeros(2, dtype=torch.float32),
            torch.fft.rfft(x),
            torch.arange(3),
        ]
    dtypes = [torch.float64, torch.float64, torch.float64, torch.complex128, torch.int64]
    assert [result.dtype for result in results] == dtypes


@pytest.mark.filterwarnings("ignore:`torch.jit.script`")
def test_a_scripted_model_in_float64() -> None:
    scripted = torch.jit.script(torch.nn.Sequential(torch.nn.Linear(2, 2)))
    with InFloat64(), torch.no_grad():
        assert scripted(torch.rand(2)).dtype == torch.float64


def test_a_tensor_that_is_written_keeps_its_dtype() -> None:
    total = torch.zeros(2)
    with InFloat64():
        total.add_(torch.ones(2))
        torch.add(total, total, out=total)
    assert total.tolist() == [2.0, 2.0]


def test_equal_values_in_order_of_their_indices() -> None:
    x = torch.tensor([[1.0, 2.0, 1.0, 2.0, 2.0]]).repeat(1, 40)
    with WithTiesInOnnxOrder():
        sorts = [x.sort().indices, x.argsort(), torch.sort(x, stable=False).indices]
        largest = torch.topk(x, 3).indices.tolist()
        least = x.topk(2, largest=False).indices.tolist()
        second, third = x.kthvalue(2), x.kthvalue(43, keepdim=True)
        assert torch.tensor(3.0).topk(1).indices.item() == 0
    assert all(torch.equal(indices, x.sort(stable=True).indices) for indices in sorts)
    assert (largest, least) == ([[1, 3, 4]], [[0, 2]])
    assert (second.values.tolist(), second.indices.tolist()) == ([1.0], [2])
    assert third.indices.tolist() == [[105]]


def test_writes_to_views_in_float64() -> None:
    """They reach the tensor, whose dtype a view keeps: else a file without them would be as
    right.
    """
    with InFloat64():
        sums = torch.zeros(3)
        sums[1:].add_(torch.ones(2))
    assert sums.tolist() == [0, 1, 1]
