"""dynamic_resize::resize as a PyTorch operator: contract, gradients, compilation, layouts, refusals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
import torch
from samples import REFUSALS, SAMPLES, Refusal, Sample
from torch import Tensor
from torch.autograd import forward_ad

import dynamic_resize as package
from dynamic_resize import _kernel

FUNCTION: Callable[..., Tensor] = package.resize
MODULE = package.Resize
AUTOGRAD_FUNCTION = package.ResizeFunction
OPERATOR = torch.ops.dynamic_resize.resize.default

TENSORS = ["input", "scales"]
DIFFERENTIABLE = ["input"]
TWICE_DIFFERENTIABLE: list[str] = ["input"]
NO_DERIVATIVE = "no formula|non_differentiable|nothing differentiates"


def through_function(**arguments: Any) -> Any:
    """The call by the Function's ``apply``, which takes every argument by position."""
    schema = OPERATOR._schema.arguments
    values = {argument.name: argument.default_value for argument in schema} | arguments
    return AUTOGRAD_FUNCTION.apply(*(values[a.name] for a in schema))


make_dual: Any = forward_ad.make_dual  # untyped in torch
functional: Any = torch.autograd.functional

FACES: dict[str, Callable[..., Any]] = {
    "function": FUNCTION,
    "torch.ops": OPERATOR,
    "Function": through_function,
    "kernel": _kernel.resize,
}


def is_floating(value: Any) -> bool:
    return isinstance(value, Tensor) and value.is_floating_point()


def floating(results: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    """The results that have gradients."""
    every = (results,) if isinstance(results, Tensor) else results
    return tuple(result for result in every if is_floating(result))


def differentiable(arguments: dict[str, Any]) -> list[str]:
    """The arguments given that have gradients: none where no result has."""
    names = [name for name in DIFFERENTIABLE if is_floating(arguments.get(name))]
    return names if floating(FUNCTION(**arguments)) else []


def to_double(arguments: dict[str, Any]) -> dict[str, Any]:
    doubled = {name: arguments[name].double() for name in differentiable(arguments)}
    return arguments | doubled


def differentiated(sample: Sample, face: str, names: list[str]) -> tuple[Any, list[Tensor]]:
    """The call as a function of those of the arguments that are given, and these."""
    arguments = to_double(sample.arguments())
    given = [name for name in names if is_floating(arguments.get(name))]

    def call(*tensors: Tensor) -> Any:
        results = FACES[face](**{**arguments, **dict(zip(given, tensors, strict=True))})
        return results

    return call, [arguments[name].requires_grad_() for name in given]


def dot(tensors: tuple[Tensor, ...], others: tuple[Tensor, ...]) -> Tensor:
    products = [(a * b).sum() for a, b in zip(tensors, others, strict=True)]
    return torch.stack(products).sum()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
class TestSample:
    def test_faces_agree(self, sample: Sample) -> None:
        arguments = sample.arguments()
        expected = FACES["torch.ops"](**arguments)
        for face in FACES.values():
            torch.testing.assert_close(face(**arguments), expected, rtol=0, atol=0, equal_nan=True)

    def test_module_agrees(self, sample: Sample) -> None:
        arguments = sample.arguments()
        module = MODULE()
        expected = FUNCTION(**arguments)
        found = module(*(arguments.get(name) for name in TENSORS))
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)

    def test_strides_do_not_matter(self, sample: Sample) -> None:
        arguments = sample.arguments()
        strided = {
            name: torch.stack([value] * 2, -1)[..., 0] if isinstance(value, Tensor) else value
            for name, value in arguments.items()
        }
        expected = FUNCTION(**arguments)
        found = FUNCTION(**strided)
        torch.testing.assert_close(found, expected, equal_nan=True)

    def test_opcheck(self, sample: Sample) -> None:
        schema = OPERATOR._schema.arguments
        values: dict[str, Any] = {a.name: a.default_value for a in schema}
        values |= sample.arguments()
        for name in differentiable(values):
            values[name].requires_grad_()
        args = tuple(values[a.name] for a in schema if not a.kwarg_only)
        kwargs = {a.name: values[a.name] for a in schema if a.kwarg_only}
        torch.library.opcheck(OPERATOR, args, kwargs)

    @pytest.mark.parametrize("face", ["torch.ops", "Function"])
    def test_gradients(self, sample: Sample, face: str) -> None:
        call, inputs = differentiated(sample, face, DIFFERENTIABLE)
        if not inputs:
            pytest.skip("integers have no gradient")
        fast = sum(tensor.numel() for tensor in inputs) > 100
        assert torch.autograd.gradcheck(call, inputs, fast_mode=fast)

    @pytest.mark.parametrize("face", ["torch.ops", "Function"])
    def test_forward_mode_and_second_derivatives(self, sample: Sample, face: str) -> None:
        call, inputs = differentiated(sample, face, TWICE_DIFFERENTIABLE)
        if not inputs:
            pytest.skip("no such argument is given")
        fast = sum(tensor.numel() for tensor in inputs) > 100
        assert torch.autograd.gradcheck(call, inputs, fast_mode=fast, check_forward_ad=True)
        assert torch.autograd.gradgradcheck(call, inputs, fast_mode=fast, check_fwd_over_rev=True)

    @pytest.mark.parametrize("face", ["torch.ops", "Function"])
    def test_transforms_within_transforms(self, sample: Sample, face: str) -> None:
        """What torch.func gives is what autograd gives."""
        call, leaves = differentiated(sample, face, TWICE_DIFFERENTIABLE)
        if not leaves:
            pytest.skip("no such argument is given")
        inputs = tuple(tensor.detach() for tensor in leaves)
        tangents = tuple(torch.rand_like(tensor) for tensor in inputs)

        def energy(*tensors: Tensor) -> Tensor:
            energy: Tensor = call(*tensors).square().sum()
            return energy

        def along(*tensors: Tensor) -> Any:
            return torch.func.jvp(energy, tensors, tangents)[1]

        places = tuple(range(len(inputs)))
        slopes = functional.vjp(energy, inputs)[1]
        bends = functional.hvp(energy, inputs, tangents)[1]
        gradient = torch.func.grad(energy, places)
        close = partial(torch.testing.assert_close, equal_nan=True)
        close(gradient(*inputs), slopes)
        close(along(*inputs), dot(slopes, tangents))
        close(torch.func.jvp(gradient, inputs, tangents)[1], bends)
        close(torch.func.grad(along, places)(*inputs), bends)
        close(torch.func.jvp(along, inputs, tangents)[1], dot(bends, tangents))

    @pytest.mark.parametrize("face", ["function", "torch.ops", "Function"])
    def test_no_tangent_is_lost(self, sample: Sample, face: str) -> None:
        """What forward-mode AD cannot do, it says."""
        given = {n: v for n, v in sample.arguments().items() if isinstance(v, Tensor)}
        names = [n for n in given if given[n].is_floating_point() and n not in TWICE_DIFFERENTIABLE]
        if not names:
            pytest.skip("every tensor has derivatives")
        for name in names:
            arguments = sample.arguments()
            with forward_ad.dual_level(), pytest.raises(NotImplementedError, match=NO_DERIVATIVE):
                arguments[name] = make_dual(given[name], torch.ones_like(given[name]))
                FACES[face](**arguments)

    def test_compiles_to_one_graph(self, sample: Sample) -> None:
        compiled = torch.compile(
            lambda arguments: FUNCTION(**arguments),
            fullgraph=True,
            dynamic=True,
            backend="aot_eager",
        )
        for larger in (False, True):
            arguments = sample.arguments(larger=larger)
            expected = FUNCTION(**arguments)
            with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
                found = compiled(arguments)
            torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda refusal: refusal.name)
