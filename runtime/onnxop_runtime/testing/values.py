"""Tests of what an operator computes, refuses and infers, by every way to call it."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
import torch
from torch import Tensor

from .. import torch_internals as internals
from .arguments import (
    Arguments,
    assert_close,
    assert_same,
    bind,
    each_tensor,
    is_floating,
    results_of,
    split,
    strided,
)
from .base import OperatorTests, first_line, only_for, sized
from .samples import Error, Sample


class ValueTests(OperatorTests):
    """Of every operator."""

    @pytest.mark.quick
    def test_faces_agree(self, sample: Sample) -> None:
        """The ways to call it give the same, and leave the arguments as they are."""
        arguments = sample.arguments()
        given = each_tensor(arguments, torch.clone)
        expected = self.operator.overload(**arguments)
        for call in self.faces().values():
            assert_same(call(**arguments), expected)
        before, after = split(given)[0], split(arguments)[0]
        assert_same([after[name] for name in before], [*before.values()])

    def test_module_agrees(self, sample: Sample) -> None:
        arguments = sample.arguments()
        scalars = {n: v for n, v in arguments.items() if n not in self.tensors()}
        module = self.module(**scalars)
        found = module(*(arguments.get(name) for name in self.tensors()))
        assert_same(found, self.function(**arguments))

    @pytest.mark.quick
    def test_errors(self, error: Error, face: str) -> None:
        with pytest.raises(error.raises, match=error.match or None):
            self.faces()[face](**error.arguments())

    @pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
    def test_scripted(self) -> None:
        """By TorchScript, which knows no Scalar that is a truth value."""
        arguments = self.samples[0].arguments()
        for argument in self.operator.arguments:
            if argument.kind == "number" and isinstance(arguments.get(argument.name), bool):
                arguments[argument.name] = int(arguments[argument.name])
        scripted: Any = torch.jit.script(self.function)
        self.assert_same_kernel(scripted(**arguments), self.function(**arguments))

    def test_compiles_to_one_graph(self) -> None:
        """With dynamic dimensions, which another call has other sizes of."""
        try:
            self.compile_to_one_graph(self.function)
        except Exception:
            if self.autograd_function is not None:
                raise
            try:
                self.compile_to_one_graph(self.operator.overload)
            except Exception as error:  # noqa: BLE001 - whatever it is
                what = f"PyTorch {torch.__version__} does not compile its own"
                pytest.skip(f"{what}: {first_line(error)}")
            raise

    def compile_to_one_graph(self, function: Any) -> None:
        torch.compiler.reset()  # it keeps count of how often it compiled the lambda
        compiled = torch.compile(
            lambda arguments: function(**arguments),
            fullgraph=True,
            dynamic=True,
            backend="eager",  # opcheck has the gradients compiled
        )
        for larger in (False, True):
            arguments = self.samples[0].arguments(larger=larger)
            expected = self.function(**arguments)
            with internals.capturing_dynamic_outputs():
                found = compiled(arguments)
            if self.autograd_function is None:
                torch.testing.assert_close(found, expected, equal_nan=True)
            else:
                assert_same(found, expected)

    def assert_same_kernel(self, found: Any, expected: Any) -> None:
        """Assert that results are the same; PyTorch's own may differ in the last bits between layouts."""
        if self.operator.is_native:
            assert_same(found, expected)
        else:
            assert_close(found, expected)


