"""A model → what PyTorch's own exporters write of it, by PyTorch, NumPy and ONNX Runtime alone.

``python -m tests.zoo.stock torchvision vit dynamo`` prints a line of JSON. No module of onnxop is
imported, so that the verdicts of scan can be compared with these.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from .sets import Arguments

TOLERANCE = 1e-3
"""The difference that rounding may make, relative to the largest of the values' magnitude and 1."""


def main() -> None:
    family, name, exporter = sys.argv[1:]
    warnings.simplefilter("ignore")
    print(json.dumps(dict(zip(("verdict", "why"), judged(family, name, exporter), strict=True))))


def judged(family: str, name: str, exporter: str) -> tuple[str, str]:
    """Return the verdict, and the error or the difference."""
    # Runs and exports may leave tensors in a model: each has a model of its own, with the same
    # weights.
    expected = _expected(*_built(family, name))
    model, inputs = _built(family, name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.onnx")
        try:
            _export(model, inputs, exporter, path)
        except Exception as error:  # noqa: BLE001 - exporters raise anything
            return "refused", _line(error)
        for index, arguments in enumerate(inputs):
            verdict = "wrong" if index == 0 else "first"
            if why := _difference(expected[index], arguments, path):
                return verdict, f"inputs {index}: {why}"
    return "right", ""


def _built(family: str, name: str) -> tuple[Any, list[Arguments]]:
    """Return the model and its inputs, which are the same in each call."""
    torch.manual_seed(0)
    model, inputs = getattr(importlib.import_module(f"tests.zoo.{family}"), name)()
    return model, inputs


def _expected(model: Any, inputs: Sequence[Arguments]) -> list[list[torch.Tensor]]:
    """Return PyTorch's results for each set of inputs."""
    with torch.no_grad():
        return [_tensors(model(*arguments)) for arguments in inputs]


def _export(model: Any, inputs: Sequence[Arguments], exporter: str, path: Path) -> None:
    """Export with the dimensions dynamic that differ among the inputs."""
    options: dict[str, Any] = {"opset_version": 20, "verbose": False}
    tensors = [_tensors(arguments) for arguments in inputs]
    axes = [
        {d for d in range(first.dim()) if len({s[at].shape[d] for s in tensors}) > 1}
        for at, first in enumerate(tensors[0])
    ]
    if exporter == "dynamo":
        options |= {"dynamo": True, "dynamic_shapes": _shapes(model, inputs[0], axes)}
    else:
        names = [f"x{at}" for at in range(len(axes))]
        dynamic = {name: [*dims] for name, dims in zip(names, axes, strict=True) if dims}
        options |= {"dynamo": False, "input_names": names, "dynamic_axes": dynamic}
    torch.onnx.export(model, inputs[0], str(path), **options)


def _shapes(model: Any, arguments: Arguments, axes: Sequence[set[int]]) -> Any:
    """Return the dynamic dimensions of the tensors by parameter, nested like the arguments."""
    rest = iter(axes)

    def shape(value: Any) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(shape(item) for item in value)
        return {d: torch.export.Dim.AUTO for d in next(rest)}

    bound = inspect.signature(model.forward).bind(*arguments).arguments
    return {name: shape(value) for name, value in bound.items()}


def _difference(expected: Sequence[torch.Tensor], arguments: Arguments, path: Path) -> str:
    """Return how ONNX Runtime's results differ from PyTorch's, or the error, or ``""``."""
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        ports = session.get_inputs()
        named = {f"x{at}": tensor for at, tensor in enumerate(_tensors(arguments))}
        if not all(port.name in named for port in ports):
            named = dict(zip([port.name for port in ports], _tensors(arguments), strict=False))
        results = session.run(None, {port.name: named[port.name].numpy() for port in ports})
    except Exception as error:  # noqa: BLE001 - its classes are private
        return f"ONNX Runtime: {_line(error)}"
    if len(results) != len(expected):
        return f"{len(results)} results instead of {len(expected)}"
    pairs = zip(results, expected, strict=True)
    reasons = [_unlike(result, tensor.numpy()) for result, tensor in pairs]
    return next(filter(None, reasons), "")


def _unlike(result: Any, expected: Any) -> str:
    if result.shape != expected.shape:
        return f"shape {result.shape} instead of {expected.shape}"
    both = result.astype(np.float64), expected.astype(np.float64)
    magnitude = max(1.0, float(np.abs(both[1][np.isfinite(both[1])]).max(initial=0)))
    near = np.isclose(*both, rtol=TOLERANCE, atol=TOLERANCE * magnitude, equal_nan=True)
    return "" if near.all() else f"{(~near).sum()} of {near.size} elements differ"


def _tensors(value: Any) -> list[torch.Tensor]:
    leaves = torch.utils._pytree.tree_leaves(value)
    return [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]


def _line(error: Exception) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:200]}"


if __name__ == "__main__":
    main()
