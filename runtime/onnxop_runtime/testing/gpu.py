"""Tests of an operator's kernel on a GPU: ``pytest -m gpu``."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from .arguments import Arguments, assert_close, each_tensor, floating, results_of, strided
from .base import OperatorTests, only_for
from .samples import Sample
from .values import unwritten_is_nan

_on_gpu = only_for(lambda tests: "cuda" in tests.operator.devices)


class GpuTests(OperatorTests):
    """Tests of results on a GPU, for operators whose package is built for CUDA."""

    @pytest.mark.gpu
    @_on_gpu
    def test_values_on_a_gpu(self, sample: Sample) -> None:
        """Compare with the CPU, for all strides, in memory filled with NaN."""
        _need_gpu()
        for larger in (False, True):
            arguments = sample.arguments(larger=larger)
            expected = self.function(**arguments)
            for inputs in (arguments, strided(arguments)):
                with unwritten_is_nan():
                    results = self.function(**_moved(inputs))
                assert all(result.is_cuda for result in results_of(results))
                assert_close(_on_cpu(results), expected)

    @pytest.mark.gpu
    @_on_gpu
    @only_for(lambda tests: tests.differentiable)
    def test_gradients_on_a_gpu(self, sample: Sample) -> None:
        """Compare with the CPU."""
        _need_gpu()
        arguments = sample.arguments()
        names = [*self.with_gradients(arguments)]
        if not names:
            pytest.skip("the sample has no tensor with a gradient")
        assert_close(
            _on_cpu(self._gradients(_moved(arguments), names)), self._gradients(arguments, names)
        )

    @pytest.mark.gpu
    @_on_gpu
    def test_stream_and_graph(self) -> None:
        """Compute on the current stream, and replay a captured graph."""
        _need_gpu()
        arguments = _moved(self.samples[0].arguments())
        expected = _on_cpu(self.function(**arguments))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            results = results_of(self.function(**arguments))
        for result in results:
            result.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert_close(_on_cpu(results), expected)

    def _gradients(self, arguments: Arguments, names: list[str]) -> tuple[Tensor, ...]:
        inputs = [arguments[name].detach().requires_grad_() for name in names]
        outputs = floating(self.function(**{**arguments, **dict(zip(names, inputs, strict=True))}))
        grads = [torch.ones_like(output) for output in outputs]
        return torch.autograd.grad(outputs, inputs, grads, materialize_grads=True)


def _need_gpu() -> None:
    if not torch.cuda.is_available():
        pytest.skip("PyTorch sees no GPU")


def _moved(arguments: Arguments) -> Arguments:
    """Return the arguments on the GPU, with the same strides."""
    return each_tensor(arguments, lambda tensor: tensor.detach().to("cuda"))


def _on_cpu(results: Any) -> tuple[Tensor, ...]:
    return tuple(result.cpu() for result in results_of(results))
