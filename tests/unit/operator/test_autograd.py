"""Derivatives of operators: of a formula, of autograd through the kernel, and of lists."""

from __future__ import annotations

import pytest
import torch
from torch.autograd import gradcheck, gradgradcheck

from .samples import ScaledFunction, normalized, scaled, weighted

X = torch.linspace(-1, 2, 4, dtype=torch.float64)
WEIGHT = torch.full((4,), 3.0, dtype=torch.float64)


def test_formula() -> None:
    x = X.clone().requires_grad_()
    assert gradcheck(lambda x: scaled(x, WEIGHT, 0.5), x)
    assert gradgradcheck(lambda x: scaled(x, WEIGHT, 0.5), x)


def test_defaults_of_the_schema() -> None:
    x = X.clone().requires_grad_()
    scaled(x, WEIGHT).sum().backward()
    torch.testing.assert_close(x.grad, 2 * X * WEIGHT)


def test_the_function_has_the_same_gradients() -> None:
    x = X.clone().requires_grad_()
    result = ScaledFunction.apply(x, WEIGHT, 2.0)
    (gradient,) = torch.autograd.grad(result.sum(), x)
    torch.testing.assert_close(gradient, 4 * X * WEIGHT)


def test_a_gradient_without_formula_is_refused() -> None:
    weight = WEIGHT.clone().requires_grad_()
    with pytest.raises(NotImplementedError, match="the gradient of weight has no formula"):
        scaled(X, weight).sum().backward()


def test_autograd_through_the_kernel() -> None:
    x, index = X.clone().requires_grad_(), torch.tensor([3, 0, 1])
    assert gradcheck(lambda x: normalized(x, index)[0], x)
    assert gradgradcheck(lambda x: normalized(x, index)[0], x)


def test_integer_results_are_not_differentiable() -> None:
    x = X.clone().requires_grad_()
    result, numbers = normalized(x, torch.tensor([1, 2]))
    assert result.requires_grad
    assert not numbers.requires_grad
    assert numbers.tolist() == [2, 3]


def test_a_list_has_a_list_of_gradients() -> None:
    tensors = [X.clone().requires_grad_(), X.flip(0).requires_grad_()]
    weight = WEIGHT.clone().requires_grad_()
    assert gradcheck(lambda *values: weighted([*values[:2]], values[2]), (*tensors, weight))


def test_only_what_is_requested() -> None:
    tensors = [X.clone().requires_grad_(), X.clone()]
    weighted(tensors, WEIGHT).sum().backward()
    torch.testing.assert_close(tensors[0].grad, WEIGHT)
    assert tensors[1].grad is None


def test_without_gradients_the_result_has_none() -> None:
    x = X.clone().requires_grad_()
    with torch.no_grad():
        assert not scaled(x, WEIGHT).requires_grad
    assert scaled(x, WEIGHT).requires_grad


def test_a_missing_tensor_is_named() -> None:
    with pytest.raises(TypeError, match="weight"):
        scaled(X, None)