class KernelTests(ValueTests):
    """Of an operator whose kernel the package has, compiled or composed."""

    @pytest.mark.quick
    @only_for(lambda tests: tests.operator.existing)
    def test_agrees_with_pytorch_s_own(self, sample: Sample) -> None:
        arguments = sample.arguments()
        expected = self.operator.overloads[-1](**arguments)
        assert_close(self.function(**arguments), expected)

    def test_strides_do_not_matter(self, sample: Sample) -> None:
        arguments = sample.arguments()
        found = self.function(**strided(arguments))
        self.assert_same_kernel(found, self.function(**arguments))

    def test_opcheck(self, sample: Sample) -> None:
        """By PyTorch's own checks of operators; compiled gradients, the slowest, for the first sample of a
        kernel that is not elementwise, whose gradients are formulas.
        """
        values = self.values(sample.arguments())
        for tensor in self.with_gradients(values).values():
            tensor.requires_grad_()
        keywords = {a.name for a in self.operator.arguments if a.keyword_only}
        args = tuple(value for name, value in values.items() if name not in keywords)
        kwargs = {name: values[name] for name in keywords}
        checks = ["test_schema", "test_autograd_registration", "test_faketensor"]
        # The slow one compares gradients of a sum, which it makes in place: not of integers first.
        first = results_of(self.operator.overload(*args, **kwargs))[0]
        is_odd = self.has_several_results() and self.differentiable and not is_floating(first)
        if sample is self.samples[0] and not (is_odd or self.operator.elementwise):
            checks.append("test_aot_dispatch_dynamic")
        torch.library.opcheck(self.operator.overload, args, kwargs, test_utils=checks)

    @pytest.mark.quick
    def test_vmap_is_a_loop(self, sample: Sample) -> None:
        first, scalars = split(sample.arguments())
        second, _ = split(sample.arguments())
        call = bind(self.function, first, scalars)
        try:
            items = [results_of(call(*each.values())) for each in (first, second)]
            expected = [torch.stack(column) for column in zip(*items, strict=True)]
        except RuntimeError:
            pytest.skip("the sizes of the results depend on values")
        pairs = zip(first.values(), second.values(), strict=True)
        batches = [torch.stack(pair, -1) for pair in pairs]
        try:
            found = torch.vmap(call, in_dims=-1)(*batches)
        except RuntimeError as error:
            if self.operator.is_native:
                raise
            pytest.skip(f"PyTorch does not batch what it is composed of: {error}")
        assert_close(found, tuple(expected))


class NativeTests(KernelTests):
    """Of an operator with a compiled kernel."""

    @pytest.mark.quick
    def test_first_calls(self, first_calls: str) -> None:
        """In a process of their own, which a kernel that writes out of bounds may end."""
        if first_calls:
            pytest.fail(first_calls, pytrace=False)

    @pytest.mark.quick
    @only_for(lambda tests: tests.operator.has_reference)
    def test_values_are_the_reference_s(self, sample: Sample) -> None:
        for larger in (False, True):
            arguments = sample.arguments(larger=larger)
            expected = self.reference(**arguments)
            for given in (arguments, strided(arguments)):
                with unwritten_is_nan():
                    found = self.function(**given)
                assert_close(found, expected)

    @pytest.mark.quick
    def test_every_element_is_written(self, sample: Sample) -> None:
        """What is not differs from what a call gives whose results lie in memory filled with NaN."""
        arguments = sample.arguments()
        expected = self.function(**arguments)
        with unwritten_is_nan():
            found = self.function(**arguments)
        assert_same(found, expected)

    @pytest.mark.quick
    def test_meta_device(self, sample: Sample) -> None:
        """The dtypes and sizes of the results follow without values, but for sizes that depend on them."""
        arguments = sample.arguments()
        meta = each_tensor(arguments, lambda tensor: tensor.to("meta"))
        if not sized(self.operator, [*self.values(arguments).values()]):
            with pytest.raises(RuntimeError, match="data-dependent"):
                self.function(**meta)
            return
        found, expected = (results_of(self.function(**each)) for each in (meta, arguments))
        for result, other in zip(found, expected, strict=True):
            assert result.is_meta
            assert (result.shape, result.dtype) == (other.shape, other.dtype)


class ElementwiseValueTests(NativeTests):
    """Of an elementwise kernel."""

    def test_every_dtype_and_shape(self, sample: Sample) -> None:
        draw = Random(str(sample))
        given = sample.arguments()
        scalars = [self.values(given)[name] for name in self.operator.integers]
        has_float = any(isinstance(value, float) for value in (*given.values(), *scalars))
        for dtype in self.operator.dtypes:
            for _ in range(0 if has_float and not dtype.is_floating_point else 10):
                arguments = _of_random_shapes(sample, dtype, draw)
                expected, found = self.reference(**arguments), self.function(**arguments)
                assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
                assert_close(found, expected)


