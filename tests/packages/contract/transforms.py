"""Nested transforms of torch.func and torch.compile: they give what autograd gives."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils import _pytree as pytree

from onnxop_runtime.testing.arguments import (
    assert_same,
    bind,
    each_tensor,
    results_of,
    split,
)
from onnxop_runtime.testing.base import OperatorTests, only_for
from onnxop_runtime.testing.samples import Sample

make_dual: Any = forward_ad.make_dual  # untyped in torch
unpack_dual: Any = forward_ad.unpack_dual
functional: Any = torch.autograd.functional
jacrev: Any = torch.func.jacrev
jacfwd: Any = torch.func.jacfwd


def energy(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *tensors: function(*tensors).square().sum()


def places(tensors: tuple[Tensor, ...]) -> tuple[int, ...]:
    return tuple(range(len(tensors)))


def dual(function: Callable[..., Any], *tensors: Tensor) -> Any:
    with forward_ad.dual_level():
        return unpack_dual(function(*(make_dual(tensor, tensor + 1) for tensor in tensors))).tangent


def dot(tensors: tuple[Tensor, ...], others: tuple[Tensor, ...]) -> Tensor:
    products = [(a * b).sum() for a, b in zip(tensors, others, strict=True)]
    return torch.stack(products).sum()


TRANSFORMS: dict[str, Callable[..., Any]] = {
    "vmap": lambda f, *x: torch.vmap(f)(*x),
    "vmap of vmap": lambda f, *x: torch.vmap(torch.vmap(f), in_dims=1)(*x),
    "vjp": lambda f, *x: torch.func.vjp(f, *x)[1](torch.ones_like(x[0])),
    "jvp": lambda f, *x: torch.func.jvp(f, x, x),
    "grad of vmap": lambda f, *x: torch.func.grad(energy(torch.vmap(f)), places(x))(*x),
    "vmap of grad": lambda f, *x: torch.vmap(torch.func.grad(energy(f), places(x)))(*x),
    "jacrev": lambda f, *x: jacrev(f, places(x))(*x),
    "jacfwd": lambda f, *x: jacfwd(f, places(x))(*x),
    "hessian": lambda f, *x: torch.func.hessian(energy(f), places(x))(*x),
    "dual": lambda f, *x: dual(f, *x),
    "compiled": lambda f, *x: torch.compile(dual, backend="eager")(f, *x),
}


class TransformContract(OperatorTests):
    """The promises for transforms."""

    @pytest.mark.parametrize("transform", TRANSFORMS)
    @only_for(
        lambda tests: (
            tests.operator.elementwise
            and {*tests.tensors()}
            <= {*tests.twice_differentiable, *tests.operator.through_reference}
        )
    )
    def test_transforms_are_the_reference_s(self, transform: str) -> None:
        drawn = self.samples[0].arguments()
        arguments = each_tensor(drawn, lambda _: torch.randn(2, 3).double())
        named, scalars = split(arguments)
        tensors = tuple(named.values())
        calls = {"reference": self.reference, **self.entry_points()}
        del calls["kernel"]
        bound = {name: bind(call, named, scalars) for name, call in calls.items()}
        bound["module"] = self.module(**scalars)
        apply = TRANSFORMS[transform]
        try:
            expected = apply(bound.pop("reference"), *tensors)
        except (RuntimeError, NotImplementedError) as error:
            pytest.skip(f"the reference has none: {error}")
        for name, call in bound.items():
            torch.compiler.reset()
            leaves = pytree.tree_leaves(apply(call, *tensors)), pytree.tree_leaves(expected)
            for actual, wanted in zip(*leaves, strict=True):
                zeros = torch.zeros_like(tensors[0])  # a tangent may be None
                actual, wanted = (zeros if leaf is None else leaf for leaf in (actual, wanted))
                is_told = torch.isfinite(wanted)
                assert torch.allclose(actual[is_told], wanted[is_told]), name

    @pytest.mark.parametrize("through", ["torch.ops", "Function"])
    @only_for(lambda tests: tests.autograd_function and tests.twice_differentiable)
    def test_transforms_within_transforms(self, sample: Sample, through: str) -> None:
        call, leaves = self.differentiated(sample, through, self.twice_differentiable)
        inputs = tuple(tensor.detach() for tensor in leaves)
        tangents = tuple(torch.rand_like(tensor) for tensor in inputs)

        def total(*tensors: Tensor) -> Tensor:
            return torch.stack(
                [result.square().sum() for result in results_of(call(*tensors))]
            ).sum()

        def along(*tensors: Tensor) -> Any:
            return torch.func.jvp(total, tensors, tangents)[1]

        slopes = functional.vjp(total, inputs)[1]
        bends = functional.hvp(total, inputs, tangents)[1]
        gradient = torch.func.grad(total, places(inputs))
        close = partial(torch.testing.assert_close, equal_nan=True)
        close(gradient(*inputs), slopes)
        close(along(*inputs), dot(slopes, tangents))
        close(torch.func.jvp(gradient, inputs, tangents)[1], bends)
        close(torch.func.grad(along, places(inputs))(*inputs), bends)
        close(torch.func.jvp(along, inputs, tangents)[1], dot(bends, tangents))

    @only_for(lambda tests: tests.autograd_function)
    def test_compiles_ahead_of_time(self, sample: Sample) -> None:
        """Compile with gradients and dynamic dimensions; a second call has other sizes."""
        torch.compiler.reset()
        compiled = torch.compile(
            lambda arguments: self.function(**arguments),
            fullgraph=True,
            dynamic=True,
            backend="aot_eager",
        )
        for larger in (False, True):
            arguments = sample.arguments(larger=larger)
            expected = self.function(**arguments)
            with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
                actual = compiled(arguments)
            assert_same(actual, expected)
