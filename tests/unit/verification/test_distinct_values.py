"""Tensors with distinct values in place of equal ones."""

from __future__ import annotations

import torch

from onnxop_runtime.verification.distinct_values import count_values, distinct


def test_distinct_values_keep_their_signs_and_sizes() -> None:
    """Otherwise, an operator that is wrong for negative or for large integers would be called
    right.
    """
    x = torch.tensor([-7, -7, 0, 100, 0, 100, 3, -2])
    others = distinct(x)
    assert sorted(others.tolist()) == [-8, -7, -2, 0, 1, 3, 100, 101]
    assert [*map(bool, others < 0)] == [*map(bool, x < 0)]
    halves = distinct(torch.tensor([0.5, -0.5, 0.5, 0.0]))
    assert (halves.sign().tolist(), sorted(halves.abs().tolist())) == (
        [1, -1, 1, 0],
        [0, 0.5, 0.625, 0.75],
    )


def test_count_of_values() -> None:
    assert count_values(torch.tensor([1.0, 2.0, 1.0])) == 2
