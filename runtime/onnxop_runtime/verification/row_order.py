"""Results of a runtime and PyTorch's → whether rows of nearly equal scores are in another order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from .comparison import TOLERANCES
from .differences import Tensors, differing_results


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
    tolerances = torch.tensor([_tolerance(expected[n]) for n in joined], dtype=torch.float64)
    columns = _Columns(differs, *tolerances.repeat_interleave(torch.tensor(widths), 0).T)
    if not columns.changed(rows, expected_rows).any():
        return False  # no row changes its place
    batches = zip(rows, expected_rows, strict=True)
    return all(_is_permuted(*batch, columns) for batch in batches)


@dataclass(frozen=True)
class _Columns:
    """The columns of rows.

    Attributes:
        differ: bool[columns], whether each belongs to a result that differs.
        relative: float64[columns], the allowed relative error of a value.
        absolute: float64[columns], the allowed absolute error of a value.
    """

    differ: torch.Tensor
    relative: torch.Tensor
    absolute: torch.Tensor

    def are_near(self, actual: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
        """Return, for each element of rows, whether it is within the tolerance of its column."""
        is_same = (actual == expected) | (actual.isnan() & expected.isnan())
        allowed = self.absolute + self.relative * expected.abs()
        return is_same | ((actual - expected).abs() <= allowed)

    def changed(self, actual: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
        """Return, for each row, whether one of its elements is not within the tolerance."""
        return ~self.are_near(actual, expected).all(-1)

    def of(self, chosen: torch.Tensor) -> _Columns:
        """Return the chosen columns alone; ``chosen`` is bool[columns]."""
        return _Columns(self.differ[chosen], self.relative[chosen], self.absolute[chosen])


def _tolerance(tensor: torch.Tensor) -> tuple[float, float]:
    """Return the allowed relative and absolute error of a tensor's values; integers are exact."""
    if not tensor.is_floating_point():
        return 0.0, 0.0
    return TOLERANCES.get(str(tensor.dtype).removeprefix("torch."), TOLERANCES["float32"])


def _rows(tensor: torch.Tensor, dim: int) -> torch.Tensor:
    """Return a tensor as float64[batch, rows, columns]."""
    columns = math.prod(tensor.shape[dim + 1 :])
    return tensor.double().reshape(math.prod(tensor.shape[:dim]), tensor.shape[dim], columns)


def _is_permuted(actual: torch.Tensor, expected: torch.Tensor, columns: _Columns) -> bool:
    """Return whether each row that changed is an expected row of a nearly equal score."""
    is_near = columns.are_near(actual, expected)
    changed = columns.changed(actual, expected)
    scores = is_near.all(0) & _are_scores(expected)
    if not scores.any():
        return not changed.any()
    compared = columns.differ | scores
    chosen = columns.of(compared)
    unmatched = [*expected[changed][:, compared]]
    for row in actual[changed][:, compared]:
        matches = (n for n, other in enumerate(unmatched) if chosen.are_near(row, other).all())
        match = next(matches, None)
        if match is None:
            return False
        unmatched.pop(match)
    return True


def _are_scores(rows: torch.Tensor) -> torch.Tensor:
    """Return, for each column, whether it is sorted, has a fraction, and is not one number."""
    steps = rows[1:] - rows[:-1]
    is_sorted = (steps <= 0).all(0) | (steps >= 0).all(0)
    return is_sorted & (steps != 0).any(0) & (rows != rows.round()).any(0)
