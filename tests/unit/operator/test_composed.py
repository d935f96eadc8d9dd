"""Operators whose kernel is Python: registration, fake kernels, and gradients by autograd."""

from __future__ import annotations

import pytest
import torch

from onnxop_runtime import API
from onnxop_runtime.operator import composed
from onnxop_runtime.package import Package
from onnxop_runtime.torch_internals import fake_mode

from .samples import NORMALIZED, SCALED, WEIGHTED, scaled, scaled_kernel

X = torch.linspace(1, 2, 4)


def test_the_dispatcher_has_the_operator() -> None:
    overload = torch.ops.unit_ops.scaled.default
    torch.testing.assert_close(overload(X, X, alpha=2.0), 2 * X**3)
    assert SCALED.overload is overload
    assert [argument.name for argument in SCALED.arguments] == ["x", "weight", "alpha"]


def test_another_package_cannot_register_it() -> None:
    other = Package("other_ops", api=API).operator(
        name="unit_ops::scaled.default",
        schema=SCALED.schema,
        kernel=scaled_kernel,
        domain="other_ops",
        op_type="Scaled",
    )
    with pytest.raises(ImportError, match="already registered by another library"):
        composed.define(other)


def test_a_module_that_is_imported_again_registers_nothing() -> None:
    composed.define(SCALED)
    torch.testing.assert_close(scaled(X, X), X**3)


def test_the_fake_kernel_has_sizes_and_no_values() -> None:
    with fake_mode() as mode:
        fake = mode.from_tensor(torch.ones(5, 1))
        result = scaled(fake, mode.from_tensor(torch.ones(4)))
    assert tuple(result.shape) == (5, 4)


def test_results_are_no_views_of_arguments() -> None:
    index = torch.arange(3)
    _, numbers = torch.ops.unit_ops.normalized.default(X, index)
    assert numbers.data_ptr() != index.data_ptr()


def test_gradients_through_the_reference() -> None:
    grads = [torch.ones(4)]
    requested: dict[str, bool | list[bool]] = {"tensors": [True, False], "weight": True}
    arguments = {"tensors": [X, 2 * X], "weight": X}
    gradients = composed.vjp(WEIGHTED, grads, arguments, requested)
    first, second = gradients["tensors"]
    torch.testing.assert_close(first, X)
    assert second is None
    torch.testing.assert_close(gradients["weight"], 3 * X)


def test_gradients_of_results_that_do_not_depend_on_the_inputs() -> None:
    index = torch.tensor([], dtype=torch.int64)
    grads = [torch.ones(0), torch.ones(0, dtype=torch.int64)]
    gradients = composed.vjp(NORMALIZED, grads, {"x": X, "index": index}, {"x": True})
    torch.testing.assert_close(gradients["x"], torch.zeros(4))


def test_the_operator_that_computes_gradients() -> None:
    index = torch.tensor([0, 1])
    grads = torch.ones(2), torch.ones(2, dtype=torch.int64)
    gradient = torch.ops.unit_ops.normalized_backward.default(*grads, X, index, [True])
    assert gradient.shape == X.shape
    assert gradient[2:].tolist() == [0, 0]
