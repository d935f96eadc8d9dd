"""What a model is called with, as a caller of `export` gives it: its tensors by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.export.graph_signature import ConstantArgument, OutputKind

from ..torch_internals import pytree

Model = torch.nn.Module | torch.export.ExportedProgram
Call = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""A model, its positional arguments, and its keyword arguments."""


def input_tensors(
    model: Model,
    args: Tensor | tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
) -> dict[str, Tensor]:
    """Return the tensors among a model's arguments, in order, by the names that they have in the graph:
    those given and, for the rest, those of ``forward``'s parameters.

    A tensor in a container has its place behind the name: ``states_0``.
    """
    if isinstance(model, torch.export.ExportedProgram):
        example, named = model.example_inputs or ((), {})
        args, kwargs = (args, kwargs) if args or kwargs else (example, named)
        values = pytree.tree_leaves(split_arguments(args, kwargs))
        tensors = [value for value in values if isinstance(value, Tensor)]
        found = [str(name) for name in model.graph_signature.user_inputs if name is not None]
    else:
        pairs = [*_tensors(bind(model, args, kwargs).arguments)]
        found = ["_".join(map(str, path)) for path, _ in pairs]
        tensors = [tensor for _, tensor in pairs]
    given = list(input_names or ())
    names = [*given, *found[len(given) :]]
    if len(set(names)) < len(names):
        raise ValueError(f"input_names has a name twice: {names}")
    return dict(zip(names, tensors, strict=False))  # what is left over names parameters


def split_arguments(
    args: Tensor | tuple[Any, ...], kwargs: Mapping[str, Any] | None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the positional and the keyword arguments; a dictionary at the end may hold the latter."""
    args = args if isinstance(args, tuple) else (args,)
    if kwargs is None and args and isinstance(args[-1], dict):
        return args[:-1], args[-1]
    return args, dict(kwargs or {})


def bind(
    model: Any, args: Tensor | tuple[Any, ...], kwargs: Mapping[str, Any] | None
) -> inspect.BoundArguments:
    """Return the arguments by the parameters of the model's ``forward``."""
    positional, keywords = split_arguments(args, kwargs)
    return inspect.signature(model.forward).bind(*positional, **keywords)


def _tensors(value: Any, *path: Any) -> Iterator[tuple[tuple[Any, ...], Tensor]]:
    """Yield the tensors in a value, each behind its places and keys in the containers that hold it."""
    if isinstance(value, Tensor):
        yield path, value
    elif isinstance(value, list | tuple | dict):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _tensors(item, *path, key)


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a value with each item of its containers changed."""
    is_item = lambda each: not isinstance(each, list | tuple | dict)
    return pytree.tree_map(change, value, is_leaf=is_item)


class TensorsOnly(torch.nn.Module):
    """A model as a function of the tensors among its arguments: the TorchScript exporter makes inputs of
    numbers.
    """

    def __init__(self, model: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        super().__init__()
        self.model, self.given = model, (args, kwargs)
        self.training = getattr(model, "training", False)

    def forward(self, *tensors: Tensor) -> Any:
        feed = iter(tensors)
        args, kwargs = _mapped(self.given, lambda v: next(feed) if isinstance(v, Tensor) else v)
        return self.model(*args, **kwargs)


def takes_tensors_only(bound: inspect.BoundArguments) -> bool:
    """Return whether a tensor is given for every parameter, by position."""
    every = bound.signature.bind(*bound.args, **bound.kwargs)
    every.apply_defaults()
    return not every.kwargs and all(isinstance(value, Tensor) for value in every.args)


def dynamic_shapes(
    bound: inspect.BoundArguments, names: Iterator[str], axes: dict[str, dict[int, str]]
) -> dict[str, Any]:
    """Return the dynamic axes as ``torch.export`` wants them: in the shape of the arguments."""

    def shape_of(leaf: Any) -> dict[int, str] | None:
        return axes.get(next(names)) if isinstance(leaf, Tensor) else None

    parameters = bound.signature.parameters
    shapes: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        shape = _mapped(value, shape_of)
        if parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            shapes |= shape
        else:
            shapes[name] = shape
    return shapes


def checked_axes(
    axes: Mapping[str, Any], inputs: Mapping[str, Tensor], outputs: Sequence[str]
) -> dict[str, dict[int, str]]:
    """Return the dynamic axes by dimension, counted from the front; those without names get PyTorch's."""
    checked: dict[str, dict[int, str]] = {}
    for name, given in axes.items():
        if name not in (*inputs, *outputs):
            known = f"the inputs are {list(inputs)}" + (f", the outputs {outputs}" * bool(outputs))
            raise ValueError(f"dynamic_axes names {name!r}, but {known}")
        is_list = isinstance(given, list | tuple)
        named = (
            {d: f"{name}_dynamic_axes_{n}" for n, d in enumerate(given, 1)} if is_list else given
        )
        if not isinstance(named, Mapping) or not all(type(d) is int for d in named):
            example = '{"x": {0: "batch"}} or {"x": [0]}'
            raise TypeError(f"dynamic_axes wants dimensions by input: {example}")
        rank = inputs[name].dim() if name in inputs else 0  # of an output, not known
        for d in named:
            if name in inputs and not -rank <= d < rank:
                raise ValueError(f"dynamic_axes: {name} has no dimension {d}, only {rank}")
        checked[name] = {d % rank if rank else d: str(axis) for d, axis in named.items()}
    return checked


def returned(program: Any) -> list[tuple[Any, Any]]:
    """Return what the model of an exported program returns by itself: each argument, and its node."""
    (found,) = next(iter(reversed(program.graph.nodes))).args
    return [
        (spec.arg, node)
        for spec, node in zip(program.graph_signature.output_specs, found, strict=True)
        if spec.kind == OutputKind.USER_OUTPUT and not isinstance(spec.arg, ConstantArgument)
    ]