@pytest.mark.parametrize("face", FACES)
def test_refusals(refusal: Refusal, face: str) -> None:
    with pytest.raises(refusal.raises, match=refusal.match or None):
        FACES[face](**refusal.arguments())


@pytest.mark.parametrize("face", [face for face in FACES if face != "kernel"])
def test_something_else_than_a_tensor_is_refused(face: str) -> None:
    arguments = {**SAMPLES[0].arguments(), TENSORS[0]: "text"}
    with pytest.raises((TypeError, RuntimeError), match=TENSORS[0]):
        FACES[face](**arguments)


def test_threads_agree() -> None:
    arguments = SAMPLES[0].arguments()
    expected = FUNCTION(**arguments)
    with ThreadPoolExecutor(4) as pool:
        futures = [pool.submit(FUNCTION, **arguments) for _ in range(32)]
        for future in futures:
            torch.testing.assert_close(future.result(), expected, rtol=0, atol=0, equal_nan=True)


TWICE = """
import importlib, sys, package
importlib.reload(package)
for name in [name for name in sys.modules if name.split(".")[0] == "package"]:
    del sys.modules[name]
import package
"""
IN_THREADS = """
import threading
threads = [threading.Thread(target=__import__, args=["package"]) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
import package
"""


@pytest.mark.parametrize("code", [TWICE, IN_THREADS], ids=["twice", "in threads"])
def test_import(code: str) -> None:
    code = code.replace("package", package.__name__)
    command = [sys.executable, "-W", "error", "-c", f"{code}\nprint('done')"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "done\n", "")
