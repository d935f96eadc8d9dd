"""Tests of exports: PyTorch against ONNX Runtime and onnx.reference.

The first sample is exported at every opset. Other samples are exported at the last opset, to which
dynamo converts nodes, at TorchScript's first, and at opsets at which the rule changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from ..exporting.rules.opsets import NODES, standard
from ..operator.model import Operator
from ..torch_internals import cache_exporter_tables
from ..verification.verify import NoKernel, Verification
from .arguments import Arguments, merged, split
from .base import OperatorTests, only_for
from .plugin import ERROR
from .samples import Sample


class Model(torch.nn.Module):
    """A model that calls a function with tensors and constant scalars; each tensor of a list is an
    input.
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
    """Return a model that calls the operator, or another function with its signature, and the
    inputs.
    """
    tensors, scalars = split(arguments)
    model = Model(tests.in_onnx(call or tests.function), [*tensors], scalars)
    return model.eval(), tuple(tensors.values())


@dataclass(frozen=True)
class Roundtrip:
    """An export to try, with static or dynamic axes."""

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
    """Return, by ``dynamo``, the opsets at which each exporter writes the spec's default form."""
    return NODES if operator.default_domain else standard(operator)


def turns(operator: Operator, dynamo: bool) -> set[int]:
    """Return an exporter's last opset, TorchScript's first, and those at which the rule changes."""
    opsets = spans(operator)[dynamo]
    starts = operator.opsets.starts if operator.rule is not None else ()
    changes = {start for start in starts if start in opsets[1:]}
    return {*opsets[-1:], *changes, *([] if dynamo else opsets[:1])}


class RoundtripTests(OperatorTests):
    """Tests of exports, for every operator."""

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
        """Yield exports with dynamic axes if the sample has any. Yield static axes only at the last
        opset of the quicker exporter, because the rule is the same for both exporters.
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
                    roundtrip = Roundtrip(dynamo, opset, sample, sample.can_grow)
                    yield pytest.param(roundtrip, marks=marks)
                    if sample.can_grow and opset == opsets[-1] and dynamo == quicker:
                        yield pytest.param(Roundtrip(dynamo, opset, sample, dynamic=False))

    @classmethod
    def _nodes(cls) -> Iterator[Roundtrip]:
        """Yield exports as one node: all samples at the last opset of TorchScript, the quicker
        exporter, and the first sample at the first and last opset of both exporters.
        """
        if not cls.operator.can_be_node:
            return
        for dynamo, opsets in NODES.items():
            if dynamo and not cls.operator.allows_dynamo:
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
            reasons = [f"{name}: {text.partition(', ')[0]}" for name, text in error.missing.items()]
            pytest.skip(f"no kernel: {'; '.join(reasons)}")
        assert result.opset == roundtrip.opset
        worst = result.errors.get("ONNX Runtime", result.errors.get("native kernel"))
        note("no kernel" if worst is None else f"{worst:.1e}")

    def test_some_runtime_runs_it(self) -> None:
        """Fail if no runtime has a kernel at any opset, because nothing would test the mapping
        then.
        """
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
                f"{operator}: no installed runtime has kernels for the mapping's nodes, at any "
                "opset, so nothing was compared; write the mapping with other ops, or install a "
                "newer onnxruntime",
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
        """Export a call and compare PyTorch with the runtimes."""
        cache_exporter_tables()
        sample, dynamic = roundtrip.sample, roundtrip.dynamic
        model, args = model_of(type(self), sample.arguments(), call)
        _, larger = model_of(type(self), sample.arguments(larger=True))
        package: Any = self.operator.package
        verification: Verification = package.verify(
            model,
            args,
            dynamo=roundtrip.dynamo,
            opset_version=roundtrip.opset,
            input_names=model.names,
            dynamic_axes=sample.axes() if dynamic else None,
            others=[larger] if dynamic else [],
            **options,
        )
        return verification


_NAMES = {True: "dynamo", False: "TorchScript"}
