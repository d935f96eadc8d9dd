"""deform_conv2d::deform_conv2d as a PyTorch operator: contract, gradients, compilation, layouts, refusals."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import torch
from samples import REFUSALS, SAMPLES, Refusal, Sample
from torch import Tensor
from torch.autograd import forward_ad

import deform_conv2d as package
from deform_conv2d import _kernel

FUNCTION: Callable[..., Tensor] = package.deform_conv2d
MODULE = package.DeformConv2d
AUTOGRAD_FUNCTION = package.DeformConv2dFunction
OPERATOR = torch.ops.deform_conv2d.deform_conv2d.default
EXISTING = torch.ops.torchvision.deform_conv2d.default

TENSORS = ["input", "weight", "offset", "mask", "bias"]
SCALARS = [
    "stride_h",
    "stride_w",
    "pad_h",
    "pad_w",
    "dilation_h",
    "dilation_w",
    "groups",
    "offset_groups",
    "use_mask",
]
DIFFERENTIABLE = ["input", "weight", "offset", "mask", "bias"]
TWICE_DIFFERENTIABLE: list[str] = []
NO_DERIVATIVE = "no formula|non_differentiable|nothing differentiates"


def through_function(**arguments: Any) -> Any:
    """The call by the Function's ``apply``, which takes every argument by position."""
    schema = OPERATOR._schema.arguments
    values = {argument.name: argument.default_value for argument in schema} | arguments
    return AUTOGRAD_FUNCTION.apply(*(values[a.name] for a in schema))


make_dual: Any = forward_ad.make_dual  # untyped in torch

FACES: dict[str, Callable[..., Any]] = {
    "function": FUNCTION,
    "torch.ops": OPERATOR,
    "Function": through_function,
    "kernel": _kernel.deform_conv2d,
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
    return {n: v.double() if is_floating(v) else v for n, v in arguments.items()}


def differentiated(sample: Sample, face: str, names: list[str]) -> tuple[Any, list[Tensor]]:
    """The call as a function of those of the arguments that are given, and these."""
    arguments = to_double(sample.arguments())
    given = [name for name in names if is_floating(arguments.get(name))]

    def call(*tensors: Tensor) -> Any:
        results = FACES[face](**{**arguments, **dict(zip(given, tensors, strict=True))})
        return results

    return call, [arguments[name].requires_grad_() for name in given]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
class TestSample:
    def test_faces_agree(self, sample: Sample) -> None:
        arguments = sample.arguments()
        expected = FACES["torch.ops"](**arguments)
        for face in FACES.values():
            torch.testing.assert_close(face(**arguments), expected, rtol=0, atol=0, equal_nan=True)

    def test_module_agrees(self, sample: Sample) -> None:
        arguments = sample.arguments()
        scalars = {name: arguments[name] for name in SCALARS if name in arguments}
        module = MODULE(**scalars)
        expected = FUNCTION(**arguments)
        found = module(*(arguments.get(name) for name in TENSORS))
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)

    def test_agrees_with_torchvision_deform_conv2d(self, sample: Sample) -> None:
        arguments = sample.arguments()
        expected = EXISTING(**arguments)
        rtol, atol = {torch.float32: (1e-5, 1e-5)}.get(expected.dtype, (None, None))
        torch.testing.assert_close(
            FUNCTION(**arguments), expected, rtol=rtol, atol=atol, equal_nan=True
        )

    def test_gradients_agree_with_torchvision_deform_conv2d(self, sample: Sample) -> None:
        arguments = to_double(sample.arguments())
        inputs = [arguments[name].requires_grad_() for name in differentiable(arguments)]
        if not inputs:
            pytest.skip("integers have no gradient")
        grad = torch.rand_like(FUNCTION(**arguments))
        expected = torch.autograd.grad(EXISTING(**arguments), inputs, grad)
        found = torch.autograd.grad(FUNCTION(**arguments), inputs, grad)
        torch.testing.assert_close(found, expected, rtol=1e-10, atol=1e-10, equal_nan=True)

    def test_strides_do_not_matter(self, sample: Sample) -> None:
        arguments = sample.arguments()
        strided = {
            name: torch.stack([value] * 2, -1)[..., 0] if isinstance(value, Tensor) else value
            for name, value in arguments.items()
        }
        expected = FUNCTION(**arguments)
        found = FUNCTION(**strided)
        torch.testing.assert_close(found, expected, rtol=0, atol=0, equal_nan=True)

    def test_meta_device(self, sample: Sample) -> None:
        """No values are needed, but for sizes that depend on them."""
        arguments = sample.arguments()
        expected = FUNCTION(**arguments)
        meta = {n: v.to("meta") if isinstance(v, Tensor) else v for n, v in arguments.items()}
        values = {a.name: a.default_value for a in OPERATOR._schema.arguments} | arguments
        described = _kernel.infer(*values.values())
        if None in described[1]:
            with pytest.raises(RuntimeError, match="data-dependent"):
                FUNCTION(**meta)
            return
        found = FUNCTION(**meta)
        assert found.is_meta
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)

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

    def test_gradients_where_wanted_only(self, sample: Sample) -> None:
        for wanted in differentiable(sample.arguments()):
            arguments = sample.arguments()
            arguments[wanted].requires_grad_()
            torch.autograd.backward([FUNCTION(**arguments).sum()])
            for name in differentiable(arguments):
                assert (arguments[name].grad is not None) == (name == wanted)
            assert arguments[wanted].grad.shape == arguments[wanted].shape

    @pytest.mark.parametrize("face", ["torch.ops", "Function"])
    def test_gradients_are_differentiated_once(self, sample: Sample, face: str) -> None:
        """A gradient penalty says that it trains nothing."""
        call, inputs = differentiated(sample, face, DIFFERENTIABLE)
        total = call(*inputs).sum()
        expected = torch.autograd.grad(total, inputs, retain_graph=True)
        grads = torch.autograd.grad(total, inputs, create_graph=True)
        torch.testing.assert_close(grads, expected, rtol=0, atol=0)
        names = differentiable(sample.arguments())
        for grad in [g for n, g in zip(names, grads, strict=True) if n not in TWICE_DIFFERENTIABLE]:
            for tensor in inputs:
                with pytest.raises(NotImplementedError, match="nothing differentiates"):
                    torch.autograd.grad(grad.sum(), tensor, retain_graph=True)

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


@pytest.mark.parametrize("face", FACES)
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
