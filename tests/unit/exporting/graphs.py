"""Models that exporters write in this process, by rules that are registered meanwhile."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import onnx
import torch
from onnx.reference import ReferenceEvaluator
from torch import Tensor

from onnxop_runtime.exporting import registration
from onnxop_runtime.operator.model import Operator

from .samples import OPSET


class Calling(torch.nn.Module):
    """Calls a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, *tensors: Tensor) -> Any:
        return self._function(*tensors)


@contextmanager
def registered(*operators: Operator) -> Iterator[None]:
    """Register operators for the duration of the block."""
    for operator in operators:
        registration.register(operator)
    try:
        yield
    finally:
        registration.unregister(operators)


def exported(
    function: Callable[..., Any], *tensors: Tensor, dynamo: bool, **options: Any
) -> onnx.ModelProto:
    """Return the model that PyTorch's exporter writes for a function."""
    file, model = io.BytesIO(), Calling(function).eval()
    options = {"opset_version": OPSET, "dynamo": dynamo} | options
    export: Any = torch.onnx.export  # its annotations lack files in memory
    export(model, tensors, file, verbose=False, **options)
    return onnx.load_from_string(file.getvalue())


def op_types(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


def check_values(model: onnx.ModelProto, function: Callable[..., Any], *tensors: Tensor) -> None:
    """Check that the model computes the function's values, in its dtypes."""
    names = [value.name for value in model.graph.input]
    feeds = {name: tensor.numpy() for name, tensor in zip(names, tensors, strict=True)}
    results = ReferenceEvaluator(model).run(None, feeds)
    expected = function(*tensors)
    for result, value in zip(
        results, expected if isinstance(expected, tuple) else [expected], strict=True
    ):
        assert result.dtype == value.numpy().dtype
        np.testing.assert_allclose(result, value.numpy(), rtol=1e-5)
