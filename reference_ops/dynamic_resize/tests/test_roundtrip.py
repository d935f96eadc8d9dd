"""PyTorch against ONNX Runtime and onnx.reference: exporter × opset × sample × kind of axes."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from conftest import Measure
from samples import SAMPLES, Sample
from torch import Tensor

import dynamic_resize as package
from dynamic_resize._export import NODE_OPSETS, OPSETS
from dynamic_resize._node import DEFAULT_DOMAIN, DOMAIN, OP_TYPE

function: Any = package.resize
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
        opset_version=opset,
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
    path = tmp_path / "model.onnx"
    package.export(
        Call(function, list(tensors), scalars).eval(),
        tuple(tensors.values()),
        path,
        dynamo=dynamo,
        opset_version=opset,
        domain=DOMAIN,
    )
    nodes = [(node.domain, node.op_type) for node in onnx.load(path).graph.node]
    assert nodes.count((DOMAIN, OP_TYPE)) == 1


@pytest.mark.parametrize("dynamo", EXPORTERS)
def test_operator_is_exported_too(dynamo: bool) -> None:
    opset = SPANS[dynamo][-1]
    roundtrip(torch.ops.dynamic_resize.resize.default, SAMPLES[0], dynamo, opset, dynamic=False)


@pytest.mark.parametrize("dynamo", [True, False])
@pytest.mark.parametrize("opset", [1, 99])
def test_other_opsets_are_refused(tmp_path: Path, dynamo: bool, opset: int) -> None:
    tensors, scalars = split(SAMPLES[0].arguments())
    model = Call(function, list(tensors), scalars).eval()
    path = tmp_path / "model.onnx"
    with pytest.raises(ValueError, match="use (opset_version|dynamo)="):
        package.export(model, tuple(tensors.values()), path, dynamo=dynamo, opset_version=opset)
    assert not list(tmp_path.iterdir())


def test_export_takes_what_torch_takes() -> None:
    """So that a line of a program changes in its module's name alone."""
    ours = list(inspect.signature(package.export).parameters.values())
    theirs = list(inspect.signature(torch.onnx.export).parameters.values())
    assert [(p.name, p.kind, p.default) for p in ours if p.name != "domain"] == [
        (p.name, p.kind, p.default) for p in theirs
    ]


@pytest.mark.parametrize("domain", ["", DOMAIN])
def test_program_is_what_the_file_holds(tmp_path: Path, domain: str) -> None:
    if not (NODE_OPSETS if domain else OPSETS)[True]:
        pytest.skip("the dynamo exporter cannot write it")
    tensors, scalars = split(SAMPLES[0].arguments())
    model = Call(function, list(tensors), scalars).eval()
    args: tuple[Any, ...] = tuple(tensors.values())
    path = tmp_path / "model.onnx"
    program = package.export(model, args, path, domain=domain, verbose=False)
    assert program is not None
    assert program.model_proto.graph == onnx.load(path).graph
    assert program.model_proto.functions == onnx.load(path).functions
    exported = package.export(torch.export.export(model, args), domain=domain, verbose=False)
    assert exported is not None
    assert exported.model_proto.graph.node == program.model_proto.graph.node


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
    path = tmp_path / "model.onnx"
    package.export(model, (*args, {}), path, dynamo=dynamo)  # without the {}, scalars were keywords
    assert {file.name for file in tmp_path.iterdir()} <= {"model.onnx", "model.onnx.data"}
    names = {entry.name for entry in onnx.load(path).graph.input}
    assert names <= {f"tensors_{position}" for position in range(len(tensors))}
    package.verify(model, args, kwargs={"factor": 2.5}, dynamo=dynamo)


FIRST = "the first of the inputs"


@pytest.mark.parametrize(
    ("dynamic_axes", "sentence"),
    [
        ({"nothing": {0: "n"}}, "the inputs are"),
        ({FIRST: {99: "n"}}, "has no dimension 99"),
        ({FIRST: 0}, "wants dimensions"),
    ],
)
def test_wrong_dynamic_axes_are_refused(
    tmp_path: Path, dynamic_axes: dict[str, Any], sentence: str
) -> None:
    tensors, scalars = split(SAMPLES[0].arguments())
    model, names = Call(function, list(tensors), scalars).eval(), list(tensors)
    axes = {names[0] if name == FIRST else name: found for name, found in dynamic_axes.items()}
    with pytest.raises((ValueError, TypeError), match=sentence):
        package.export(
            model,
            tuple(tensors.values()),
            tmp_path / "model.onnx",
            input_names=names,
            dynamic_axes=axes,
        )
    assert not list(tmp_path.iterdir())
