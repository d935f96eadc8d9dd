"""Results at infinities and zeros that right kernels have otherwise than the reference."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from onnxop_runtime.testing.arguments import Arguments
from onnxop_runtime.testing.draws.calls.call import DrawnCall
from onnxop_runtime.testing.draws.judging.limits import has_limit, is_of_one_side
from onnxop_runtime.testing.samples import Sample, tensor

INFINITY = float("inf")


def limits(reference: Callable[..., Tensor], **arguments: Tensor) -> list[bool]:
    def compute(of_call: Arguments) -> Tensor:
        return reference(**of_call)

    have_limits: list[bool] = has_limit(compute, arguments, [compute(arguments)])[0].tolist()
    return have_limits


def test_an_interpolation_of_an_infinity_has_a_limit() -> None:
    x, y = torch.tensor([INFINITY, 1.0, 1.0]), torch.tensor([0.0, float("nan"), -1.0])
    assert limits(lambda x, y: x + 0.25 * (y - x), x=x, y=y) == [True, False, False]


def test_a_logistic_function_of_infinity_has_a_limit() -> None:
    assert limits(lambda x: x / (1 + x.abs()), x=torch.tensor([INFINITY, -INFINITY])) == [True] * 2


def test_differences_and_products_have_no_limit() -> None:
    x, y = torch.tensor([INFINITY, 0.0]), torch.tensor([INFINITY, INFINITY])
    assert limits(lambda x, y: x - y, x=x, y=y) == [False, False]
    assert limits(lambda x, y: x * y, x=x, y=y) == [False, False]
    assert limits(lambda x: x.sin(), x=x) == [False, False]


def is_excused(
    reference: Callable[..., Tensor], kernel: Callable[..., Tensor], **values: list[float]
) -> list[bool]:
    drawn = DrawnCall(Sample(**{name: tensor(numbers) for name, numbers in values.items()}))
    excused: list[bool] = is_of_one_side(
        lambda arguments: reference(**arguments),
        drawn,
        [kernel(**drawn.arguments())],
        lambda other: [kernel(**other.arguments())],
    )[0].tolist()
    return excused


def reciprocal(x: Tensor, w: Tensor) -> Tensor:
    return 1 / (x * w + x / 2)


def reciprocal_of_product(x: Tensor, w: Tensor) -> Tensor:
    return 1 / (x * (w + 0.5))


def test_a_reciprocal_may_be_the_limit_from_the_zero_s_side() -> None:
    x, w = [0.0, -0.0, 1.0], [-1.0, -1.0, 1.0]
    assert is_excused(reciprocal, reciprocal_of_product, x=x, w=w) == [True, True, False]


def test_a_kernel_for_which_zeros_have_no_sign_is_not_excused() -> None:
    wrong = {
        "-0.0 is 0": lambda x, w: reciprocal_of_product(x.abs(), w),
        "infinity is the largest": lambda x, w: reciprocal(x, w).nan_to_num(),
    }
    for name, kernel in wrong.items():
        assert not any(is_excused(reciprocal, kernel, x=[-0.0, 0.0], w=[2.0, 2.0])), name


def test_another_comparison_is_not_excused() -> None:
    x = [0.0, -0.0, 1.0]
    assert not any(is_excused(lambda x: (x > 0).float(), lambda x: (x >= 0).float(), x=x))
    assert not any(is_excused(torch.sign, lambda x: torch.where(x >= 0, 1.0, -1.0), x=x))
