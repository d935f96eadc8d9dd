"""When the reference implementation computes in place of a kernel, and its part in torch.vmap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.operator import reference, vmap
from onnxop_runtime.operator.model import Operator

Library: Any = torch.library.Library  # untyped in torch
LIBRARY = Library("test_reference", "DEF")


def operator(name: str, schema: str, kernel: Callable[..., Any], **facts: Any) -> Operator:
    LIBRARY.define(f"{name}{schema}")
    LIBRARY.impl(name, kernel, "CPU")
    called = f"test_reference::{name}"
    defaults: Any = {"package": None, "name": f"{called}.default", "domain": "d", "op_type": name}
    return Operator(reference=kernel, **defaults, **facts)


ROWS = operator(
    "rows",
    "(Tensor x, Tensor index) -> Tensor",
    lambda x, index: x[index],
    dtypes=[torch.float32, torch.float64],
)


@pytest.mark.parametrize(
    ("dtype", "index", "wanted"),
    [
        (torch.float32, torch.int64, False),
        (torch.float64, torch.int32, False),
        (torch.float16, torch.int64, True),
    ],
)
def test_the_kernel_s_dtypes_are_those_of_the_first_tensor(
    dtype: torch.dtype, index: torch.dtype, wanted: bool
) -> None:
    values = [torch.rand(3, 4).to(dtype), torch.tensor([2, 0], dtype=index)]
    assert reference.kernel_unsupported(ROWS, values) is wanted
    values[1] = values[1].to_sparse()
    native = replace(ROWS, is_native=True)
    assert reference.kernel_unsupported(native, values), "the kernel computes with dense tensors"


def test_vmap_of_a_reference_that_pytorch_does_not_batch() -> None:
    """Check that it computes each item alone; errors are those of an item, too."""

    def above_mean(x: Tensor) -> Tensor:
        if x.numel() == 0:
            raise RuntimeError("nothing has a mean")
        return x * x[x > x.mean()].numel()

    vmap.register(operator("above_mean", "(Tensor x) -> Tensor", above_mean))
    called = torch.ops.test_reference.above_mean
    batch = torch.tensor([[0.0, 1.0, 5.0], [0.0, 4.0, 5.0]])
    with pytest.warns(
        vmap.LoopWarning, match="calls test_reference::above_mean once for each item"
    ):
        result = torch.vmap(called)(batch)
    assert torch.equal(result, torch.stack([called(row) for row in batch]))
    torch.vmap(called)(batch)  # warned once
    with pytest.raises(RuntimeError, match="nothing has a mean"):
        torch.vmap(called)(torch.zeros(2, 0))
