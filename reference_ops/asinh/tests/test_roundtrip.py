"""PyTorch against ONNX Runtime and onnx.reference: exporter × opset × sample × kind of axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from conftest import Measure
from samples import SAMPLES, Sample
from torch import Tensor

import asinh as package
from asinh._export import OPSETS

function: Any = package.asinh
FIRST = "self"
EXPORTERS = [dynamo for dynamo, opsets in OPSETS.items() if opsets]
EXPORTS = [(dynamo, opset) for dynamo, opsets in OPSETS.items() for opset in opsets]
EXPORT_IDS = [f"{'dynamo' if dynamo else 'TorchScript'}-{opset}" for dynamo, opset in EXPORTS]


class Call(torch.nn.Module):
    """A model that calls a function with tensors, and with scalars that are constants."""

    def __init__(self, function: Any, names: list[str], scalars: dict[str, Any]) -> None:
        super().__init__()
        self.function, self.names, self.scalars = function, names, scalars

    def forward(self, *tensors: Tensor) -> Any:
        return self.function(**dict(zip(self.names, tensors, strict=True)), **self.scalars)


def split(arguments: dict[str, Any]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    tensors = {name: value for name, value in arguments.items() if isinstance(value, Tensor)}
    return tensors, {name: arguments[name] for name in arguments if name not in tensors}


def roundtrip(
    call: Any, sample: Sample, dynamo: bool, opset: int, dynamic: bool
) -> package.Verification:
    tensors, scalars = split(sample.arguments())
    names = list(tensors)
    larger, _ = split(sample.arguments(larger=True))
    return package.verify(
        Call(call, names, scalars).eval(),
        tuple(tensors.values()),
        dynamo=dynamo,
        opset=opset,
        input_names=names,
        dynamic_axes=sample.axes() if dynamic else None,
        others=[tuple(larger.values())] if dynamic else [],
    )


@pytest.mark.parametrize("axes", ["static", "dynamic"])
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@pytest.mark.parametrize(("dynamo", "opset"), EXPORTS, ids=EXPORT_IDS)
def test_roundtrip(dynamo: bool, opset: int, sample: Sample, axes: str, measure: Measure) -> None:
    if axes == "dynamic" and not sample.can_grow:
        pytest.skip("no size of the sample has a name")
    result = roundtrip(function, sample, dynamo, opset, axes == "dynamic")
    assert result.opset == opset
    runtime = "ONNX Runtime"
    error = f"{result.errors[runtime]:.1e}" if runtime in result.errors else "no kernel"
    measure(result.exporter, opset, sample.name, error)


@pytest.mark.parametrize("dynamo", EXPORTERS)
def test_operator_is_exported_too(dynamo: bool) -> None:
    opset = OPSETS[dynamo][-1]
    roundtrip(torch.ops.asinh.asinh.default, SAMPLES[0], dynamo, opset, dynamic=False)
    roundtrip(torch.ops.aten.asinh.default, SAMPLES[0], dynamo, opset, dynamic=False)


@pytest.mark.parametrize("dynamo", [True, False])
@pytest.mark.parametrize("opset", [1, 99])
def test_other_opsets_are_refused(tmp_path: Path, dynamo: bool, opset: int) -> None:
    tensors, scalars = split(SAMPLES[0].arguments())
    model = Call(function, list(tensors), scalars).eval()
    path = tmp_path / "model.onnx"
    with pytest.raises(ValueError, match="use (opset|dynamo)="):
        package.export(model, tuple(tensors.values()), path, dynamo=dynamo, opset=opset)
    assert not list(tmp_path.iterdir())


class Mixed(torch.nn.Module):
    """A model with containers as arguments, a number that is fixed, or left to its default."""

    def forward(
        self, tensors: list[Tensor], names: list[str], scalars: dict[str, Any], factor: float = 1.0
    ) -> Any:
        return function(**dict(zip(names, tensors, strict=True)), **scalars) * factor


@pytest.mark.parametrize("dynamo", EXPORTERS)
def test_numbers_and_containers_as_arguments(tmp_path: Path, dynamo: bool) -> None:
    tensors, scalars = split(SAMPLES[0].arguments())
    model = Mixed().eval()
    args = (list(tensors.values()), list(tensors), scalars)
    path = package.export(model, args, tmp_path / "model.onnx", dynamo=dynamo)
    assert [file.name for file in tmp_path.iterdir()] == ["model.onnx"]
    names = {entry.name for entry in onnx.load(path).graph.input}
    assert names <= {f"tensors_{position}" for position in range(len(tensors))}
    package.verify(model, args, kwargs={"factor": 2.5}, dynamo=dynamo)


@pytest.mark.parametrize(
    ("dynamic_axes", "sentence"),
    [
        ({"nothing": {0: "n"}}, "the inputs are"),
        ({FIRST: {99: "n"}}, "has no dimension 99"),
        ({FIRST: [0]}, "wants a dictionary"),
    ],
)
def test_wrong_dynamic_axes_are_refused(tmp_path: Path, dynamic_axes: Any, sentence: str) -> None:
    tensors, scalars = split(SAMPLES[0].arguments())
    model = Call(function, list(tensors), scalars).eval()
    with pytest.raises((ValueError, TypeError), match=sentence):
        package.export(
            model,
            tuple(tensors.values()),
            tmp_path / "model.onnx",
            input_names=list(tensors),
            dynamic_axes=dynamic_axes,
        )
    assert not list(tmp_path.iterdir())
