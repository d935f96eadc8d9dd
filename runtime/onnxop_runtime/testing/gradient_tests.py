"""Tests of gradients against finite differences and reference implementations."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from .arguments import Arguments, assert_close, assert_same, floating, floats_of, results_of
from .base import OperatorTests, only_for, required, skip_without_gradient
from .finite_differences import compared
from .samples import Sample
from .torch_settings import unwritten_is_nan


class GradientTests(OperatorTests):
    """Tests of gradients, for operators whose kernel is in the package."""

    @pytest.mark.quick
    @only_for(lambda tests: tests.differentiable)
    def test_gradients(self, sample: Sample) -> None:
        """Compare with finite differences of each result, in memory filled with NaN."""
        call, inputs = self.differentiated(sample, "function", self.differentiable)
        with unwritten_is_nan():
            compared(torch.autograd.gradcheck, call, inputs)

    @only_for(lambda tests: tests.twice_differentiable)
    def test_forward_mode_and_second_derivatives(self, sample: Sample) -> None:
        call, inputs = self.differentiated(sample, "torch.ops", self.twice_differentiable)
        compared(torch.autograd.gradcheck, call, inputs, check_forward_ad=True)
        # Forward over reverse is tested in the runtime: gradcheck fails for gradients that are
        # always zero.
        compared(torch.autograd.gradgradcheck, call, inputs)

    @pytest.mark.quick
    @only_for(lambda tests: tests.operator.has_reference)
    def test_gradients_are_the_reference_s(self, sample: Sample) -> None:
        names = [*self.differentiable, *self.operator.through_reference]
        arguments = sample.arguments()
        if self.operator.is_native:
            arguments = self.in_double(arguments)
        floats = floats_of(arguments, names)
        inputs = required([*floats.values()])
        skip_without_gradient(results_of(self.reference(**arguments)))
        expected = _gradients(self.reference, arguments, inputs)
        actual = _gradients(self.function, arguments, inputs)
        for name, one, reference in zip(floats, actual, expected, strict=True):
            is_finite = torch.isfinite(reference)  # where() gives NaN for the branch not taken
            assert_close(one[is_finite], reference[is_finite], f"the gradient of {name}")

    @only_for(lambda tests: tests.differentiable)
    def test_gradients_where_wanted_only(self, sample: Sample) -> None:
        """Check that only requested gradients are computed, and that neither the inputs nor the
        gradients of the results are changed.
        """
        for wanted in self.with_gradients(sample.arguments()):
            arguments = sample.arguments()
            inputs = self.with_gradients(arguments)
            before = [tensor.clone() for tensor in inputs.values()]
            inputs[wanted].requires_grad_()
            outputs = floating(self.function(**arguments))
            grads = [torch.ones_like(output) for output in outputs]
            torch.autograd.backward(outputs, grads)
            assert_same(tuple(grads), tuple(map(torch.ones_like, grads)))
            assert_same(tuple(tensor.detach() for tensor in inputs.values()), tuple(before))
            for name, tensor in inputs.items():
                if name == wanted:
                    assert tensor.grad is not None and tensor.grad.shape == tensor.shape
                else:
                    assert tensor.grad is None


def _gradients(call: Any, arguments: Arguments, inputs: list[Tensor]) -> tuple[Tensor, ...]:
    results = [result for result in results_of(call(**arguments)) if result.requires_grad]
    if not results:
        return tuple(torch.zeros_like(tensor) for tensor in inputs)
    weights = [torch.linspace(0.5, 2, r.numel()).to(r.dtype).reshape(r.shape) for r in results]
    return tuple(torch.autograd.grad(results, inputs, weights, materialize_grads=True))
