"""Results of ONNX Runtime and PyTorch's → whether rows of nearly equal scores are in another order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from onnxop_runtime.verification import comparison

from .compare import differing_results

Tensors = Sequence[torch.Tensor]


def differs_in_order_of_near_scores(results: Tensors, expected: Tensors) -> bool:
    """Return whether the results are the expected rows in another order, where only rows of nearly
    equal scores change places. The scores are a sorted column of fractions. The rows are along the
    first dimension, or along the second one in a batch.
    """
    wrong = differing_results(results, expected)
    if not wrong or any(results[at].shape != expected[at].shape for at in wrong):
        return False
    return any(_differs_in_order(results, expected, wrong, dim) for dim in (0, 1))


def _differs_in_order(results: Tensors, expected: Tensors, wrong: set[int], dim: int) -> bool:
    """Return whether the order of the rows along this dimension explains all results that differ.
    The columns of all results with as many rows are joined, as the scores may be another result.
    """
    sizes = expected[min(wrong)].shape[: dim + 1]
    joined = [n for n, tensor in enumerate(expected) if tensor.shape[: dim + 1] == sizes]
    if len(sizes) <= dim or not wrong <= {*joined}:
        return False
    rows = torch.cat([_rows(results[n], dim) for n in joined], 2)
    expected_rows = torch.cat([_rows(expected[n], dim) for n in joined], 2)
    widths = [_rows(expected[n], dim).shape[2] for n in joined]
    differs = torch.tensor([n in wrong for n in joined]).repeat_interleave(torch.tensor(widths))
    batches = zip(rows, expected_rows, strict=True)
    return all(_is_permuted(*batch, differs) for batch in batches)


def _rows(tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """Return a tensor as float64[batch, rows, columns]."""
    columns = math.prod(tensor.shape[dim + 1 :])
    return tensor.double().reshape(math.prod(tensor.shape[:dim]), tensor.shape[dim], columns)


def _is_permuted(actual: torch.Tensor, expected: torch.Tensor, differs: torch.Tensor) -> bool:
    """Return whether each row that changed is an expected row of a nearly equal score. ``differs``
    marks the columns of the results that differ.
    """
    is_near = _are_near(actual, expected)
    changed = ~is_near.all(1)
    scores = is_near.all(0) & _are_scores(expected)
    if not scores.any():
        return not changed.any()
    compared = differs | scores
    unmatched = [*expected[changed][:, compared]]
    for row in actual[changed][:, compared]:
        matches = (n for n, other in enumerate(unmatched) if _are_near(row, other).all())
        match = next(matches, None)
        if match is None:
            return False
        unmatched.pop(match)
    return True


def _are_scores(rows: torch.Tensor) -> torch.Tensor:
    """Return, for each column, whether it is sorted and has a fraction."""
    steps = rows[1:] - rows[:-1]
    is_sorted = (steps <= 0).all(0) | (steps >= 0).all(0)
    return is_sorted & (rows != rows.round()).any(0)


def _are_near(actual: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Return, for each element, whether it is within the tolerance of float32."""
    rtol, atol = comparison.TOLERANCES["float32"]
    return torch.isclose(actual, expected, rtol, atol, equal_nan=True)
