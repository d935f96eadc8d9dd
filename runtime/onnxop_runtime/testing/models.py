"""Models that call an operator with a sample's arguments."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from ..torch_internals import export_errors
from .arguments import Arguments, merged, split
from .base import OperatorTests, first_line
from .samples import Sample


class Model(torch.nn.Module):
    """A model that calls a function with tensors, and with scalars that are constants. The tensors of a
    list are inputs of their own.
    """

    def __init__(self, function: Any, names: list[str], scalars: Arguments) -> None:
        super().__init__()
        self.function, self.names, self.scalars = function, names, scalars

    def forward(self, *tensors: Tensor) -> Any:
        named = dict(zip(self.names, tensors, strict=True))
        return self.function(**merged(named, self.scalars))


def model_of(
    tests: type[OperatorTests], arguments: Arguments, call: Any = None
) -> tuple[Model, tuple[Tensor, ...]]:
    """Return a model of a call of the operator, or of another function of the same, and its arguments."""
    tensors, scalars = split(arguments)
    model = Model(tests.in_onnx(call or tests.function), [*tensors], scalars)
    return model.eval(), tuple(tensors.values())


def refused_by_pytorch(tests: type[OperatorTests], sample: Sample, dynamic: bool) -> str:
    """Return why the dynamo exporter refuses an operator of PyTorch's own by itself, before it comes to the
    nodes, which are the package's; empty where it does not.
    """
    if tests.autograd_function is not None:
        return ""
    errors = export_errors()
    tensors, scalars = split(sample.arguments())
    model = Model(tests.operator.overload, [*tensors], scalars).eval()
    axes = sample.axes() if dynamic else {}
    shapes = tuple(dict.fromkeys(axes.get(name, {}), torch.export.Dim.DYNAMIC) for name in tensors)
    options: dict[str, Any] = {"dynamic_shapes": (shapes,)} if axes else {}
    try:
        torch.onnx.export(model, tuple(tensors.values()), dynamo=True, verbose=False, **options)
    except torch.onnx.errors.OnnxExporterError as error:
        if isinstance(error.__cause__, errors.ConversionError):  # of a node
            return ""
        cause = error.__cause__ or error
        return f"PyTorch {torch.__version__} cannot export it by itself: {first_line(cause)}"
    return ""
