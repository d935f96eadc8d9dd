"""Kernels in Python by dispatch key, and operators in TorchScript."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from onnxop_runtime.operator import dispatch, script
from tests.unit.operator.samples import SCALED, scaled


def test_a_call_by_the_dispatcher() -> None:
    x = torch.full((2,), 3.0)
    result: Any = dispatch.call(SCALED, (x, torch.ones(2)), {"alpha": 2.0})
    assert result.tolist() == [18.0, 18.0]


def test_a_required_tensor_that_is_none() -> None:
    with pytest.raises(
        TypeError, match="unit_ops::scaled: weight must be a tensor, but it is None"
    ):
        dispatch.call(SCALED, (torch.ones(2), None), {})


def test_a_failing_kernel_names_the_argument() -> None:
    def kernel(x: Tensor, weight: Tensor, alpha: float = 1.0) -> Tensor:
        return x * weight.sum() * alpha

    checked = dispatch.of_tensors(SCALED.signature, kernel)
    assert checked(torch.ones(2), torch.ones(2)).tolist() == [2.0, 2.0]
    with pytest.raises(TypeError, match="weight must be a tensor"):
        checked(torch.ones(2), None)
    with pytest.raises(RuntimeError, match="must match the size"):
        dispatch.of_tensors(SCALED.signature, lambda x, weight: x + weight)(
            torch.ones(2), torch.ones(3)
        )


@pytest.mark.filterwarnings("ignore")  # TorchScript is deprecated
def test_torchscript_calls_the_operator() -> None:
    @script.scripted(SCALED)
    def call(x: Tensor, weight: Any, alpha: Any = 1.0) -> Tensor:
        result: Tensor = scaled(x, weight, alpha)
        return result

    def model(x: Tensor) -> Tensor:
        return call(x, x)

    script_of: Any = torch.jit.script
    scripted = script_of(model)
    assert "unit_ops::scaled" in str(scripted.graph)
    assert scripted(torch.full((1,), 2.0)).item() == 8.0
