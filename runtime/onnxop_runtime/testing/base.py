"""What the tests of an operator stand on: the operator, what is fed to it, and the ways to call it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

import pytest
import torch
from torch import Tensor

from ..operator import reference
from ..operator.description import Operator
from .arguments import Arguments, floating, floats_of, with_tensors
from .samples import Error, Sample

Call = Callable[..., Any]


def only_for(condition: Callable[[type[OperatorTests]], Any]) -> pytest.MarkDecorator:
    """Leave a test out of the classes of operators that the condition does not hold of."""
    return pytest.mark.only_for.with_args(condition)


class OperatorTests:
    """The tests of an operator; a class of a package's derives from one for its kind of kernel.

    Attributes:
        operator: the operator, as its package describes it.
        function: the function.
        module: the `torch.nn.Module`.
        autograd_function: the `torch.autograd.Function`; None for an operator of PyTorch's own.
        differentiable: the tensors that have gradients.
        twice_differentiable: those whose gradients can be differentiated again.
        samples: the calls to try; the first one is the plainest.
        errors: the calls that must raise.
    """

    operator: ClassVar[Operator]
    function: ClassVar[Call]
    module: ClassVar[type[torch.nn.Module]]
    autograd_function: ClassVar[Any] = None
    differentiable: ClassVar[Sequence[str]] = ()
    twice_differentiable: ClassVar[Sequence[str]] = ()
    samples: ClassVar[Sequence[Sample]]
    errors: ClassVar[Sequence[Error]] = ()

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Make a test for each of what a test asks for by the names of its arguments."""
        for name in metafunc.fixturenames:
            choices = self.choices(name)
            if choices is not None:
                metafunc.parametrize(name, choices, ids=str)

    @classmethod
    def choices(cls, name: str) -> Sequence[Any] | None:
        """Return what a test is repeated for, by the name of its argument; None where that is a fixture."""
        match name:
            case "sample":
                return cls.samples
            case "error":
                return cls.errors
            case "face":
                return [*cls.faces()]
        return None

    @classmethod
    def faces(cls) -> dict[str, Call]:
        """Return the ways to call the operator with arguments by name."""
        found: dict[str, Call] = {"function": cls.function, "torch.ops": cls.operator.overload}
        if cls.autograd_function is not None:
            found["Function"] = cls.through_function
        if cls.operator.kernel is not None:
            found["kernel"] = cls.operator.kernel
        return found

    @classmethod
    def through_function(cls, /, **arguments: Any) -> Any:
        """Call the Function's ``apply``, which takes every argument by its place."""
        return cls.autograd_function.apply(*cls.values(arguments).values())

    @classmethod
    def values(cls, arguments: Arguments) -> Arguments:
        """Return all arguments in order, those that are left out included."""
        given = {a.name: a.default for a in cls.operator.arguments} | arguments
        return {a.name: given[a.name] for a in cls.operator.arguments}

    @classmethod
    def reference(cls, **arguments: Any) -> Any:
        """Call the reference implementation, in PyTorch's own operators."""
        compute = reference.of(cls.operator)
        assert compute is not None
        return compute(*cls.values(arguments).values())

    @classmethod
    def tensors(cls) -> list[str]:
        """Return the names of the arguments that are tensors, or lists of them."""
        return [tensor.name for tensor in cls.operator.tensors]

    @classmethod
    def in_onnx(cls, function: Call) -> Call:
        """Return the function with the results that the operator has in ONNX, too."""
        names, kept = cls.operator.results, cls.operator.kept
        if len(names) == len(kept):
            return function

        def call(*args: Any, **kwargs: Any) -> Any:
            found = dict(zip(names, function(*args, **kwargs), strict=True))
            results = tuple(found[name] for name in kept)
            return results if len(results) > 1 else results[0]

        return call

    # ---- Gradients ----

    @classmethod
    def with_gradients(
        cls, arguments: Arguments, names: Collection[str] | None = None
    ) -> dict[str, Tensor]:
        """Return the tensors given that have gradients, or those of these names: none where no result has."""
        found = floats_of(arguments, cls.differentiable if names is None else names)
        return found if floating(cls.function(**arguments)) else {}

    @classmethod
    def in_double(cls, arguments: Arguments) -> Arguments:
        """Return the arguments in float64: of a composed kernel, those that have gradients."""
        is_composed = cls.autograd_function is not None and not cls.operator.is_native
        chosen = cls.with_gradients(arguments) if is_composed else floats_of(arguments, arguments)
        return with_tensors(arguments, {name: tensor.double() for name, tensor in chosen.items()})

    @classmethod
    def differentiated(
        cls, sample: Sample, face: str, names: Collection[str]
    ) -> tuple[Call, list[Tensor]]:
        """Return a sample's call as a function of those tensors of these names that are given, and these.

        Where there are none, the test is skipped.
        """
        arguments = cls.in_double(sample.arguments())
        given = cls.with_gradients(arguments, names)

        def call(*tensors: Tensor) -> Any:
            inputs = dict(zip(given, tensors, strict=True))
            results = cls.faces()[face](**with_tensors(arguments, inputs))
            return floating(results) if len(cls.operator.results) > 1 else results

        return call, required([*given.values()])


def required(tensors: list[Tensor]) -> list[Tensor]:
    """Have tensors require gradients; where there are none, the test is skipped."""
    if not tensors:
        pytest.skip("the sample gives no tensor that has a gradient")
    return [tensor.requires_grad_() for tensor in tensors]
