"""Models that call an operator with a sample's arguments, and what PyTorch refuses of them by itself."""

from __future__ import annotations

from typing import Any

import torch
from engine import Case, Sample, merged, split
from torch import Tensor


class Call(torch.nn.Module):
    """A model that calls a function with tensors, and with scalars that are constants. The tensors
    of a list are inputs of their own.
    """

    def __init__(self, function: Any, names: list[str], scalars: dict[str, Any]) -> None:
        super().__init__()
        self.function, self.names, self.scalars = function, names, scalars

    def forward(self, *tensors: Tensor) -> Any:
        named = dict(zip(self.names, tensors, strict=True))
        return self.function(**merged(named, self.scalars))


def model_of(case: Case, arguments: dict[str, Any]) -> tuple[Call, tuple[Tensor, ...]]:
    tensors, scalars = split(arguments)
    model = Call(case.in_onnx(case.function), list(tensors), scalars)
    return model.eval(), tuple(tensors.values())


def refused_by_pytorch(case: Case, sample: Sample, dynamic: bool = False) -> str:
    """Why the dynamo exporter refuses an operator of PyTorch's own by itself, before it comes to the nodes,
    which are the package's; empty where it does not.
    """
    from torch.onnx._internal.exporter._errors import ConversionError

    if case.autograd_function is not None:
        return ""
    tensors, scalars = split(sample.arguments())
    model = Call(case.overload, list(tensors), scalars).eval()
    axes = sample.axes() if dynamic else {}
    shapes = tuple(dict.fromkeys(axes.get(name, {}), torch.export.Dim.DYNAMIC) for name in tensors)
    options: dict[str, Any] = {"dynamic_shapes": (shapes,)} if axes else {}
    try:
        torch.onnx.export(model, tuple(tensors.values()), dynamo=True, verbose=False, **options)
    except torch.onnx.errors.OnnxExporterError as error:
        if isinstance(error.__cause__, ConversionError):  # of a node
            return ""
        cause = error.__cause__ or error
        return f"PyTorch {torch.__version__} cannot export it by itself: {first_line(cause)}"
    return ""


def first_line(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
