"""What every operator refuses and supports in each kind of call: dtypes, devices, threads,
tangents.
"""

from __future__ import annotations

from collections.abc import Collection
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.autograd import forward_ad
from torch.utils import _pytree as pytree

from onnxop_runtime.testing.arguments import (
    Arguments,
    assert_close,
    assert_same,
    bind,
    each_tensor,
    floating,
    floats_of,
    is_floating,
    results_of,
    split,
    with_tensors,
)
from onnxop_runtime.testing.base import OperatorTests, only_for
from onnxop_runtime.testing.samples import Error, Sample

make_dual: Any = forward_ad.make_dual  # untyped in torch
unpack_dual: Any = forward_ad.unpack_dual
NO_DERIVATIVE = "no formula|non_differentiable|nothing differentiates"
CUDA = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)


def reshaped(arguments: Arguments, shape: tuple[int, ...]) -> Arguments:
    """Replace every tensor of the arguments by ones of one shape."""
    return each_tensor(arguments, lambda tensor: torch.ones(shape, dtype=tensor.dtype))


class CallContract(OperatorTests):
    """The promises for calls in PyTorch."""

    # ---- Refused calls ----

    @only_for(lambda tests: tests.operator.elementwise and len(tests.tensors()) > 1)
    def test_dtypes_must_agree(self, entry_point: str) -> None:
        arguments = reshaped(self.samples[0].arguments(), (2,))
        first = arguments[self.tensors()[0]]
        other = torch.float32 if first.dtype == torch.float64 else torch.float64
        arguments[self.tensors()[0]] = first.to(other)
        with pytest.raises(RuntimeError, match="must have the same dtype"):
            self.entry_points()[entry_point](**arguments)

    @only_for(lambda tests: tests.operator.elementwise and len(tests.tensors()) > 1)
    def test_devices_must_agree(self, entry_point: str) -> None:
        arguments = reshaped(self.samples[0].arguments(), (2,))
        arguments[self.tensors()[0]] = arguments[self.tensors()[0]].to("meta")
        with pytest.raises(RuntimeError, match="device|CPU"):
            self.entry_points()[entry_point](**arguments)

    @only_for(lambda tests: tests.operator.elementwise)
    def test_unsupported_dtype_is_refused_by_the_kernel(self) -> None:
        arguments = reshaped(self.samples[0].arguments(), (2,))
        arguments = each_tensor(arguments, lambda tensor: tensor.to(torch.complex64))
        kernel = self.operator.kernel
        assert kernel is not None
        with pytest.raises(RuntimeError, match=str(self.operator)):
            kernel(**arguments)

    def test_something_else_than_a_tensor_is_refused(self, entry_point: str) -> None:
        if entry_point == "kernel" and not self.operator.is_native:
            pytest.skip("a composed kernel alone is plain Python")
        arguments = {**self.samples[0].arguments(), self.tensors()[0]: "text"}
        with pytest.raises((TypeError, RuntimeError), match=self.tensors()[0]):
            self.entry_points()[entry_point](**arguments)

    @only_for(lambda tests: tests.operator.is_own)
    def test_none_in_place_of_a_tensor_is_named(self) -> None:
        required = [t for t in self.operator.tensors if not (t.is_optional or t.is_list)]
        for tensor in required:
            arguments = {**self.samples[0].arguments(), tensor.name: None}
            for call in (self.function, self.operator.overload):
                with pytest.raises(TypeError, match=f"{tensor.name} must be a tensor, but it is"):
                    call(**arguments)

    @only_for(lambda tests: tests.operator.infer is not None)
    def test_errors_under_vmap(self, error: Error) -> None:
        """Check that a batched call refuses what the kernel refuses."""
        tensors, scalars = split(error.arguments())
        if not tensors:
            pytest.skip("nothing makes a batch")
        batches = [torch.stack([tensor] * 2) for tensor in tensors.values()]
        with pytest.raises(error.raises, match=error.match or None):
            torch.vmap(bind(self.function, tensors, scalars))(*batches)

    @only_for(lambda tests: tests.operator.infer is not None and tests.operator.has_reference)
    def test_errors_on_other_devices(self, error: Error) -> None:
        """Check that the reference implementation refuses what the kernel refuses, for the kernel's
        dtypes.
        """
        values = [*self.values(error.arguments()).values()]
        tensors, _ = split(error.arguments())
        if not {tensor.dtype for tensor in tensors.values()} <= {*self.operator.dtypes}:
            pytest.skip("the kernel alone refuses it")
        args, kwargs = self.operator.signature.split(values)
        with pytest.raises(error.raises, match=error.match or None):
            self.operator.overload.redispatch(CUDA, *args, **kwargs)

    # ---- Derivatives ----

    def without_derivatives(self, sample: Sample, names: Collection[str]) -> list[str]:
        """Return the floating-point tensors of a sample, except these."""
        arguments = sample.arguments()
        others = arguments.keys() - {*names, *self.operator.through_reference}
        return [*floats_of(arguments, others)]

    @only_for(lambda tests: tests.autograd_function)
    def test_no_tangent_is_lost(self, sample: Sample, entry_point: str) -> None:
        """Check that forward-mode AD raises where it is unsupported; integers and booleans have no
        tangents.
        """
        if entry_point == "kernel":
            pytest.skip("nothing differentiates the kernel itself")
        for name in self.without_derivatives(sample, self.twice_differentiable):
            arguments = sample.arguments()
            has_tangent = bool(floating(self.function(**arguments)))
            with forward_ad.dual_level():
                tensor = split(arguments)[0][name]
                dual = {name: make_dual(tensor, torch.ones_like(tensor))}
                arguments = with_tensors(arguments, dual)
                if has_tangent:
                    with pytest.raises(NotImplementedError, match=NO_DERIVATIVE):
                        self.entry_points()[entry_point](**arguments)
                    continue
                for result in results_of(self.entry_points()[entry_point](**arguments)):
                    assert unpack_dual(result).tangent is None

    @only_for(lambda tests: tests.autograd_function)
    def test_no_gradient_is_lost(self, sample: Sample, entry_point: str) -> None:
        """Check that torch.func, which turns None into zeros, raises for a missing gradient."""
        if entry_point == "kernel" or not floating(self.function(**sample.arguments())):
            pytest.skip("nothing differentiates it")
        for name in self.without_derivatives(sample, self.differentiable):

            def total(tensor: Tensor, name: str = name) -> Tensor:
                arguments = with_tensors(sample.arguments(), {name: tensor})
                results = self.entry_points()[entry_point](**arguments)
                return torch.stack([result.sum() for result in floating(results)]).sum()

            with pytest.raises(NotImplementedError, match=NO_DERIVATIVE):
                torch.func.grad(total)(split(sample.arguments())[0][name])

    @only_for(
        lambda tests: (
            tests.operator.is_native
            and tests.operator.differentiable
            and tests.operator.reference is None
        )
    )
    def test_gradients_are_differentiated_once(self, sample: Sample) -> None:
        """Check that a gradient penalty raises, because it would train nothing."""
        call, inputs = self.differentiated(sample, "torch.ops", self.differentiable)
        total = torch.stack([result.sum() for result in results_of(call(*inputs))]).sum()
        expected = torch.autograd.grad(total, inputs, retain_graph=True)
        grads = torch.autograd.grad(total, inputs, create_graph=True)
        assert_same(grads, expected)
        names = self.with_gradients(sample.arguments())
        for name, grad in zip(names, grads, strict=True):
            if name in self.twice_differentiable:
                continue
            for tensor in inputs:
                with pytest.raises(NotImplementedError, match="nothing differentiates"):
                    torch.autograd.grad(grad.sum(), tensor, retain_graph=True)

    # ---- The reference implementation in place of the kernel ----

    def test_calls_agree_in_threads(self) -> None:
        arguments = self.samples[0].arguments()
        expected = self.function(**arguments)
        with ThreadPoolExecutor(4) as pool:
            for future in [pool.submit(self.function, **arguments) for _ in range(32)]:
                assert_same(future.result(), expected)

    @only_for(lambda tests: tests.operator.elementwise)
    def test_empty_and_zero_dim(self, sample: Sample) -> None:
        for shape in [(0,), (2, 0, 3), ()]:
            assert self.function(**reshaped(sample.arguments(), shape)).shape == shape

    @only_for(lambda tests: tests.autograd_function)
    def test_other_devices(self) -> None:
        """Check the call of another device, with tensors of this machine."""
        name = str(self.operator)
        assert torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, "CUDA")
        arguments = self.samples[0].arguments()
        args, kwargs = self.operator.signature.split([*self.values(arguments).values()])
        if self.operator.has_reference or not self.operator.is_native:
            actual = self.operator.overload.redispatch(CUDA, *args, **kwargs)
            assert_close(actual, self.function(**arguments))
        else:
            with pytest.raises(NotImplementedError, match="add a reference implementation"):
                self.operator.overload.redispatch(CUDA, *args, **kwargs)

    @pytest.mark.parametrize("dtype", [torch.complex64, torch.int16])
    @pytest.mark.parametrize("mode", [torch.enable_grad, torch.inference_mode])
    @only_for(lambda tests: tests.operator.has_reference and tests.operator.is_native)
    def test_other_dtypes(self, mode: Any, dtype: torch.dtype) -> None:
        """Check that the reference implementation computes with them, or raises PyTorch's error."""
        if dtype in self.operator.dtypes:
            pytest.skip("the kernel computes with it")
        arguments = each_tensor(self.samples[0].arguments(), lambda tensor: tensor.to(dtype))
        with mode():
            try:
                expected = self.reference(**arguments)
            except (RuntimeError, TypeError) as error:
                with pytest.raises(type(error)):
                    self.function(**arguments)
            else:
                assert_close(self.function(**arguments), expected)

    @only_for(lambda tests: tests.operator.elementwise and tests.operator.has_reference)
    def test_complex_gradients_are_the_reference_s(self, sample: Sample) -> None:
        """Check it, because a spec's formulas hold for real numbers."""
        arguments = sample.arguments()
        arguments |= {
            n: v.to(torch.complex64) + 0.5j for n, v in arguments.items() if is_floating(v)
        }
        chosen = [arguments[name] for name in self.differentiable if name in arguments]
        tensors = [value for value in chosen if isinstance(value, Tensor) and value.is_complex()]
        for tensor in tensors:
            tensor.requires_grad_()
        try:
            expected = self.reference(**arguments)
        except (RuntimeError, TypeError) as error:
            with pytest.raises(type(error)):  # PyTorch has no gradient of complex tensors
                self.function(**arguments)
            return
        if not (tensors and expected.is_complex()):
            return
        weights = torch.randn_like(expected)
        wanted = torch.autograd.grad(expected, tensors, weights, materialize_grads=True)
        for result in (self.function(**arguments), self.through_function(**arguments)):
            gradients = torch.autograd.grad(result, tensors, weights, materialize_grads=True)
            torch.testing.assert_close(gradients, wanted, equal_nan=True)

    @only_for(lambda tests: tests.operator.reference is not None and tests.operator.fake is None)
    def test_subclasses(self) -> None:
        arguments = self.samples[0].arguments()
        results: Any = results_of(self.function(**each_tensor(arguments, Wrapped)))
        actual = tuple(result.tensor for result in results)
        assert_close(actual, results_of(self.function(**arguments)))

    @only_for(lambda tests: tests.autograd_function)
    def test_autocast_casts_to_one_dtype(self) -> None:
        arguments = self.samples[0].arguments()
        floats = floats_of(arguments, arguments)
        if len(floats) < 2 or any(tensor.dtype != torch.float32 for tensor in floats.values()):
            pytest.skip("for several tensors of float32")
        first, tensor = next(iter(floats.items()))
        halved = with_tensors(arguments, {first: tensor.bfloat16()})
        rounded = with_tensors(arguments, {first: tensor.bfloat16().float()})
        with torch.autocast("cpu", torch.bfloat16):
            actual = self.function(**halved)
        if self.operator.autocast == "none":
            assert_close(actual, self.function(**halved))
        elif self.operator.autocast != "lower":
            assert_close(actual, self.function(**rounded))

    @pytest.mark.parametrize(
        "order", [(0, 2, 3, 1), (3, 1, 0, 2)], ids=["channels last", "another"]
    )
    @only_for(lambda tests: tests.operator.elementwise)
    def test_memory_format_is_kept(self, order: tuple[int, ...]) -> None:
        shape = [(2, 3, 4, 5)[dimension] for dimension in order]
        values = torch.linspace(0.1, 2, 120).reshape(shape)
        values = values.permute([order.index(dimension) for dimension in range(4)])
        drawn = self.samples[0].arguments()
        arguments = each_tensor(drawn, lambda tensor: values.to(tensor.dtype))
        actual = self.function(**arguments)
        assert actual.stride() == values.stride()
        assert_close(actual, self.function(**each_tensor(arguments, torch.Tensor.contiguous)))
        meta = each_tensor(arguments, lambda tensor: tensor.to("meta"))
        assert self.function(**meta).stride() == values.stride()


class Wrapped(torch.Tensor):
    """A wrapper of a tensor that supports PyTorch's own operators only."""

    @staticmethod
    def __new__(cls, tensor: Tensor) -> Any:
        make: Any = torch.Tensor._make_wrapper_subclass  # type: ignore[attr-defined,unused-ignore]
        return make(cls, tensor.shape, dtype=tensor.dtype, strides=tensor.stride())

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor

    @classmethod
    def __torch_dispatch__(  # type: ignore[override,unused-ignore]
        cls, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        assert func.namespace in ("aten", "prims"), func
        args, kwargs = pytree.tree_map_only(
            Wrapped, lambda wrapped: wrapped.tensor, (args, kwargs or {})
        )
        return pytree.tree_map_only(Tensor, Wrapped, func(*args, **kwargs))
