"""Tests of what is exported: PyTorch against ONNX Runtime and onnx.reference.

The first sample is exported at every opset; the others at the last one, which the dynamo exporter converts
its nodes to, at the first one, which TorchScript's writes, and where another rule begins to hold.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from ..exporting.opsets import NODES, standard
from ..operator.description import Operator
from ..torch_internals import keep_tables_of_exporter
from ..verification.verify import NoKernel, Verification
from .arguments import Arguments, merged, split
from .base import OperatorTests, only_for
from .plugin import ERROR
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


@dataclass(frozen=True)
class Roundtrip:
    """An export to try.

    Attributes:
        dynamo: by which exporter.
        opset: at which opset version.
        sample: of which call.
        dynamic: whether its axes are dynamic.
    """

    dynamo: bool
    opset: int
    sample: Sample
    dynamic: bool

    @property
    def exporter(self) -> str:
        return "dynamo" if self.dynamo else "TorchScript"

    def __str__(self) -> str:
        axes = "dynamic" if self.dynamic else "static"
        return f"{self.exporter}-{self.opset}-{axes}-{self.sample}"


def spans(operator: Operator) -> dict[bool, range]:
    """Return the opsets at which each exporter writes what the spec asks for, by ``dynamo``."""
    return NODES if operator.default_domain else standard(operator)


def turns(operator: Operator, dynamo: bool) -> set[int]:
    """Return the opsets at which an exporter writes something new: the last, TorchScript's first, and those
    from which another rule holds.
    """
    opsets = spans(operator)[dynamo]
    starts = operator.opsets.starts if operator.rule is not None else ()
    begun = {start for start in starts if start in opsets[1:]}
    return {*opsets[-1:], *begun, *([] if dynamo else opsets[:1])}


class RoundtripTests(OperatorTests):
    """Of every operator."""

    @classmethod
    def choices(cls, name: str) -> Sequence[Any] | None:
        match name:
            case "roundtrip":
                return [*cls._roundtrips()]
            case "node":
                return [*cls._nodes()]
            case "exporter":
                return [_NAMES[dynamo] for dynamo, opsets in spans(cls.operator).items() if opsets]
        return super().choices(name)

    @classmethod
    def _roundtrips(cls) -> Iterator[Any]:
        """Dynamic axes wherever a sample has any; static ones of such a sample at the last opset, where the
        two exporters ask the rule for the same: TorchScript's is the quicker one.
        """
        operator = cls.operator
        quicker = not spans(operator)[False]
        for dynamo, opsets in spans(operator).items():
            quick = opsets[-1:] if dynamo == quicker else range(0)
            for opset in opsets:
                for sample in cls.samples:
                    is_first = sample is cls.samples[0]
                    if not is_first and opset not in turns(operator, dynamo):
                        continue
                    marks = [pytest.mark.quick] if is_first and opset in quick else []
                    made = Roundtrip(dynamo, opset, sample, sample.can_grow)
                    yield pytest.param(made, marks=marks)
                    if sample.can_grow and opset == opsets[-1] and dynamo == quicker:
                        yield pytest.param(Roundtrip(dynamo, opset, sample, dynamic=False))

    @classmethod
    def _nodes(cls) -> Iterator[Roundtrip]:
        """As one node: all samples by TorchScript's exporter, the quicker one, at its last opset, and the
        first one by both at the ends.
        """
        if not cls.operator.can_be_node:
            return
        for dynamo, opsets in NODES.items():
            if dynamo and not cls.operator.for_dynamo:
                continue
            for opset in (opsets[0], opsets[-1]):
                has_all = not dynamo and opset == opsets[-1]
                for sample in cls.samples if has_all else cls.samples[:1]:
                    yield Roundtrip(dynamo, opset, sample, sample.can_grow)

    def test_roundtrip(self, roundtrip: Roundtrip, record_property: Any) -> None:
        def note(error: str) -> None:
            row = [str(self.operator), roundtrip.exporter, roundtrip.opset, error]
            record_property(ERROR, row)

        try:
            result = self.verified(roundtrip)
        except NoKernel as error:
            note("no kernel")
            whys = [f"{name}: {why.partition(', ')[0]}" for name, why in error.missing.items()]
            pytest.skip(f"no kernel: {'; '.join(whys)}")
        assert result.opset == roundtrip.opset
        found = result.errors.get("ONNX Runtime", result.errors.get("native kernel"))
        note("no kernel" if found is None else f"{found:.1e}")

    def test_some_runtime_runs_it(self) -> None:
        """Where each comparison is skipped for want of a kernel, nothing tests the mapping."""
        operator, sample = self.operator, self.samples[0]
        exports = [(by, opset) for by, opsets in spans(operator).items() for opset in opsets]
        tried = [Roundtrip(*export, sample, dynamic=False) for export in exports]
        for roundtrip in tried:
            try:
                self.verified(roundtrip)
            except NoKernel:
                continue
            return
        if tried:
            pytest.fail(
                f"{operator}: no runtime here has a kernel of what its mapping writes, at any opset, so nothing "
                "was compared; write the mapping with other ops, or install a newer onnxruntime",
                pytrace=False,
            )

    def test_one_node_of_a_domain(self, node: Roundtrip) -> None:
        try:
            assert self.verified(node, domain=self.operator.domain).nodes == 1
        except NoKernel as error:
            pytest.skip(f"no kernel: {'; '.join(error.missing)}")

    @only_for(lambda tests: len(tests.operator.overloads) > 1)
    def test_pytorch_s_own_is_exported_too(self, exporter: str) -> None:
        dynamo = exporter == "dynamo"
        opset = spans(self.operator)[dynamo][-1]
        plain = Roundtrip(dynamo, opset, self.samples[0], dynamic=False)
        self.verified(plain, self.operator.overloads[-1])

    def verified(self, roundtrip: Roundtrip, call: Any = None, **options: Any) -> Verification:
        """Export a call and compare what it gives with what runtimes compute of the model."""
        keep_tables_of_exporter()
        sample, dynamic = roundtrip.sample, roundtrip.dynamic
        model, args = model_of(type(self), sample.arguments(), call)
        _, larger = model_of(type(self), sample.arguments(larger=True))
        package: Any = self.operator.package
        found: Verification = package.verify(
            model,
            args,
            dynamo=roundtrip.dynamo,
            opset_version=roundtrip.opset,
            input_names=model.names,
            dynamic_axes=sample.axes() if dynamic else None,
            others=[larger] if dynamic else [],
            **options,
        )
        return found


_NAMES = {True: "dynamo", False: "TorchScript"}
