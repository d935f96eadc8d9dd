"""Models that hold an operator's weights, or compute its input by other nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.export import Dim

from .arguments import Arguments, merged, results_of, split
from .base import OperatorTests
from .samples import Sample
from .symbolic_sizes import Dimensions

PARAMETER, CONSTANT = "Parameter", "constant"
RESHAPES = {"a reshape": False, "a reshape with -1": True}
PERMUTE, ITSELF = "a permute", "the operator itself"

Axes = Mapping[int, str]


@dataclass(frozen=True)
class Use:
    """A call in a model."""

    text: str
    """What is special about the call, for messages."""
    sample: Sample
    held: Mapping[str, str] = field(default_factory=dict)
    """Whether a tensor is a Parameter or a constant of the model, by name; others are inputs."""
    producer: str = ""
    """The node whose result is the first tensor; "" if it is an input."""
    changed: Arguments = field(default_factory=dict)
    """The arguments that the sample lacks."""

    def __str__(self) -> str:
        return self.text


class Layer(torch.nn.Module):
    """A model that makes one use of an operator."""

    def __init__(self, tests: type[OperatorTests], use: Use) -> None:
        super().__init__()
        self._call, self.use = tests.in_onnx(tests.function), use
        tensors, self._scalars = split(use.sample.arguments() | use.changed)
        self._first = next(iter(tensors), "")
        self._constants = {n: tensors[n] for n, form in use.held.items() if form == CONSTANT}
        self._weights = {n: tensors[n] for n, form in use.held.items() if form == PARAMETER}
        self.weights = torch.nn.ParameterList(map(_parameter, self._weights.values()))
        self.inputs = {n: tensor for n, tensor in tensors.items() if n not in use.held}
        self.axes = _axes(use, [*self.inputs])
        self.is_refused = False

    def larger(self) -> dict[str, Tensor]:
        """Return inputs of other sizes in the dynamic dimensions."""
        inputs = dict(self.inputs)
        for name, axes in self.axes.items():
            draw = self.use.sample.tensor_draws()[name]
            shape = [
                draw.larger[d] if d in axes else size
                for d, size in enumerate(self.inputs[name].shape)
            ]
            inputs[name] = draw.value(tuple(shape))
        return inputs

    def forward(self, *tensors: Tensor) -> Any:
        named = dict(zip(self.inputs, tensors, strict=True))
        named |= {**self._constants, **dict(zip(self._weights, self.weights, strict=True))}
        if self.use.producer:
            named[self._first] = self._produced(named)
        return self._call(**merged(named, self._scalars))

    def _produced(self, named: Mapping[str, Tensor]) -> Tensor:
        """Return the first tensor, or one like it, as the result of a node."""
        first = named[self._first]
        if self.use.producer == PERMUTE:
            return first.transpose(0, -1).contiguous().transpose(0, -1)
        if self.use.producer == ITSELF:
            return results_of(self._call(**merged(dict(named), self._scalars)))[0]
        axes = self.axes.get(self._first, {})
        sizes = [first.shape[d] if d in axes else size for d, size in enumerate(first.shape)]
        if RESHAPES[self.use.producer]:
            sizes = [-1 if d in axes else size for d, size in enumerate(sizes)]
        return first.reshape(-1).reshape(sizes)


def _parameter(tensor: Tensor) -> torch.nn.Parameter:
    return torch.nn.Parameter(tensor, requires_grad=tensor.is_floating_point())


class Layers(torch.nn.Module):
    """A model of layers beside each other, each with inputs and results of its own."""

    def __init__(self, layers: Sequence[Layer]) -> None:
        super().__init__()
        self.layers = layers
        self.modules_of_layers = torch.nn.ModuleList(layers)
        self.names: list[str] = []
        self.axes: dict[str, Axes] = {}
        for index, layer in enumerate(layers):
            self.names += [f"{name}_{index}" for name in layer.inputs]
            for name, axes in layer.axes.items():
                self.axes[f"{name}_{index}"] = {d: f"{text}_{index}" for d, text in axes.items()}

    def dynamic_dimensions(self, *, dynamo: bool) -> dict[str, Any]:
        """Return the dynamic dimensions as an option of `export`. The roundtrips try named ones by
        dynamo, of which the export checks other sizes in PyTorch; here ONNX Runtime computes them.
        """
        if not dynamo:
            return {"dynamic_axes": self.axes or None}
        shapes = [dict.fromkeys(self.axes.get(name, ()), Dim.AUTO) for name in self.names]
        return {"dynamic_shapes": {"tensors": tuple(shapes)}}

    def forward(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        rest = iter(tensors)
        results: list[Tensor] = []
        for layer in self.layers:
            inputs = [next(rest) for _ in layer.inputs]
            results += results_of(layer(*inputs))
        return tuple(results)


def _axes(use: Use, inputs: Sequence[str]) -> dict[str, dict[int, str]]:
    """Return the dynamic dimensions of the inputs: those whose sizes the tensors in the model do
    not share.
    """
    dimensions = Dimensions(use.sample)
    symbols = {
        name if draw.items is None else f"{name}_{index}": symbols_of_tensor
        for name, draw in use.sample.draws.items()
        for index, symbols_of_tensor in enumerate(dimensions.symbols(name))
    }
    held_sizes = [symbols_of_size for name in use.held for symbols_of_size in symbols.get(name, [])]
    held_symbols = {symbol for symbols_of_size in held_sizes for symbol in symbols_of_size}
    axes = {
        name: {d: text for d, text in of_input.items() if not symbols[name][d] & held_symbols}
        for name, of_input in use.sample.axes().items()
        if name in inputs
    }
    return {name: of_input for name, of_input in axes.items() if of_input}
