"""The base of operator tests: the operator, its samples, and the ways to call it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache
from typing import Any, ClassVar, TypeVar, cast

import pytest
import torch
from torch import Tensor

from ..operator import reference
from ..operator.model import Operator
from .arguments import Arguments, floating, floats_of, with_tensors
from .samples import Error, Sample

Call = Callable[..., Any]
Function = TypeVar("Function", bound=Call)


def cached(function: Function) -> Function:
    """Cache a function of classes, which are hashable, though mypy denies it."""
    return cast("Function", cache(function))


def only_for(condition: Callable[[type[OperatorTests]], Any]) -> pytest.MarkDecorator:
    """Mark a test to be skipped for operators that do not meet the condition."""
    return pytest.mark.only_for.with_args(condition)


class OperatorTests:
    """The base class of an operator's tests; packages derive theirs from one for their kernel."""

    operator: ClassVar[Operator]
    function: ClassVar[Call]
    module: ClassVar[type[torch.nn.Module]]
    autograd_function: ClassVar[Any] = None
    """The `torch.autograd.Function`; None for an existing operator."""
    differentiable: ClassVar[Sequence[str]] = ()
    """The tensors that have gradients."""
    twice_differentiable: ClassVar[Sequence[str]] = ()
    """The tensors whose gradients are differentiable."""
    without_effect: ClassVar[Sequence[str]] = ()
    """The arguments that change no result in these tests, as hints for speed."""
    samples: ClassVar[Sequence[Sample]]
    """The calls to test; the first one is the plainest."""
    errors: ClassVar[Sequence[Error]] = ()
    """The calls that must raise."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Parametrize a test by the names of its arguments."""
        for name in metafunc.fixturenames:
            choices = self.choices(name)
            if choices is not None:
                metafunc.parametrize(name, choices, ids=str)

    @classmethod
    def choices(cls, name: str) -> Sequence[Any] | None:
        """Return the values of a test argument by its name, or None if it is a fixture."""
        match name:
            case "sample":
                return cls.samples
            case "error":
                return cls.errors
            case "entry_point":
                return [*cls.entry_points()]
        return None

    @classmethod
    def entry_points(cls) -> dict[str, Call]:
        """Return the functions that call the operator with arguments by name."""
        calls: dict[str, Call] = {"function": cls.function, "torch.ops": cls.operator.overload}
        if cls.autograd_function is not None:
            calls["Function"] = cls.through_function
        if cls.operator.kernel is not None:
            calls["kernel"] = cls.operator.kernel
        return calls

    @classmethod
    def through_function(cls, /, **arguments: Any) -> Any:
        """Call the Function's ``apply``, which takes all arguments by position."""
        return cls.autograd_function.apply(*cls.values(arguments).values())

    @classmethod
    def values(cls, arguments: Arguments) -> Arguments:
        """Return all arguments in order, defaults included."""
        by_name = {a.name: a.default for a in cls.operator.arguments} | arguments
        return {a.name: by_name[a.name] for a in cls.operator.arguments}

    @classmethod
    def reference(cls, **arguments: Any) -> Any:
        """Call the reference implementation."""
        compute = reference.compute_of(cls.operator)
        assert compute is not None
        return compute(*cls.values(arguments).values())

    @classmethod
    def reference_as_written(cls, **arguments: Any) -> Any:
        """Call the reference implementation without the kernel's checks, as with other dtypes."""
        return reference.as_written(cls.operator)(*cls.values(arguments).values())

    @classmethod
    def tensors(cls) -> list[str]:
        """Return the names of the arguments that are tensors or lists of tensors."""
        return [tensor.name for tensor in cls.operator.tensors]

    @classmethod
    def in_onnx(cls, function: Call) -> Call:
        """Return the function with only the results that the ONNX operator has."""
        names, kept = cls.operator.results, cls.operator.kept
        if len(names) == len(kept):
            return function

        def call(*args: Any, **kwargs: Any) -> Any:
            by_name = dict(zip(names, function(*args, **kwargs), strict=True))
            results = tuple(by_name[name] for name in kept)
            return results if len(results) > 1 else results[0]

        return call

    # ---- Gradients ----

    @classmethod
    def with_gradients(
        cls, arguments: Arguments, names: Collection[str] | None = None
    ) -> dict[str, Tensor]:
        """Return the tensors that have gradients, or those of these names; none if no result has
        one.
        """
        tensors = floats_of(arguments, cls.differentiable if names is None else names)
        return tensors if floating(cls.function(**arguments)) else {}

    @classmethod
    def in_double(cls, arguments: Arguments) -> Arguments:
        """Return the arguments in float64; for a composed kernel, only those with gradients."""
        is_composed = cls.autograd_function is not None and not cls.operator.is_native
        tensors = cls.with_gradients(arguments) if is_composed else floats_of(arguments, arguments)
        return with_tensors(arguments, {name: tensor.double() for name, tensor in tensors.items()})

    @classmethod
    def differentiated(
        cls, sample: Sample, entry_point: str, names: Collection[str]
    ) -> tuple[Call, list[Tensor]]:
        """Return a sample's call as a function of the tensors with these names, and the tensors.

        Skip the test if the sample has no such tensor.
        """
        arguments = cls.in_double(sample.arguments())
        inputs = cls.with_gradients(arguments, names)

        def call(*tensors: Tensor) -> Any:
            replaced = dict(zip(inputs, tensors, strict=True))
            results = cls.entry_points()[entry_point](**with_tensors(arguments, replaced))
            return floating(results) if len(cls.operator.results) > 1 else results

        return call, required([*inputs.values()])


def required(tensors: list[Tensor]) -> list[Tensor]:
    """Make tensors require gradients; skip the test if there are none."""
    if not tensors:
        pytest.skip("the sample has no tensor with a gradient")
    return [tensor.requires_grad_() for tensor in tensors]


def skip_without_gradient(results: Sequence[Tensor]) -> None:
    """Skip the test if this release of PyTorch has no gradient of the operator that gave a
    result.
    """
    functions = [result.grad_fn for result in results]
    if any(function and function.name().endswith("::NotImplemented") for function in functions):
        pytest.skip("this release of PyTorch has no gradient of its own")
