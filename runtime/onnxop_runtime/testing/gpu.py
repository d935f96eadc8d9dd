"""Tests of an operator's kernel on a GPU: ``pytest -m gpu``."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from ..torch_internals import cache_exporter_tables, capturing_dynamic_outputs
from ..verification.runners import NATIVE_ON_CUDA
from .arguments import (
    Arguments,
    assert_close,
    bind,
    each_tensor,
    floating,
    results_of,
    split,
    strided,
    with_tensors,
)
from .base import Call, OperatorTests, only_for
from .roundtrips import model_of
from .samples import Sample
from .torch_settings import unwritten_is_nan

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

    @pytest.mark.gpu
    @_on_gpu
    def test_compiled_on_a_gpu(self) -> None:
        """Compile values and gradients with torch.compile, which fuses an elementwise operator."""
        _need_gpu()
        torch.compiler.reset()
        arguments = _moved(self.samples[0].arguments())
        compiled = torch.compile(lambda arguments: self.function(**arguments), fullgraph=True)

        def function(**named: Any) -> Any:
            return compiled(named)

        with capturing_dynamic_outputs():
            function(**arguments)  # compiles
            with torch.profiler.profile() as profile:
                results = function(**arguments)
        assert_close(_on_cpu(results), _on_cpu(self.function(**arguments)))
        calls = [event for event in profile.events() or () if event.name == str(self.operator)]
        assert not (calls and self.operator.elementwise), "the operator is not fused"
        if names := [*self.with_gradients(arguments)]:
            with capturing_dynamic_outputs():
                gradients = self._gradients(arguments, names, function)
            assert_close(_on_cpu(gradients), _on_cpu(self._gradients(arguments, names)))

    @pytest.mark.gpu
    @_on_gpu
    def test_vmap_on_a_gpu(self, sample: Sample) -> None:
        """Compare with a loop."""
        _need_gpu()
        tensors, scalars = split(_moved(sample.arguments()))
        call = bind(self.function, tensors, scalars)
        expected = results_of(call(*tensors.values()))
        batches = [torch.stack([tensor, tensor], -1) for tensor in tensors.values()]
        batched = torch.vmap(call, in_dims=-1)(*batches)
        assert_close(batched, tuple(torch.stack([result, result]) for result in expected))

    @pytest.mark.gpu
    @_on_gpu
    def test_autocast_on_a_gpu(self, sample: Sample) -> None:
        """Compare dtypes and values with autocast on the CPU."""
        _need_gpu()
        arguments = sample.arguments()
        with torch.autocast("cpu", dtype=torch.bfloat16):
            expected = self.function(**arguments)
        with torch.autocast("cuda", dtype=torch.bfloat16):
            results = self.function(**_moved(arguments))
        assert_close(_on_cpu(results), expected)

    @pytest.mark.gpu
    @_on_gpu
    @only_for(lambda tests: tests.operator.can_be_node)
    def test_node_in_onnx_runtime(self, sample: Sample) -> None:
        """Export one node, and compare ONNX Runtime's CUDA provider with PyTorch."""
        _need_gpu()
        cache_exporter_tables()
        model, inputs = model_of(type(self), sample.arguments())
        package: Any = self.operator.package
        domain, names = self.operator.domain, model.names
        result = package.verify(model, inputs, input_names=names, domain=domain, dynamo=False)
        if NATIVE_ON_CUDA not in result.errors:
            pytest.skip(result.missing.get(NATIVE_ON_CUDA, "onnxruntime has no CUDA provider"))
        assert result.cuda == result.nodes == 1

    def _gradients(
        self, arguments: Arguments, names: list[str], call: Call | None = None
    ) -> tuple[Tensor, ...]:
        tensors, _ = split(arguments)
        inputs = [tensors[name].detach().requires_grad_() for name in names]
        changed = dict(zip(names, inputs, strict=True))
        outputs = floating((call or self.function)(**with_tensors(arguments, changed)))
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
