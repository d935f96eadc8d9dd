"""Tests of an operator's results, errors and fake kernel, in all ways to call it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import torch
from torch import Tensor

from .. import torch_internals as internals
from ..operator import reference
from ..operator.model import overload_named
from . import changes
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
from .base import OperatorTests, only_for
from .samples import Error, Sample
from .torch_settings import unwritten_is_nan


class ValueTests(OperatorTests):
    """Tests of values, for every operator."""

    @pytest.mark.quick
    def test_entry_points_agree(self, sample: Sample) -> None:
        """Check that all ways to call the operator agree, and do not change the arguments."""
        arguments = sample.arguments()
        before_call = each_tensor(arguments, torch.clone)
        expected = self.operator.overload(**arguments)
        for call in self.entry_points().values():
            assert_same(call(**arguments), expected)
        before, after = split(before_call)[0], split(arguments)[0]
        assert_same([after[name] for name in before], [*before.values()])

    def test_module_agrees(self, sample: Sample) -> None:
        arguments = sample.arguments()
        scalars = {n: v for n, v in arguments.items() if n not in self.tensors()}
        module = self.module(**scalars)
        results = module(*(arguments.get(name) for name in self.tensors()))
        assert_same(results, self.function(**arguments))

    @pytest.mark.quick
    def test_errors(self, error: Error, entry_point: str) -> None:
        with pytest.raises(error.raises, match=error.match or None):
            self.entry_points()[entry_point](**error.arguments())

    @pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
    def test_scripted(self) -> None:
        """Call through TorchScript, which has no boolean Scalars."""
        arguments = self.samples[0].arguments()
        for argument in self.operator.arguments:
            if argument.base_type == "number" and isinstance(arguments.get(argument.name), bool):
                arguments[argument.name] = int(arguments[argument.name])
        scripted: Any = torch.jit.script(self.function)
        assert_close(scripted(**arguments), self.function(**arguments))


class KernelValueTests(ValueTests):
    """Tests of values, for operators whose compiled or composed kernel is in the package."""

    @pytest.mark.quick
    def test_values(self, sample: Sample) -> None:
        """Compare with the reference and PyTorch, for all strides, in memory filled with NaN."""
        for larger in (False, True):
            arguments = sample.arguments(larger=larger)
            expected = [self.function(**arguments)]
            if self.operator.has_reference:
                expected.append(self.reference(**arguments))
            if self.operator.existing:
                expected.append(self.operator.overloads[-1](**arguments))
            for inputs in (arguments, strided(arguments)):
                with unwritten_is_nan():
                    results = self.function(**inputs)
                for other in expected:
                    assert_close(results, other)

    @pytest.mark.quick
    @only_for(lambda tests: tests.operator.writes)
    def test_writes(self, sample: Sample) -> None:
        """Check that the operator that writes to arguments writes what its functional form
        returns.
        """
        writing, writes = (
            overload_named(f"{self.operator.declared_name}.default"),
            self.operator.writes,
        )
        for inputs in (sample.arguments(), strided(sample.arguments())):
            results = results_of(self.function(**inputs))
            count = len(results) - len(writes)
            copies = each_tensor(inputs, torch.clone)
            returned = writing(**copies)
            if count:
                assert_same(results_of(returned), results[:count])
            assert_same([copies[name] for name in writes], results[count:])

    @pytest.mark.quick
    def test_arguments_have_effects(self) -> None:
        """Check that another value of each argument changes a result or a gradient: kernel,
        reference and mapping agree if all of them forget an argument. The first tensor is not
        tried, of which an operator may read nothing but the size.
        """
        tests = type(self)
        names = {argument.name for argument in self.operator.arguments}
        if unknown := [name for name in self.without_effect if name not in names]:
            pytest.fail(
                f"without_effect: {self.operator} has no argument {unknown[0]}", pytrace=False
            )
        for argument in self.operator.arguments:
            if argument.name in self.without_effect or argument in self.operator.tensors[:1]:
                continue
            if argument.name in self.operator.writes:  # the kernel may replace all elements
                continue
            effect = changes.has_effect(tests, argument)
            if effect is None and argument.has_default:
                pytest.fail(
                    f"{self.operator}: nothing tests {argument.name}, which has its default in all "
                    "samples; add a [[samples]] table that gives it another value",
                    pytrace=False,
                )
            if effect is False:
                pytest.fail(
                    f"{self.operator}: no result and no gradient changes with {argument.name}; compute with it, or "
                    f"add a [[samples]] table in which it matters, or write without_effect = "
                    f'["{argument.name}"] in {tests.__name__}',
                    pytrace=False,
                )

    @pytest.mark.quick
    @only_for(lambda tests: tests.operator.is_native and tests.operator.has_reference)
    def test_kernel_is_used(self) -> None:
        calls = [[*self.values(sample.arguments()).values()] for sample in self.samples]
        if all(reference.kernel_unsupported(self.operator, values) for values in calls):
            dtypes = ", ".join(str(dtype).removeprefix("torch.") for dtype in self.operator.dtypes)
            raise AssertionError(
                f"{self.operator}: the reference computes every sample, because the kernel "
                f"supports {dtypes}, but {self.tensors()[0]} has another dtype in all samples; add "
                "its dtype to Supported"
            )

    def test_compiles_to_one_graph(self) -> None:
        """Compile with dynamic dimensions, whose sizes differ in the second call."""
        torch.compiler.reset()  # dynamo limits the recompilations of the lambda
        compiled = torch.compile(
            lambda arguments: self.function(**arguments),
            fullgraph=True,
            dynamic=True,
            backend="eager",  # opcheck compiles the gradients
        )
        for larger in (False, True):
            arguments = self.samples[0].arguments(larger=larger)
            with internals.capturing_dynamic_outputs():
                results = compiled(arguments)
            assert_same(results, self.function(**arguments))

    def test_opcheck(self, sample: Sample) -> None:
        """Run torch.library.opcheck. Compile gradients for the first sample only, because this is
        slow, and not for elementwise kernels, because their gradients are formulas.
        """
        values = self.values(sample.arguments())
        for tensor in self.with_gradients(values).values():
            tensor.requires_grad_()
        keywords = {a.name for a in self.operator.arguments if a.keyword_only}
        args = tuple(value for name, value in values.items() if name not in keywords)
        kwargs = {name: values[name] for name in keywords}
        checks = ["test_schema", "test_autograd_registration", "test_faketensor"]
        # To differentiate, test_aot_dispatch_dynamic adds all results to the first one, which fails
        # for an integer tensor.
        first = results_of(self.operator.overload(*args, **kwargs))[0]
        has_float_sum = is_floating(first) or not self.differentiable
        if sample is self.samples[0] and has_float_sum and not self.operator.elementwise:
            checks.append("test_aot_dispatch_dynamic")
        torch.library.opcheck(self.operator.overload, args, kwargs, test_utils=checks)

    @pytest.mark.quick
    def test_vmap_is_a_loop(self, sample: Sample) -> None:
        first, scalars = split(sample.arguments())
        second, _ = split(sample.arguments())
        call = bind(self.function, first, scalars)
        items = [results_of(call(*tensors.values())) for tensors in (first, second)]
        columns = [*zip(*items, strict=True)]
        if any(one.shape != other.shape for one, other in columns):
            pytest.skip("the sizes of the results depend on values")
        pairs = zip(first.values(), second.values(), strict=True)
        batches = [torch.stack(pair, -1) for pair in pairs]
        try:
            batched = torch.vmap(call, in_dims=-1)(*batches)
        except RuntimeError as error:
            if self.operator.is_native:
                raise
            pytest.skip(f"PyTorch cannot batch an operator of the kernel: {error}")
        assert_close(batched, tuple(map(torch.stack, columns)))

    @pytest.mark.quick
    @only_for(lambda tests: tests.operator.is_native)
    def test_first_calls(self, first_calls: str) -> None:
        """Check that the first calls, in a separate process, did not crash it."""
        if first_calls:
            pytest.fail(first_calls, pytrace=False)

    @only_for(lambda tests: tests.operator.elementwise)
    def test_every_dtype_and_shape(self, sample: Sample) -> None:
        random = Random(str(sample))
        plain = sample.arguments()
        scalars = [self.values(plain)[name] for name in self.operator.integers]
        has_float = any(isinstance(value, float) for value in (*plain.values(), *scalars))
        for dtype in self.operator.dtypes:
            for _ in range(0 if has_float and not dtype.is_floating_point else 10):
                arguments = _with_random_shapes(sample, dtype, random)
                assert_close(self.function(**arguments), self.reference(**arguments))

    @only_for(lambda tests: tests.operator.is_native and not tests.operator.elementwise)
    def test_calls_agree_in_threads(self) -> None:
        from concurrent.futures import ThreadPoolExecutor

        arguments = self.samples[0].arguments()
        expected = self.function(**arguments)
        with ThreadPoolExecutor(4) as pool:
            futures = [pool.submit(self.function, **arguments) for _ in range(32)]
            for future in futures:
                assert_same(future.result(), expected)


def _with_random_shapes(sample: Sample, dtype: torch.dtype, random: Random) -> Arguments:
    """Return a call with tensors in random memory orders, of shapes that broadcast, some empty."""
    full_shape = [random.randint(0, 5) for _ in range(random.randint(0, 4))]

    def change(tensor: Tensor) -> Tensor:
        first_dimension = random.randint(0, 1)  # 1: the tensor has one dimension fewer
        shape = [
            size if random.random() < 0.7 else 1  # 1: the dimension broadcasts
            for size in full_shape[first_dimension:]
        ]
        count = torch.Size(shape).numel()
        values = tensor.flatten()
        values = values.repeat(count)[:count] if values.numel() else torch.ones(count)
        values = values.roll(random.randint(0, 9)).to(dtype).reshape(shape)
        return _in_random_order(values, random)

    return each_tensor(sample.arguments(), change)


def _in_random_order(tensor: Tensor, random: Random) -> Tensor:
    """Return the tensor with its dimensions in another order in memory."""
    order = random.sample(range(tensor.dim()), tensor.dim())
    inverse = [order.index(dimension) for dimension in range(tensor.dim())]
    return tensor.permute(order).contiguous().permute(inverse)
