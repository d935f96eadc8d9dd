"""Which zeros must have the reference's sign: those that it surely passes on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from onnxop_runtime.testing.arguments import Arguments
from onnxop_runtime.testing.draws.judging.signs import signed_zeros

BOTH = [0.0, -0.0]
PASSED: dict[str, Callable[..., Tensor]] = {
    "negated": lambda x: -x,
    "scaled": lambda x: x * -0.25,
    "absolute": lambda x: x.abs(),
    "between bounds": lambda x: x.clamp(-1.0, 1.0),
    "sine": lambda x: x.sin(),
    "tanh": lambda x: x.tanh(),
    "root": lambda x: x.abs().sqrt(),
    "less 0": lambda x: x - 0.0,
}
NOT_PASSED: dict[str, Callable[..., Tensor]] = {
    "positive part": lambda x: torch.where(x > 0, x, x * 0),
    "negative part": lambda x: x.clamp(max=0.0),
    "two slopes": lambda x: torch.where(x > 0, x, x / 4),
    "square": lambda x: x * x,
    "signed square": lambda x: x * x.abs(),
    "rounded": lambda x: x.round(),
    "times 0": lambda x: x * 0.0,
    "rest": lambda x: (x - 4.0).fmod(2.0),
}


def passed(reference: Callable[..., Tensor], **arguments: object) -> list[bool]:
    def compute(of_call: Arguments) -> Tensor:
        return reference(**of_call)

    result = compute(arguments)
    signs: list[bool] = signed_zeros(compute, arguments, result).tolist()
    return signs


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("name", PASSED)
def test_signs_that_a_reference_passes_on(name: str, dtype: torch.dtype) -> None:
    assert passed(PASSED[name], x=torch.tensor(BOTH, dtype=dtype)) == [True, True]


@pytest.mark.parametrize("name", NOT_PASSED)
def test_signs_that_a_comparison_or_a_square_decides(name: str) -> None:
    passes = passed(NOT_PASSED[name], x=torch.tensor([*BOTH, 1.0]))
    # Of parts, +0.0 is of the side that passes small numbers, and no kernel makes it negative.
    assert passes in ([False, False, False], [True, False, False], [False, True, False])
    assert name.endswith("part") or not any(passes)


def test_a_sum_has_a_sign_where_no_term_is_of_the_other() -> None:
    x, w = torch.tensor([0.0, -0.0, 0.0, -0.0]), torch.tensor([1.0, 1.0, -1.0, -1.0])
    # 2 * w * x + x: of the last two, the terms are zeros of both signs, and the sum is positive.
    assert passed(lambda x, w: 2 * w * x + x, x=x, w=w) == [True, True, False, True]


def test_of_two_zeros_a_comparison_or_a_sum_decides() -> None:
    x, y = torch.tensor([0.0, -0.0, 0.0, -0.0]), torch.tensor([0.0, 0.0, -0.0, -0.0])
    assert not any(passed(lambda x, y: x.maximum(y), x=x, y=y)[1:3])
    assert passed(lambda x, y: x + y, x=x, y=y) == [True, False, False, True]
    assert not any(passed(lambda x, y: x * y, x=x, y=y))


def test_numbers_that_are_zero_in_float16_alone_have_no_sign() -> None:
    x = torch.tensor([-0.0, 1.0], dtype=torch.float16)
    assert passed(lambda x: x - 1e-9, x=x) == [False, False]


def test_a_scalar_of_zero_may_decide() -> None:
    x = torch.tensor(BOTH)
    assert passed(lambda x, shift: x - shift, x=x, shift=0.0) == [False, True]
    assert passed(lambda x, shift: x - shift, x=x, shift=0) == [False, False]
    assert passed(lambda x, flag: -x if flag else x, x=x, flag=False) == [True, True]


def test_flags_are_no_integers_of_0() -> None:
    x = torch.tensor(BOTH)
    assert (
        passed(lambda x, flip: x.flip(0) if flip[0] else x, x=x, flip=[True, False]) == [True] * 2
    )
    assert passed(lambda x, shift: x + shift[0], x=x, shift=[0, 1]) != [True] * 2
