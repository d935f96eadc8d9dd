"""Tests of gradients, against finite differences, references, and PyTorch's own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from .arguments import Arguments, assert_close, floating, is_floating, results_of, split
from .base import OperatorTests, only_for, required
from .samples import Sample
from .values import unwritten_is_nan

_MANY = 100
"""Elements of the inputs beyond which finite differences are taken along random directions."""


def skip_without_gradient(found: Any) -> None:
    """Skip a test where PyTorch does not differentiate an operator of its own, as not every release does."""
    functions = [result.grad_fn for result in results_of(found) if result.grad_fn is not None]
    if any(function.name().endswith("::NotImplemented") for function in functions):
        pytest.skip("this release of PyTorch has no gradient of its own")


class GradientTests(OperatorTests):
    """Of an operator whose kernel the package has."""

    def drawn(self, sample: Sample) -> tuple[Arguments, list[Tensor]]:
        """Return a sample's arguments in float64, and the tensors among them that have gradients.

        Where there are none, the test is skipped.
        """
        arguments = self.in_double(sample.arguments())
        return arguments, required([*self.with_gradients(arguments).values()])

    @pytest.mark.quick
    @only_for(lambda tests: tests.differentiable)
    def test_gradients(self, sample: Sample) -> None:
        call, inputs = self.differentiated(sample, "torch.ops", self.differentiable)
        assert torch.autograd.gradcheck(call, inputs, **_mode(inputs))

    @only_for(lambda tests: tests.twice_differentiable)
    def test_forward_mode_and_second_derivatives(self, sample: Sample) -> None:
        call, inputs = self.differentiated(sample, "torch.ops", self.twice_differentiable)
        mode = _mode(inputs)
        assert torch.autograd.gradcheck(call, inputs, check_forward_ad=True, **mode)
        # Forward over reverse is the runtime's: gradcheck stumbles over gradients that are always zero.
        assert torch.autograd.gradgradcheck(call, inputs, **mode)

    @pytest.mark.quick
    @only_for(lambda tests: tests.operator.has_reference)
    def test_gradients_are_the_reference_s(self, sample: Sample) -> None:
        names = [*self.differentiable, *self.operator.through_reference]
        arguments = sample.arguments()
        if self.operator.is_native:
            arguments = self.in_double(arguments)
        chosen = {name: value for name, value in arguments.items() if name in names}
        inputs = required([each for each in split(chosen)[0].values() if is_floating(each)])
        skip_without_gradient(self.reference(**arguments))
        expected = _gradients(self.reference, arguments, inputs)
        for call in (self.function, self.operator.overload, self.through_function):
            found = _gradients(call, arguments, inputs)
            for one, wanted in zip(found, expected, strict=True):
                is_told = torch.isfinite(wanted)  # where() has NaN of what it has not taken
                assert_close(one[is_told], wanted[is_told])

    @only_for(lambda tests: tests.differentiable)
    def test_gradients_agree(self, sample: Sample) -> None:
        """The ways to call it have the same gradients, every element of which is written."""
        arguments, inputs = self.drawn(sample)
        expected = _gradients(self.operator.overload, arguments, inputs)
        for call in (self.function, self.through_function):
            with unwritten_is_nan():
                found = _gradients(call, arguments, inputs)
            for one, wanted in zip(found, expected, strict=True):
                assert_close(one, wanted)

    @only_for(lambda tests: tests.differentiable and tests.operator.existing)
    def test_gradients_agree_with_pytorch_s_own(self, sample: Sample) -> None:
        arguments, inputs = self.drawn(sample)
        theirs = results_of(self.operator.overloads[-1](**arguments))
        skip_without_gradient(theirs)
        pairs = [
            (mine, other)
            for mine, other in zip(results_of(self.function(**arguments)), theirs, strict=True)
            if other.requires_grad
        ]
        grads = [torch.rand_like(other) for _, other in pairs]
        expected = torch.autograd.grad([other for _, other in pairs], inputs, grads)
        found = torch.autograd.grad([mine for mine, _ in pairs], inputs, grads)
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10, equal_nan=True)

    @only_for(lambda tests: tests.differentiable and tests.has_several_results())
    def test_gradients_of_each_result(self, sample: Sample) -> None:
        """Each alone, the others being left out, adds up to all together."""
        arguments, inputs = self.drawn(sample)
        for face in ("torch.ops", "Function"):
            outputs = self.faces()[face](**arguments)
            assert all(output.requires_grad == is_floating(output) for output in outputs)
            sums = [output.sum() for output in floating(outputs)]
            expected = torch.autograd.grad(sums, inputs, retain_graph=True)
            parts = [torch.autograd.grad([each], inputs, retain_graph=True) for each in sums]
            for each, wanted in zip(zip(*parts, strict=True), expected, strict=True):
                torch.testing.assert_close(torch.stack(each).sum(0), wanted)

    @only_for(lambda tests: tests.differentiable)
    def test_gradients_where_wanted_only(self, sample: Sample) -> None:
        for wanted in self.with_gradients(sample.arguments()):
            arguments = sample.arguments()
            inputs = self.with_gradients(arguments)
            inputs[wanted].requires_grad_()
            outputs = floating(self.function(**arguments))
            torch.autograd.backward([output.sum() for output in outputs])
            for name, tensor in inputs.items():
                assert (tensor.grad.shape if tensor.grad is not None else None) == (
                    tensor.shape if name == wanted else None
                )


def _mode(inputs: list[Tensor]) -> dict[str, Any]:
    """How gradcheck compares. Along random directions it multiplies the absolute error that it allows by
    the sum of these: with its default, gradients that are 0.3 % off pass there, and at times doubled ones.
    """
    if sum(tensor.numel() for tensor in inputs) <= _MANY:
        return {}
    return {"fast_mode": True, "atol": 1e-8}


def _gradients(
    call: Callable[..., Any], arguments: Arguments, inputs: list[Tensor]
) -> tuple[Tensor, ...]:
    results = [result for result in results_of(call(**arguments)) if result.requires_grad]
    if not results:
        return tuple(torch.zeros_like(tensor) for tensor in inputs)
    weights = [torch.linspace(0.5, 2, r.numel()).to(r.dtype).reshape(r.shape) for r in results]
    return tuple(torch.autograd.grad(results, inputs, weights, materialize_grads=True))
