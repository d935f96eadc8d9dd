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
from asinh._export import NODE_OPSETS, OPSETS
from asinh._node import DEFAULT_DOMAIN, DOMAIN, OP_TYPE

function: Any = package.asinh
FIRST = "self"
SPANS = NODE_OPSETS if DEFAULT_DOMAIN else OPSETS
EXPORTERS = [dynamo for dynamo, opsets in SPANS.items() if opsets]
EXPORTS = [(dynamo, opset) for dynamo, opsets in SPANS.items() for opset in opsets]
# The lowest and the highest opset of either form.
ENDS = sorted(
    {
        (dynamo, opset)
        for spans in (OPSETS, NODE_OPSETS)
        for dynamo, opsets in spans.items()
        for opset in (*opsets[:1], *opsets[-1:])
    }
)


def exporter_and_opset(export: tuple[bool, int]) -> str:
    dynamo, opset = export
    return f"{'dynamo' if dynamo else 'TorchScript'}-{opset}"


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
    call: Any,
    sample: Sample,
    dynamo: bool,
    opset: int,
    dynamic: bool,
    domain: str | None = None,
) -> package.Verification:
    tensors, scalars = split(sample.arguments())
    names = list(tensors)
    larger, _ = split(sample.arguments(larger=True))
    return package.verify(
        Call(call, names, scalars).eval(),
        tuple(tensors.values()),
        dynamo=dynamo,
        opset=opset,
        domain=domain,
        input_names=names,
        dynamic_axes=sample.axes() if dynamic else None,
        others=[tuple(larger.values())] if dynamic else [],
    )


# Static axes at the ends only, where a sample has dynamic ones: those are tried at every opset.
CASES = [
    pytest.param(
        export,
        sample,
        dynamic,
        id=f"{exporter_and_opset(export)}-{'dynamic' if dynamic else 'static'}-{sample.name}",
    )
    for export in EXPORTS
    for sample in SAMPLES
    for dynamic in (False, True)
    if (sample.can_grow if dynamic else not sample.can_grow or export in ENDS)
]


@pytest.mark.parametrize(("export", "sample", "dynamic"), CASES)
def test_roundtrip(
    export: tuple[bool, int], sample: Sample, dynamic: bool, measure: Measure
) -> None:
    dynamo, opset = export
    result = roundtrip(function, sample, dynamo, opset, dynamic)
    assert result.opset == opset
    found = result.errors.get("ONNX Runtime", result.errors.get("native kernel"))
    error = "no kernel" if found is None else f"{found:.1e}"
    measure(result.exporter, opset, sample.name, error)


@pytest.mark.parametrize("export", ENDS, ids=exporter_and_opset)
def test_one_node_of_a_domain(tmp_path: Path, export: tuple[bool, int]) -> None:
    dynamo, opset = export
    for sample in SAMPLES:
        roundtrip(function, sample, dynamo, opset, sample.can_grow, DOMAIN)
    tensors, scalars = split(SAMPLES[0].arguments())
    path = package.export(
        Call(function, list(tensors), scalars).eval(),
        tuple(tensors.values()),
        tmp_path / "model.onnx",
        dynamo=dynamo,
        opset=opset,
        domain=DOMAIN,
    )
    nodes = [(node.domain, node.op_type) for node in onnx.load(path).graph.node]
    assert nodes.count((DOMAIN, OP_TYPE)) == 1


@pytest.mark.parametrize("dynamo", EXPORTERS)
def test_operator_is_exported_too(dynamo: bool) -> None:
    opset = SPANS[dynamo][-1]
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
