"""The check that a model traced at one size holds at other sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.export import Dim

from onnxop_runtime.exporting.call.dynamic_shapes import OperatorLog, check_dynamic

from .graphs import Calling

pytestmark = pytest.mark.filterwarnings("ignore")
X = torch.ones(4, 3)


def check(function: Callable[[Tensor], Any], dim: Any = Dim.DYNAMIC, x: Tensor = X) -> None:
    model, shapes = Calling(function).eval(), ({0: dim},)
    program = torch.onnx.export(model, (x,), dynamo=True, dynamic_shapes=(shapes,), verbose=False)
    assert program is not None
    check_dynamic(program, (model, (x,), {}), (shapes,))


@pytest.mark.slow
def test_a_model_for_any_size() -> None:
    check(lambda x: (x * 2).sum(0))


def with_branch(x: Tensor) -> Tensor:
    return x.neg() if x.shape[0] > 4 else x.abs()


def test_other_operators_at_another_size() -> None:
    with pytest.raises(
        ValueError,
        match="dynamic dimension 0 of .* is 4, but PyTorch runs other operators where it is 5; write",
    ):
        check(with_branch)


def test_auto_lifts_the_check() -> None:
    check(with_branch, Dim.AUTO)


@pytest.mark.slow
def test_sizes_out_of_the_dim_s_range_are_not_tried() -> None:
    check(with_branch, Dim("n", min=2, max=4))


@pytest.mark.slow
def test_each_dimension_has_the_range_of_its_own_dim() -> None:
    """A small batch, as its Dim says, does not hide what a long sequence changes."""

    def by_length(x: Tensor) -> Tensor:
        return x.neg() if x.shape[1] > 128 else x.abs()

    model, dims = Calling(by_length).eval(), {0: Dim("batch", max=8), 1: Dim("length")}
    x = torch.ones(2, 128)
    program = torch.onnx.export(model, (x,), dynamo=True, dynamic_shapes=((dims,),), verbose=False)
    assert program is not None
    with pytest.raises(ValueError, match="dimension 1 of .* is 128, .* operators where it is 129"):
        check_dynamic(program, (model, (x,), {}), ((dims,),))


@pytest.mark.slow
def test_a_model_that_refuses_a_size() -> None:
    def even(x: Tensor) -> Tensor:
        return x.reshape(x.shape[0] // 2, 2, 3)

    check(even, Dim("half", min=1, max=100) * 2)


def test_operators_are_logged_with_their_number_of_results() -> None:
    with OperatorLog() as log:
        torch.ones(3).max(0)
    assert log.operators[-1] == (torch.ops.aten.max.dim, 2)
