"""Tests of the uses that models make of an operator: weights that they hold, results of other
nodes, other defaults.

Samples pass each tensor as an input of the model, and many leave arguments at their default.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from ..exporting.domain_nodes.missing_kernels import NoKernelWarning
from ..exporting.rules.opsets import NODES, standard
from ..torch_internals import cache_exporter_tables
from ..verification.comparison import compare
from ..verification.runners import NATIVE, ONNX_RUNTIME, Runners, as_array
from .arguments import results_of, split
from .base import OperatorTests
from .changes import change_of_default
from .layers import CONSTANT, ITSELF, PARAMETER, PERMUTE, RESHAPES, Layer, Layers, Use
from .samples import Sample

_OF_DYNAMIC_SIZES = "which is dynamic"
_OF_MAPPINGS = "the mapping fails for this call"
"""Parts of the messages of mappings that refuse a call."""


# ---- The uses of an operator ----


def uses_of(tests: type[OperatorTests]) -> list[Use]:
    """Return the uses to try."""
    return [*_with_held_tensors(tests), *_with_produced_tensors(tests), *_with_changes(tests)]


def _with_held_tensors(tests: type[OperatorTests]) -> Iterator[Use]:
    """Yield uses with each tensor but the first in the model, one at a time and all."""
    by_name: dict[str, Sample] = {}
    for sample in tests.samples:
        for name in [*split(sample.arguments())[0]][1:]:
            by_name.setdefault(name, sample)
    for form in (PARAMETER, CONSTANT):
        for name, sample in by_name.items():
            yield Use(f"{name} as a {form}", sample, held={name: form})
    richest = max(tests.samples, key=lambda sample: len(split(sample.arguments())[0]))
    names = [*split(richest.arguments())[0]][1:]
    if len(names) > 1:
        for form in (PARAMETER, CONSTANT):
            yield Use(f"{' and '.join(names)} as {form}s", richest, held=dict.fromkeys(names, form))


def _with_produced_tensors(tests: type[OperatorTests]) -> Iterator[Use]:
    """Yield uses whose first tensor is the result of a reshape, a permute, or the operator."""
    sample = tests.samples[0]
    tensors = split(sample.arguments())[0]
    if not tensors:
        return
    name, first = next(iter(tensors.items()))
    axes = sample.axes().get(name, {})
    producers = [
        producer for producer, has_rest in RESHAPES.items() if not has_rest or len(axes) == 1
    ]
    if first.dim() > 1:
        producers.append(PERMUTE)
    if _takes_its_result(tests, sample, first, axes):
        producers.append(ITSELF)
    for producer in producers:
        yield Use(f"{name} from {producer}", sample, producer=producer)


def _takes_its_result(
    tests: type[OperatorTests], sample: Sample, first: Tensor, dynamic: Collection[int]
) -> bool:
    """Return whether the operator computes its own result, which may differ from the first tensor
    in dynamic dimensions only: a mapping may rely on the other sizes.
    """
    result = results_of(tests.in_onnx(tests.function)(**sample.arguments()))[0]
    if (result.dtype, result.dim()) != (first.dtype, first.dim()):
        return False
    if any(result.shape[d] != size for d, size in enumerate(first.shape) if d not in dynamic):
        return False
    layer = Layer(tests, Use("", sample, producer=ITSELF))
    return _computes(layer, layer.inputs)


def _with_changes(tests: type[OperatorTests]) -> Iterator[Use]:
    """Yield uses with each argument that has a default, set to another value."""
    for argument in tests.operator.arguments:
        change = change_of_default(tests, argument) if argument.has_default else None
        if change is not None:
            yield Use(str(change), change.sample, changed=change.changed)


def _layer_of(tests: type[OperatorTests], use: Use) -> Layer:
    """Return the layer of a use, with dynamic dimensions if PyTorch computes it at other sizes."""
    layer = Layer(tests, use)
    if not _computes(layer, layer.larger()):
        layer.axes = {}
    return layer


def _computes(layer: Layer, inputs: Mapping[str, Tensor]) -> bool:
    try:
        layer(*inputs.values())
    except Exception:  # noqa: BLE001 - whatever an operator raises
        return False
    return True


# ---- Their exports ----


@dataclass(frozen=True)
class Form:
    """An exporter and a domain; "" for standard nodes."""

    dynamo: bool
    domain: str

    def __str__(self) -> str:
        exporter = "dynamo" if self.dynamo else "TorchScript"
        return f"{exporter}-{self.domain or 'standard nodes'}"


class UseTests(OperatorTests):
    """Tests of exports of the uses that models make, for every operator."""

    @classmethod
    def choices(cls, name: str) -> Sequence[Any] | None:
        return cls._forms() if name == "form" else super().choices(name)

    @classmethod
    def _forms(cls) -> list[Form]:
        """Return both exporters with a domain and without, where the operator has them."""
        operator = cls.operator
        forms = [Form(dynamo, "") for dynamo, opsets in standard(operator).items() if opsets]
        if operator.can_be_node:
            is_written = {False: True, True: operator.allows_dynamo}
            forms += [Form(dynamo, operator.domain) for dynamo in NODES if is_written[dynamo]]
        return forms

    def test_uses_in_models(self, form: Form) -> None:
        """Export all uses as one model, because an export takes long; if that fails, each as a
        model.
        """
        tests = type(self)
        layers = [_layer_of(tests, use) for use in uses_of(tests)]
        if not layers:
            pytest.skip(
                "the samples have no tensor in the model, and no other value of an argument"
            )
        fact = _failure(tests, layers, form)
        if not fact:
            return
        facts = {str(layer.use): _failure_of_one(tests, layer, form) for layer in layers}
        failed = {text: fact for text, fact in facts.items() if fact}
        if not failed and not any(layer.is_refused for layer in layers):
            failed = {"all uses in one model": fact}
        if not failed:
            return
        lines = [
            f"{tests.operator}, {form}:",
            *(f"{text}: {fact}" for text, fact in failed.items()),
        ]
        pytest.fail("\n  ".join(lines), pytrace=False)


def _failure(tests: type[OperatorTests], layers: Sequence[Layer], form: Form) -> str:
    """Return how the export of the layers as one model fails, or differs in ONNX Runtime; "" if it
    does not.
    """
    try:
        return _difference(tests, Layers(layers).eval(), form)
    except Exception as error:  # noqa: BLE001 - whatever an exporter or a runtime raises
        return f"{type(error).__name__}: {error}"


def _failure_of_one(tests: type[OperatorTests], layer: Layer, form: Form) -> str:
    """Return how the export of one layer fails. A mapping may refuse a dynamic size, if the export
    without dynamic axes is right, and another value than an argument's default.
    """
    fact = _failure(tests, [layer], form)
    if _OF_DYNAMIC_SIZES in fact and layer.axes:
        layer.axes, layer.is_refused = {}, True
        fact = _failure(tests, [layer], form)
    # Without torch.export, TorchScript knows no sizes of an operator's results.
    is_unsized = _OF_DYNAMIC_SIZES in fact and not tests.operator.allows_dynamo
    if is_unsized or (layer.use.changed and _OF_MAPPINGS in fact):
        layer.is_refused = True
        return ""
    return fact


def _difference(tests: type[OperatorTests], model: Layers, form: Form) -> str:
    """Return how the exported layers differ from PyTorch's, at two sizes; "" if they do not."""
    cache_exporter_tables()
    operator = tests.operator
    package: Any = operator.package
    opsets = NODES if form.domain else standard(operator)
    inputs = [tensor for layer in model.layers for tensor in layer.inputs.values()]
    larger = [tensor for layer in model.layers for tensor in layer.larger().values()]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", NoKernelWarning)
        path = Path(folder, "uses.onnx")
        package.export(
            model,
            tuple(inputs),
            path,
            dynamo=form.dynamo,
            opset_version=opsets[form.dynamo][-1],
            input_names=model.names,
            domain=form.domain,
            verbose=False,
            **model.dynamic_dimensions(dynamo=form.dynamo),
        )
        runners = Runners(package, path, form.domain, 1.0)
        for tensors in (inputs, larger):
            with torch.no_grad():
                expected = [*map(as_array, model(*tensors))]
            arrays = dict(zip(model.names, map(as_array, tensors), strict=True))
            feeds = {name: arrays[name] for name in runners.inputs}
            for runtime in {ONNX_RUNTIME, NATIVE} & runners.run.keys():
                _, failures = compare(expected, runners.run[runtime](feeds))
                if failures:
                    return f"{runtime}: {failures[0]}"
    return ""
