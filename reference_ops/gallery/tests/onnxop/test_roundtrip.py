"""PyTorch against ONNX Runtime and onnx.reference: operator × exporter × opset × sample × kind of axes."""

from __future__ import annotations

import inspect
from functools import partial
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from conftest import Measure
from engine import Case, Sample, cases, results_of, split
from engine_models import Call, model_of
from torch import Tensor

CASES = cases()
EVERY_CASE = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
Export = tuple[bool, int]

NODES = {True: range(18, 26), False: range(9, 24)}


def standard(case: Case) -> dict[bool, range]:
    """The opsets at which each exporter writes standard nodes, by ``dynamo``."""
    return {True: case.operator.dynamo, False: case.operator.torchscript}


def as_node(case: Case) -> dict[bool, range]:
    """Those at which it can be one node of a domain of its own."""
    return NODES if case.operator.can_be_node else dict.fromkeys(NODES, range(0))


def either(case: Case) -> str:
    """The domain in which both exporters write it: as a node, where it can be one."""
    return case.operator.domain if case.operator.can_be_node else ""


def spans(case: Case) -> dict[bool, range]:
    """Those at which it writes what the spec asks for."""
    return NODES if case.operator.default_domain else standard(case)


def exports(case: Case) -> list[Export]:
    return [(dynamo, opset) for dynamo, opsets in spans(case).items() for opset in opsets]


def ends(case: Case) -> list[Export]:
    """The lowest and the highest opset of either form."""
    return sorted(
        {
            (dynamo, opset)
            for form in (standard(case), as_node(case))
            for dynamo, opsets in form.items()
            for opset in (*opsets[:1], *opsets[-1:])
        }
    )


def asked(opsets: range) -> int | None:
    """The opset to ask for, of these: none, but where a package of several operators, which exports
    at 20 whatever the model calls, would not choose one of them.
    """
    if len(CASES) == 1 or 20 in opsets:
        return None
    return min(max(20, opsets.start), opsets.stop - 1)


def exporters(case: Case) -> list[bool]:
    return [dynamo for dynamo, opsets in spans(case).items() if opsets]


def each(choices: Any) -> pytest.MarkDecorator:
    """Parametrizes by each case and each of its choices."""
    pairs = [(case, choice) for case in CASES for choice in choices(case)]
    return pytest.mark.parametrize(("case", "choice"), pairs, ids=_id)


def _id(value: Any) -> str:
    if isinstance(value, Case):
        return value.name
    return exporter_and(value) if isinstance(value, tuple) else str(value)


def exporter_and(choice: tuple[bool, Any]) -> str:
    """The exporter, and an opset or a domain, in words."""
    dynamo, other = choice
    return f"{'dynamo' if dynamo else 'TorchScript'}-{other or 'standard'}"


def roundtrip(
    case: Case,
    sample: Sample,
    export: Export,
    dynamic: bool,
    domain: str | None = None,
    call: Any = None,
) -> Any:
    dynamo, opset = export
    tensors, scalars = split(sample.arguments())
    names = list(tensors)
    larger, _ = split(sample.arguments(larger=True))
    return case.package.verify(
        Call(case.in_onnx(call or case.function), names, scalars).eval(),
        tuple(tensors.values()),
        dynamo=dynamo,
        opset_version=opset,
        domain=domain,
        input_names=names,
        dynamic_axes=sample.axes() if dynamic else None,
        others=[tuple(larger.values())] if dynamic else [],
    )


# Static axes at the ends only, where a sample has dynamic ones: those are tried at every opset.
ROUNDTRIPS = [
    pytest.param(
        case,
        export,
        sample,
        dynamic,
        id=f"{case.name}-{exporter_and(export)}-{'dynamic' if dynamic else 'static'}-{sample.name}",
    )
    for case in CASES
    for export in exports(case)
    for sample in case.samples
    for dynamic in (False, True)
    if (sample.can_grow if dynamic else not sample.can_grow or export in ends(case))
]


@pytest.mark.parametrize(("case", "export", "sample", "dynamic"), ROUNDTRIPS)
def test_roundtrip(
    case: Case, export: Export, sample: Sample, dynamic: bool, measure: Measure
) -> None:
    result = roundtrip(case, sample, export, dynamic)
    assert result.opset == export[1]
    found = result.errors.get("ONNX Runtime", result.errors.get("native kernel"))
    error = "no kernel" if found is None else f"{found:.1e}"
    name = sample.name if len(CASES) == 1 else f"{case.name}: {sample.name}"
    measure(result.exporter, export[1], name, error)


@each(lambda case: ends(case) if case.operator.can_be_node else [])
def test_one_node_of_a_domain(tmp_path: Path, case: Case, choice: Export) -> None:
    domain = case.operator.domain
    dynamo, opset = choice
    for sample in case.samples if opset == as_node(case)[dynamo][-1] else case.samples[:1]:
        roundtrip(case, sample, choice, sample.can_grow, domain)
    model, args = model_of(case, case.samples[0].arguments())
    path = tmp_path / "model.onnx"
    case.package.export(model, args, path, dynamo=dynamo, opset_version=opset, domain=domain)
    nodes = [(node.domain, node.op_type) for node in onnx.load(path).graph.node]
    assert nodes.count((domain, case.operator.op_type)) == 1


def forms(case: Case) -> list[tuple[bool, str]]:
    """The exporters by the domain to export in, where they can at all."""
    return [
        (dynamo, domain)
        for domain, spans in (("", standard(case)), (case.operator.domain, as_node(case)))
        for dynamo, opsets in spans.items()
        if opsets
    ]


