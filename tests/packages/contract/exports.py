"""What every export supports, refuses and writes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import onnx
import pytest
import torch
from torch import Tensor

from onnxop_runtime.exporting.rules.opsets import NODES, standard
from onnxop_runtime.testing.arguments import results_of, split
from onnxop_runtime.testing.base import only_for
from onnxop_runtime.testing.roundtrips import Model, Roundtrip, RoundtripTests, model_of, spans


class Mixed(torch.nn.Module):
    """A model with containers as arguments, and numbers that are constant or omitted."""

    def __init__(self, function: Any) -> None:
        super().__init__()
        self.function = function

    def forward(
        self, tensors: list[Tensor], names: list[str], scalars: dict[str, Any], factor: float = 1.0
    ) -> Any:
        outputs = Model(self.function, names, scalars)(*tensors)
        return tuple(result * factor for result in results_of(outputs))


class ExportContract(RoundtripTests):
    """The promises for exports."""

    # The packages' own tests cover these.
    test_roundtrip = test_some_runtime_runs_it = None  # type: ignore[assignment]
    test_one_node_of_a_domain = test_pytorch_s_own_is_exported_too = None  # type: ignore[assignment]

    @classmethod
    def choices(cls, name: str) -> Sequence[Any] | None:
        """Return the forms of an export: the exporter (``dynamo``), the domain, and the requested
        opset.
        """
        if name != "form":
            return super().choices(name)
        forms = {"": standard(cls.operator)}
        if cls.operator.can_be_node:
            forms[cls.operator.domain] = NODES
        return [
            (dynamo, domain, asked(cls, opsets))
            for domain, opsets_by_exporter in forms.items()
            for dynamo, opsets in opsets_by_exporter.items()
            if opsets
        ]

    def test_names_of_the_outputs(self, form: tuple[bool, str, int], tmp_path: Path) -> None:
        dynamo, domain, opset = form
        model, args = model_of(type(self), self.samples[0].arguments())
        outputs = results_of(self.in_onnx(self.function)(**self.samples[0].arguments()))
        names = [f"output_{place}" for place in range(len(outputs))]
        path = tmp_path / "model.onnx"
        options = {"dynamo": dynamo, "domain": domain, "output_names": names}
        self.package().export(model, args, path, opset_version=opset, **options)
        assert [entry.name for entry in onnx.load(path).graph.output] == names

    @pytest.mark.parametrize("dynamo", [True, False])
    @only_for(lambda tests: tests.autograd_function)
    def test_function_is_exported_too(self, dynamo: bool) -> None:
        opset = (standard(self.operator)[dynamo] or NODES[dynamo])[-1]
        domain = self.operator.domain if self.operator.can_be_node else ""
        plain = Roundtrip(dynamo, opset, self.samples[0], dynamic=False)
        self.verified(plain, self.through_function, domain=domain)

    @pytest.mark.parametrize("dynamo", [True, False])
    def test_operator_is_exported_too(self, dynamo: bool) -> None:
        if not (opsets := spans(self.operator)[dynamo]):
            pytest.skip("this exporter cannot write it")
        for overload in self.operator.overloads:
            plain = Roundtrip(dynamo, opsets[-1], self.samples[0], dynamic=False)
            self.verified(plain, overload)

    @pytest.mark.parametrize("dynamo", [True, False])
    @pytest.mark.parametrize("opset", [1, 99])
    def test_other_opsets_are_refused(self, tmp_path: Path, dynamo: bool, opset: int) -> None:
        model, args = model_of(type(self), self.samples[0].arguments())
        path = tmp_path / "model.onnx"
        with pytest.raises(ValueError, match="use (opset_version|dynamo)="):
            self.package().export(model, args, path, dynamo=dynamo, opset_version=opset)
        assert not list(tmp_path.iterdir())

    def test_program_is_what_the_file_holds(
        self, form: tuple[bool, str, int], tmp_path: Path
    ) -> None:
        dynamo, domain, opset = form
        if not dynamo:
            pytest.skip("TorchScript's exporter returns no program")
        options = {"domain": domain, "opset_version": opset, "verbose": False}
        model, args = model_of(type(self), self.samples[0].arguments())
        path = tmp_path / "model.onnx"
        program = self.package().export(model, args, path, **options)
        written, held = onnx.load(path), program.model_proto
        for tensor in (*written.graph.initializer, *held.graph.initializer):
            tensor.ClearField(
                "data_location"
            )  # set for a tensor that was read from a file beside the model
        assert held.graph == written.graph
        assert held.functions == written.functions
        exported = self.package().export(torch.export.export(model, args), **options)
        # Except the name that torch.export gives an input that is a result, too.
        nodes, others = (
            [(n.op_type, *n.attribute) for n in source.model_proto.graph.node]
            for source in (exported, program)
        )
        assert nodes == others

    @pytest.mark.parametrize("dynamo", [True, False])
    def test_numbers_and_containers_as_arguments(self, tmp_path: Path, dynamo: bool) -> None:
        if not (opsets := spans(self.operator)[dynamo]):
            pytest.skip("this exporter cannot write it")
        tensors, scalars = split(self.samples[0].arguments())
        # A guard of torch.export does not escape strings between quotes.
        quoted = {n: v for n, v in scalars.items() if isinstance(v, str) and repr(v) != f"'{v}'"}
        scalars = {name: value for name, value in scalars.items() if name not in quoted}
        model = Mixed(self.in_onnx(partial(self.function, **quoted))).eval()
        args = (list(tensors.values()), list(tensors), scalars)
        path = tmp_path / "model.onnx"
        options = {"dynamo": dynamo, "opset_version": asked(type(self), opsets)}
        # Without the {}, scalars would be keywords.
        self.package().export(model, (*args, {}), path, **options)
        assert {file.name for file in tmp_path.iterdir()} <= {"model.onnx", "model.onnx.data"}
        names = {entry.name for entry in onnx.load(path).graph.input}
        assert names <= {f"tensors_{position}" for position in range(len(tensors))}
        self.package().verify(model, args, kwargs={"factor": 2.5}, **options)

    @pytest.mark.parametrize(
        ("axes", "sentence"),
        [
            (lambda first: {"nothing": {0: "n"}}, "the inputs are"),
            (lambda first: {first: {99: "n"}}, "has no dimension 99"),
            (lambda first: {first: 0}, "maps inputs to dimensions"),
        ],
        ids=["name", "dimension", "number"],
    )
    def test_wrong_dynamic_axes_are_refused(self, tmp_path: Path, axes: Any, sentence: str) -> None:
        model, args = model_of(type(self), self.samples[0].arguments())
        domain = self.operator.domain if self.operator.can_be_node else ""
        with pytest.raises((ValueError, TypeError), match=sentence):
            self.package().export(
                model,
                args,
                tmp_path / "model.onnx",
                input_names=model.names,
                dynamic_axes=axes(model.names[0]),
                domain=domain,
            )
        assert not list(tmp_path.iterdir())

    def package(self) -> Any:
        return self.operator.package


def asked(tests: type[RoundtripTests], opsets: range) -> int | None:
    """Return the opset to request, of these: none, unless the default of a package of several
    operators, which is 20, is not among them.
    """
    package: Any = tests.operator.package
    if len(package.operators) == 1 or 20 in opsets:
        return None
    return min(max(20, opsets.start), opsets.stop - 1)
