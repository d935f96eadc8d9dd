"""Rows of nearly equal scores, which may be in another order, and other rows, which may not."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime.verification.row_order import differs_in_order_of_near_scores


def _detections() -> torch.Tensor:
    """Return rows of a box, a sorted score, of which the second and third are nearly equal, and a
    class.
    """
    boxes = torch.arange(20.0).reshape(5, 4) / 7
    scores = torch.tensor([[0.9], [0.5], [0.5 - 1e-7], [0.3], [0.1]])
    return torch.cat([boxes, scores, torch.tensor([[1.0], [0], [2], [0], [1]])], 1)


ORDERS = pytest.mark.parametrize(
    ("order", "is_right"),
    [([0, 2, 1, 3, 4], True), ([0, 1, 3, 2, 4], False), ([0, 2, 2, 3, 4], False)],
)


@ORDERS
def test_rows_of_nearly_equal_scores(order: list[int], is_right: bool) -> None:
    """They may be in another order, but none may be another's or twice."""
    rows = _detections()
    assert differs_in_order_of_near_scores([rows[order]], [rows]) is is_right
    assert differs_in_order_of_near_scores([rows[order][None]], [rows[None]]) is is_right
    parts = torch.split(rows, [4, 1, 1], 1)
    assert differs_in_order_of_near_scores([part[order] for part in parts], parts) is is_right
    others = torch.rand(5, 2)  # in another order of their own
    assert differs_in_order_of_near_scores([rows[order], others], [rows, others]) is is_right
    assert not differs_in_order_of_near_scores([rows[order] + 0.01], [rows])
    assert not differs_in_order_of_near_scores(
        [rows[order][:, :4]], [rows[:, :4]]
    )  # there are no scores
    grouped = rows.round()  # classes and numbers of images are no scores
    assert not differs_in_order_of_near_scores([grouped[order]], [grouped])
    assert not differs_in_order_of_near_scores([rows[:4]], [rows])


@ORDERS
def test_rows_of_float16(order: list[int], is_right: bool) -> None:
    rows = _detections().half()
    assert differs_in_order_of_near_scores([rows[order]], [rows]) is is_right


def test_rows_that_are_no_longer_with_their_scores() -> None:
    boxes, scores, _ = torch.split(_detections(), [4, 1, 1], 1)
    assert not differs_in_order_of_near_scores([boxes[[0, 1, 3, 2, 4]], scores], [boxes, scores])


def test_a_number_that_all_rows_have_is_no_score() -> None:
    """Otherwise, any order of such rows would be right."""
    rows = torch.cat([_detections(), torch.full((5, 1), 0.5)], 1)
    assert not differs_in_order_of_near_scores([rows[[0, 1, 3, 2, 4]]], [rows])
    assert differs_in_order_of_near_scores([rows[[0, 2, 1, 3, 4]]], [rows])


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (torch.tensor([472222240]), torch.tensor([472222222])),
        (torch.tensor([[5_000_001], [7]]), torch.tensor([[5_000_000], [7]])),
        (torch.tensor([1.0 + 1e-6], dtype=torch.float64), torch.ones(1, dtype=torch.float64)),
    ],
    ids=["division", "column", "float64"],
)
def test_values_of_rows_that_keep_their_places(
    result: torch.Tensor, expected: torch.Tensor
) -> None:
    """Integers are no scores, and have no tolerance; where no row moves, no order explains it."""
    assert not differs_in_order_of_near_scores([result], [expected])
