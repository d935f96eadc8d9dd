"""Compiled kernels in PyTorch: what their fake kernels say of results. Kernels in Python take their
place here.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.operator import native
from onnxop_runtime.torch_internals import fake_mode
from tests.unit.operator.samples import PACKAGE


def doubled(x: Tensor, y: Tensor) -> Tensor:
    return x + y


def define(name: str) -> None:
    torch.library.define(f"unit_ops::{name}", "(Tensor x, Tensor y) -> Tensor")
    torch.library.impl(f"unit_ops::{name}", "cpu", doubled)


define("added")
ADDED = PACKAGE.operator(
    name="unit_ops::added.default",
    is_native=True,
    elementwise=True,
    dtypes=[torch.float32],
    result_dtype=torch.bool,
    reference=doubled,
    domain="unit_ops",
    op_type="Added",
)
native.register_elementwise(ADDED)

define("described")
DESCRIBED = PACKAGE.operator(
    name="unit_ops::described.default",
    is_native=True,
    infer=lambda x, y: ((torch.int64, [x.shape[0], 7]),),
    domain="unit_ops",
    op_type="Described",
)
native.register_source(DESCRIBED)


def faked(operator: Any, *sizes: tuple[int, ...]) -> Tensor:
    """Return the operator's result for tensors of these sizes, without values."""
    with fake_mode():
        result: Tensor = operator.overload(*map(torch.empty, sizes))
    return result


def test_an_elementwise_kernel_broadcasts() -> None:
    result = faked(ADDED, (2, 1, 3), (4, 1))
    assert (result.shape, result.dtype) == ((2, 4, 3), torch.bool)


def test_infer_describes_the_results_of_a_kernel_by_hand() -> None:
    result = faked(DESCRIBED, (5, 2), (1,))
    assert (result.shape, result.dtype) == ((5, 7), torch.int64)


@pytest.mark.parametrize(
    ("tensor", "order"),
    [
        (torch.empty(2, 3, 4), []),
        (torch.empty(4, 3, 2).permute(2, 1, 0), [2, 1, 0]),
        (torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last), [0, 2, 3, 1]),
        (torch.empty(1, 3).expand(2, 3), []),  # a stride of 0 tells no order
    ],
)
def test_results_have_the_memory_order_of_a_tensor(tensor: Tensor, order: list[int]) -> None:
    assert native._order([tensor], tensor.shape) == order
