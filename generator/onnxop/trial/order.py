"""Results of ONNX Runtime and PyTorch's → whether rows of nearly equal scores are in another order."""

from __future__ import annotations

import math
from collections.abc import Sequence

import torch

from onnxop_runtime.verification import comparison

from .compare import differing_results

Tensors = Sequence[torch.Tensor]


def is_of_near_scores(results: Tensors, expected: Tensors) -> bool:
    """Return whether results are those expected with rows in another order, each among rows whose
    scores are nearly equal: those of a column of fractions that is sorted. Rows are those of the
    first dimension, or of the second one in a batch.
    """
    wrong = differing_results(results, expected)
    if not wrong or any(results[at].shape != expected[at].shape for at in wrong):
        return False
    return any(_is_in_other_order(results, expected, wrong, dim) for dim in (0, 1))


def _is_in_other_order(results: Tensors, expected: Tensors, wrong: set[int], dim: int) -> bool:
    """Return whether the results that differ do so in the order of the rows of this dimension alone;
    the scores may be another result.
    """
    sizes = expected[min(wrong)].shape[: dim + 1]
    of_rows = [n for n, tensor in enumerate(expected) if tensor.shape[: dim + 1] == sizes]
    if len(sizes) <= dim or not wrong <= {*of_rows}:
        return False
    actual = torch.cat([_rows(results[n], dim) for n in of_rows], 2)
    wanted = torch.cat([_rows(expected[n], dim) for n in of_rows], 2)
    widths = [_rows(expected[n], dim).shape[2] for n in of_rows]
    differs = torch.tensor([n in wrong for n in of_rows]).repeat_interleave(torch.tensor(widths))
    return all(_is_permuted(*rows, differs) for rows in zip(actual, wanted, strict=True))


def _rows(tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """Return a tensor as a batch of rows with columns."""
    columns = math.prod(tensor.shape[dim + 1 :])
    return tensor.double().reshape(math.prod(tensor.shape[:dim]), tensor.shape[dim], columns)


def _is_permuted(actual: torch.Tensor, wanted: torch.Tensor, differs: torch.Tensor) -> bool:
    """Return whether the rows that differ, by the columns that ``differs`` names, are those expected
    at other places of nearly equal scores.
    """
    is_near = _is_near(actual, wanted)
    moved = ~is_near.all(1)
    scores = is_near.all(0) & _are_scores(wanted)
    if not scores.any():
        return not moved.any()
    compared = differs | scores
    left = [*wanted[moved][:, compared]]
    for row in actual[moved][:, compared]:
        match = next((n for n, other in enumerate(left) if _is_near(row, other).all()), None)
        if match is None:
            return False
        left.pop(match)
    return True


def _are_scores(rows: torch.Tensor) -> torch.Tensor:
    """Return, for each column, whether it is sorted, and not of whole numbers alone."""
    steps = rows[1:] - rows[:-1]
    is_sorted = (steps <= 0).all(0) | (steps >= 0).all(0)
    return is_sorted & (rows != rows.round()).any(0)


def _is_near(actual: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    rtol, atol = comparison.TOLERANCES["float32"]
    return torch.isclose(actual, wanted, rtol, atol, equal_nan=True)
