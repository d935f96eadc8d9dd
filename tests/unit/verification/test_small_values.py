"""Results that the tolerance hides because their values are smaller than it."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

import onnxop_runtime
from onnxop_runtime.verification.judge import Judgement, Kind, judge
from onnxop_runtime.verification.pytorch_results import PyTorchResults
from onnxop_runtime.verification.small_values import wrong_small_values
from tests.unit.verification.calls import called

X = torch.linspace(1, 2, 50)


def judged(result: Tensor, pytorch: PyTorchResults) -> Judgement:
    """Judge a file that returns this result for all inputs."""
    return judge([result], pytorch, lambda _: [result])


def test_zeros_in_place_of_small_values() -> None:
    pytorch = called(lambda x: x * 1e-9, X)
    judgement = judged(torch.zeros(50), pytorch)
    assert judgement.kind is Kind.WRONG
    (text,) = judgement.differences
    assert text.startswith(
        "output 0: it is off by 100% as a whole (norm), PyTorch's own values by "
    )
    assert text.endswith("because the values are that small, 2e-09 at most")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.complex64])
def test_an_error_of_a_fifth(dtype: torch.dtype) -> None:
    """In each dtype, of values at the size of its tolerance."""
    size = 1e-3 if dtype in (torch.float16, torch.bfloat16) else 1e-5
    pytorch = called(lambda x: x * size, X.to(dtype))
    (own,) = pytorch.expected
    assert judged(own, pytorch) == Judgement(Kind.RIGHT)
    assert judged(own * 1.2, pytorch).kind is Kind.WRONG
    assert judged(own * 1.02, pytorch).kind is Kind.RIGHT


def test_what_rounding_decides_is_right() -> None:
    """What is left of numbers that cancel each other differs by as much as it is large."""
    pytorch = called(lambda x: (x + 0.1) - x - 0.1, X)
    assert 0 < float(pytorch.expected[0].abs().max()) < 1e-5
    assert judged(torch.zeros(50), pytorch).kind is Kind.RIGHT


def test_zeros_and_random_values_are_right() -> None:
    assert judged(torch.full((50,), 1e-9), called(torch.zeros_like, X)).kind is Kind.RIGHT
    assert judged(torch.zeros(50), called(lambda x: torch.rand_like(x) * 1e-9, X)).is_right


def test_integers_and_infinities_have_no_small_values() -> None:
    integers = called(lambda x: x.long(), X)
    assert wrong_small_values(integers.expected, integers) == []
    infinite = called(lambda x: x / 0, X)
    assert wrong_small_values(infinite.expected, infinite) == []


class Scaled(nn.Module):
    """A model whose results are as small as its factor."""

    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: Tensor) -> Tensor:
        """Return x times the factor, for x of any shape."""
        return x * self.factor


def test_verify_refuses_a_file_with_another_factor(tmp_path: Path) -> None:
    file = tmp_path / "tiny.onnx"
    onnxop_runtime.export(Scaled(1e-9).eval(), (X,), file)
    onnxop_runtime.verify(Scaled(1e-9), (X,), f=file)
    with pytest.raises(AssertionError, match=r"off by 67% as a whole"):
        onnxop_runtime.verify(Scaled(3e-9), (X,), f=file)
    onnxop_runtime.verify(Scaled(3e-9), (X,), f=file, atol=1e-5)
