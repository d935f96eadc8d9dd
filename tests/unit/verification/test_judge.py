"""The judge of results: what is right except for what PyTorch leaves open, and what is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.verification.judge import Judgement, Kind, judge
from onnxop_runtime.verification.pytorch_results import PyTorchResults
from tests.unit.verification.calls import called


def judged(results: Sequence[Tensor], pytorch: PyTorchResults) -> Judgement:
    """Judge a file that returns these results for all inputs."""
    return judge(results, pytorch, lambda _: [*results])


def detect(boxes: Tensor, scores: Tensor) -> Any:
    """Return the rows of the best scores, with their scores."""
    order = scores.argsort(descending=True)
    return torch.cat([boxes[order], scores[order, None]], 1)


BOXES = torch.arange(20.0).reshape(5, 4) / 7
SCORES = torch.tensor([0.9, 0.5, 0.5 - 1e-7, 0.3, 0.1])


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
def test_a_row_in_another_place(dtype: torch.dtype) -> None:
    pytorch = called(detect, BOXES.to(dtype), SCORES.to(dtype))
    (rows,) = pytorch.expected
    assert judged([rows], pytorch) == Judgement(Kind.RIGHT)
    near = judged([rows[[0, 2, 1, 3, 4]]], pytorch)
    assert near.kind is Kind.NEAR_ROWS
    assert "8 of 25 elements differ" in near.differences[0]
    assert judged([rows[[0, 1, 3, 2, 4]]], pytorch).kind is Kind.WRONG


@pytest.mark.parametrize("function", [torch.sin, lambda x: (x + 1e4) - 1e4])
def test_an_error_of_a_thousandth(function: Any) -> None:
    x = torch.linspace(0.1, 1, 1000)
    pytorch = called(function, x)
    exact: Any = pytorch.exact
    assert judged([exact[0].float()], pytorch).is_right
    assert judged([pytorch.expected[0] + 1e-3], pytorch).kind is Kind.WRONG


def test_rounding() -> None:
    x = torch.rand(50)
    pytorch = called(lambda x: (x + 1e4) - 1e4, x)
    judgement = judged([x], pytorch)
    assert (judgement.kind, judgement.note) == (Kind.ROUNDING, "")
    assert 0 < judgement.error < 1e-3
    half = called(lambda x: (x + 4e1) - 4e1, x.half())
    assert judged([x.half()], half).kind is Kind.ROUNDING
    assert judged([x.half() + 0.2], half).kind is Kind.WRONG


def test_rounding_that_no_further_call_has_to_tell() -> None:
    """A model may need minutes in float64: it is not called where few elements differ by little."""
    calls: list[torch.dtype] = []

    def function(x: Tensor) -> Tensor:
        calls.append(x.dtype)
        return x * 2

    pytorch = called(function, torch.rand(200, 100) + 0.5)
    (expected,) = pytorch.expected
    few = expected.clone()
    few[:15, 0] += 5e-4
    assert judged([few], pytorch).kind is Kind.ROUNDING
    assert calls == [torch.float32]
    few[:30, 0] += 5e-4
    assert judged([few], pytorch).kind is Kind.WRONG
    assert torch.float64 in calls


def test_equal_values_in_another_order() -> None:
    """Those of ONNX, and no other, for floats; any for integers that are right for distinct
    values.
    """
    boxes = torch.rand(400, 4)
    pytorch = called(lambda x, s: x[s.topk(300).indices], boxes, torch.zeros(400))
    assert judged([boxes[:300]], pytorch).kind is Kind.TIES
    assert judged([boxes[100:]], pytorch).kind is Kind.WRONG

    indices = called(lambda x: x.sort().indices, torch.zeros(400))
    last_first = torch.arange(400).flip(0)
    right = judge([last_first], indices, lambda tensors: [tensors[0].sort().indices])
    assert right.kind is Kind.TIES
    wrong = judge([last_first], indices, lambda tensors: [(-tensors[0]).sort().indices])
    assert wrong.kind is Kind.WRONG


def draws(x: Tensor) -> Any:
    return x + 1, torch.multinomial(torch.tensor([0.7, 0.3]), 1), x.sum(0)


def test_what_is_random_hides_nothing() -> None:
    x = torch.rand(3)
    pytorch = called(draws, x)
    other, total = 1 - pytorch.expected[1], x.sum(0)
    assert judged([x + 1, other, total], pytorch).kind is Kind.RANDOM
    wrong = judged([x + 2, other, total], pytorch)
    assert (wrong.kind, wrong.random) == (Kind.WRONG, frozenset({1}))
    assert [text.partition(":")[0] for text in wrong.differences] == ["output 0"]
    assert judged([x + 2, pytorch.expected[1], total], pytorch).random == frozenset()
    of_other_dtype = judged([x + 1, other.float(), total], pytorch)
    assert (of_other_dtype.kind, of_other_dtype.random) == (Kind.WRONG, frozenset())
    lengths = called(lambda x: torch.rand(int(torch.randint(1, 99, ()))), x)
    assert judged([torch.rand(100)], lengths).kind is Kind.RANDOM
    assert judged([torch.rand(100, 1)], lengths).kind is Kind.WRONG  # no call gives another rank


def only_float32(x: Tensor) -> Tensor:
    if x.dtype != torch.float32:
        raise RuntimeError("expected Float")
    return x.sin()


def test_what_is_not_known_of_wrong_results() -> None:
    pytorch = called(only_float32, torch.rand(3))
    note = judged([pytorch.expected[0] + 1], pytorch).note
    assert note.startswith("rounding is not told apart: PyTorch does not run the model in float64")
    steep = called(lambda x: (x * 1e7).sin(), torch.linspace(-0.9, 0.8, 12))
    note = judged([steep.expected[0] + 0.1], steep).note
    assert note == "PyTorch's own values are as far from those in float64: rounding decides them"
    assert judged([steep.expected[0] + 9], steep).note == ""  # farther than PyTorch's
    integers = called(lambda x: x + 1, torch.tensor([1]))
    assert judged([torch.tensor([3])], integers).note == ""


def test_distances_to_itself_that_rounding_decides() -> None:
    """Equal numbers cancel out on the diagonal, where PyTorch multiplies matrices: above 25 rows. A
    runtime has such values in other rows.
    """
    torch.manual_seed(0)
    pytorch = called(lambda x: torch.cdist(x, x), torch.randn(30, 8))
    other = pytorch.expected[0].clone()
    other.diagonal().copy_(pytorch.expected[0].diagonal().flip(0))
    judgement = judged([other], pytorch)
    assert (judgement.kind, judgement.is_by_rounding) == (Kind.WRONG, True)
    far = judged([pytorch.expected[0] + torch.eye(30)], pytorch)
    assert (far.kind, far.is_by_rounding) == (Kind.WRONG, False)


def test_rounding_beside_a_result_of_another_shape_in_float64() -> None:
    """As the rows that float64 tells apart: they say nothing of other results."""
    torch.manual_seed(0)
    x = torch.randn(30, 8)
    pytorch = called(lambda x: (x[: x.element_size()], torch.cdist(x, x)), x)
    exact = torch.cdist(x.double(), x.double()).float()
    assert judged([pytorch.expected[0], exact], pytorch).kind is Kind.ROUNDING
    wrong = judged([pytorch.expected[0] + 1, pytorch.expected[1]], pytorch)
    assert wrong.note == "rounding is not told apart: in float64 its results have other shapes"


def test_another_number_of_results() -> None:
    pytorch = called(torch.sin, torch.rand(3))
    judgement = judged([], pytorch)
    assert (judgement.kind, judgement.differences) == (Kind.WRONG, ("0 outputs instead of 1",))