class SourceValueTests(NativeTests):
    """Of a kernel written by hand."""

    def test_calls_agree_in_threads(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        arguments = self.samples[0].arguments()
        expected = self.function(**arguments)
        with ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(self.function, **arguments) for _ in range(32)]
            for future in futures:
                assert_same(future.result(), expected)

    def test_vmap_compiles(self) -> None:
        """With dynamic dimensions, to one graph."""
        arguments = self.samples[0].arguments()
        if not sized(self.operator, [*self.values(arguments).values()]):
            pytest.skip("the sizes of the results depend on values")
        try:
            found, expected = compiled_and_not(self.function, arguments)
        except Exception:
            composed = self.operator.reference
            if composed is None:
                raise
            try:
                values = self.values(arguments)
                compiled_and_not(lambda **given: composed(**given), values)
            except Exception as error:  # noqa: BLE001 - whatever it is
                what = "compile torch.vmap of the reference with dynamic dimensions"
                pytest.skip(f"PyTorch {torch.__version__} does not {what}: {cause_of(error)}")
            raise
        torch.testing.assert_close(found, expected, equal_nan=True)

    def test_errors_under_vmap(self, error: Error) -> None:
        """What computes batches refuses what the kernel does."""
        tensors, scalars = split(error.arguments())
        if not tensors:
            pytest.skip("nothing makes a batch")
        batches = [torch.stack([tensor] * 2) for tensor in tensors.values()]
        with pytest.raises(error.raises, match=error.match or None):
            torch.vmap(bind(self.function, tensors, scalars))(*batches)

    @only_for(lambda tests: tests.operator.has_reference)
    def test_errors_on_other_devices(self, error: Error) -> None:
        """The reference refuses what the kernel does, of dtypes that the kernel has."""
        values = [*self.values(error.arguments()).values()]
        tensors, _ = split(error.arguments())
        if not {tensor.dtype for tensor in tensors.values()} <= self.operator.computed_dtypes:
            pytest.skip("the kernel alone refuses it")
        args, kwargs = self.operator.signature.split(values)
        with pytest.raises(error.raises, match=error.match or None):
            self.operator.overload.redispatch(internals.cuda_keys(), *args, **kwargs)


@contextlib.contextmanager
def unwritten_is_nan() -> Iterator[None]:
    """Fill what tensors are made in with NaN, or the largest integer, so that nothing unwritten is right."""
    before = torch.get_deterministic_debug_mode()
    torch.set_deterministic_debug_mode("warn")
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(before)


def _of_random_shapes(sample: Sample, dtype: torch.dtype, draw: Random) -> Arguments:
    """The sample's call with tensors of shapes that broadcast, none or empty ones among them, in any order
    of dimensions; their values are the sample's.
    """
    whole = [draw.randint(0, 5) for _ in range(draw.randint(0, 4))]

    def change(tensor: Tensor) -> Tensor:
        shape = [size if draw.random() < 0.7 else 1 for size in whole[draw.randint(0, 1) :]]
        count = torch.Size(shape).numel()
        values = tensor.flatten()
        values = values.repeat(count)[:count] if values.numel() else torch.ones(count)
        values = values.roll(draw.randint(0, 9)).to(dtype).reshape(shape)
        order = draw.sample(range(len(shape)), len(shape))
        return (
            values.permute(order).contiguous().permute([order.index(d) for d in range(len(order))])
        )

    return each_tensor(sample.arguments(), change)


def compiled_and_not(call: Callable[..., Any], arguments: dict[str, Any]) -> tuple[Any, Any]:
    """Return what torch.vmap gives of three items, compiled with dynamic dimensions and not."""
    tensors, scalars = split(arguments)
    batches = [torch.stack([tensor] * 3) for tensor in tensors.values()]
    batched = torch.vmap(bind(call, tensors, scalars))
    torch.compiler.reset()
    compiled = torch.compile(batched, fullgraph=True, dynamic=True, backend="aot_eager")
    return compiled(*batches), batched(*batches)


def cause_of(error: Exception) -> str:
    """Return what PyTorch's operator said, where dynamo quotes it, or the first line of the error."""
    quoted = re.search(r"""got \w+\((["'])(.+?)(?:\\|\1\))""", str(error))
    return quoted[2] if quoted else first_line(error)