@each(forms)
def test_names_of_the_outputs(tmp_path: Path, case: Case, choice: tuple[bool, str]) -> None:
    dynamo, domain = choice
    model, args = model_of(case, case.samples[0].arguments())
    found = results_of(case.in_onnx(case.function)(**case.samples[0].arguments()))
    names = [f"output_{place}" for place in range(len(found))]
    path = tmp_path / "model.onnx"
    options = {"dynamo": dynamo, "domain": domain, "output_names": names}
    opset = asked((as_node if domain else standard)(case)[dynamo])
    case.package.export(model, args, path, opset_version=opset, **options)
    assert [entry.name for entry in onnx.load(path).graph.output] == names


@pytest.mark.parametrize("dynamo", [True, False])
@EVERY_CASE
def test_function_is_exported_too(case: Case, dynamo: bool) -> None:
    if case.autograd_function is None:
        pytest.skip("PyTorch differentiates its own operators")
    opset = (standard(case)[dynamo] or NODES[dynamo])[-1]
    roundtrip(case, case.samples[0], (dynamo, opset), False, either(case), case.through_function)


@each(exporters)
def test_operator_is_exported_too(case: Case, choice: bool) -> None:
    opset = spans(case)[choice][-1]
    for overload in case.operator.overloads:
        roundtrip(case, case.samples[0], (choice, opset), dynamic=False, call=overload)


@pytest.mark.parametrize("dynamo", [True, False])
@pytest.mark.parametrize("opset", [1, 99])
@EVERY_CASE
def test_other_opsets_are_refused(tmp_path: Path, case: Case, dynamo: bool, opset: int) -> None:
    model, args = model_of(case, case.samples[0].arguments())
    with pytest.raises(ValueError, match="use (opset_version|dynamo)="):
        case.package.export(
            model, args, tmp_path / "model.onnx", dynamo=dynamo, opset_version=opset
        )
    assert not list(tmp_path.iterdir())


def test_export_takes_what_torch_takes() -> None:
    """So that a line of a program changes in its module's name alone."""
    ours = list(inspect.signature(CASES[0].package.export).parameters.values())
    theirs = list(inspect.signature(torch.onnx.export).parameters.values())
    assert [
        (p.name, p.kind, p.default) for p in ours if p.name not in ("domain", "ir_version")
    ] == [(p.name, p.kind, p.default) for p in theirs if p.name != "fallback"]  # of PyTorch 2.10


@each(lambda case: ["standard nodes", "one node"])
def test_program_is_what_the_file_holds(tmp_path: Path, case: Case, choice: str) -> None:
    domain = case.operator.domain if choice == "one node" else ""
    opsets = (as_node if domain else standard)(case)[True]
    if not opsets:
        pytest.skip("the dynamo exporter cannot write it")
    options = {"domain": domain, "opset_version": asked(opsets), "verbose": False}
    model, args = model_of(case, case.samples[0].arguments())
    path = tmp_path / "model.onnx"
    program = case.package.export(model, args, path, **options)
    assert program is not None
    written, held = onnx.load(path), program.model_proto
    for tensor in (*written.graph.initializer, *held.graph.initializer):
        tensor.ClearField("data_location")  # said of one that was read from a file beside the model
    assert held.graph == written.graph
    assert held.functions == written.functions
    exported = case.package.export(torch.export.export(model, args), **options)
    assert exported is not None
    # But for what torch.export calls an input that is a result, too.
    nodes, others = (
        [(n.op_type, *n.attribute) for n in each.model_proto.graph.node]
        for each in (exported, program)
    )
    assert nodes == others


class Mixed(torch.nn.Module):
    """A model with containers as arguments, a number that is fixed, or left to its default."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(
        self, tensors: list[Tensor], names: list[str], scalars: dict[str, Any], factor: float = 1.0
    ) -> Any:
        found = Call(self.function, names, scalars)(*tensors)
        return tuple(result * factor for result in results_of(found))


@each(exporters)
def test_numbers_and_containers_as_arguments(tmp_path: Path, case: Case, choice: bool) -> None:
    tensors, scalars = split(case.samples[0].arguments())
    # A guard of torch.export's has strings as they are, between quotes.
    quoted = {n: v for n, v in scalars.items() if isinstance(v, str) and repr(v) != f"'{v}'"}
    scalars = {name: value for name, value in scalars.items() if name not in quoted}
    model = Mixed(case.in_onnx(partial(case.function, **quoted))).eval()
    args = (list(tensors.values()), list(tensors), scalars)
    path = tmp_path / "model.onnx"
    # Without the {}, scalars were keywords.
    options = {"dynamo": choice, "opset_version": asked(spans(case)[choice])}
    case.package.export(model, (*args, {}), path, **options)
    assert {file.name for file in tmp_path.iterdir()} <= {"model.onnx", "model.onnx.data"}
    names = {entry.name for entry in onnx.load(path).graph.input}
    assert names <= {f"tensors_{position}" for position in range(len(tensors))}
    case.package.verify(model, args, kwargs={"factor": 2.5}, **options)


@pytest.mark.parametrize(
    ("axes", "sentence"),
    [
        (lambda first: {"nothing": {0: "n"}}, "the inputs are"),
        (lambda first: {first: {99: "n"}}, "has no dimension 99"),
        (lambda first: {first: 0}, "wants dimensions"),
    ],
    ids=["name", "dimension", "number"],
)
@EVERY_CASE
def test_wrong_dynamic_axes_are_refused(
    tmp_path: Path, case: Case, axes: Any, sentence: str
) -> None:
    model, args = model_of(case, case.samples[0].arguments())
    with pytest.raises((ValueError, TypeError), match=sentence):
        case.package.export(
            model,
            args,
            tmp_path / "model.onnx",
            input_names=model.names,
            dynamic_axes=axes(model.names[0]),
            domain=either(case),
        )
    assert not list(tmp_path.iterdir())
