"""Calls of small models, for tests of the judge."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from onnxop_runtime.verification.model_call import ModelCall
from onnxop_runtime.verification.pytorch_results import PyTorchResults


class Function(torch.nn.Module):
    """A model that calls a function."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *args: Tensor) -> Any:
        return self.function(*args)


def called(function: Callable[..., Any], *args: Tensor) -> PyTorchResults:
    """Return PyTorch's results of a function."""
    model = function if isinstance(function, torch.nn.Module) else Function(function)
    return PyTorchResults(ModelCall(model.eval(), args))
