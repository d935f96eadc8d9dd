"""What a model is called with, as a caller of `export` gives it: its tensors by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ..torch_internals import pytree

if TYPE_CHECKING:
    Model = (
        torch.nn.Module
        | torch.export.ExportedProgram
        | torch.jit.ScriptModule
        | torch.jit.ScriptFunction[Any, Any]
    )
else:
    Model = Any  # torch's classes take no parameters while they run

Call = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""A model, its positional arguments, and its keyword arguments."""


def input_tensors(
    model: Model,
    args: Tensor | tuple[Any, ...],
    kwargs: Mapping[str, Any] | None = None,
    input_names: Sequence[str] | None = None,
) -> dict[str, Tensor]:
    """The tensors among a model's arguments, in order, by the names that they have in the graph:
    those given and, for the rest, those of ``forward``'s parameters.

    A tensor in a container has its place behind the name: ``states_0``.
    """
    if isinstance(model, torch.export.ExportedProgram):
        example, named = model.example_inputs or ((), {})
        args, kwargs = (args, kwargs) if args or kwargs else (example, named)
        args, kwargs = split_arguments(args, kwargs)
        values = pytree.tree_leaves((args, dict(kwargs)))
        tensors = [value for value in values if isinstance(value, Tensor)]
        found = [str(name) for name in model.graph_signature.user_inputs if name is not None]
    else:
        bound = bind(model, args, kwargs)
        pairs = [*_tensors(bound.arguments)]
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
    """The positional and the keyword arguments; a dictionary at the end may hold the latter."""
    args = args if isinstance(args, tuple) else (args,)
    if not kwargs and args and isinstance(args[-1], dict):
        return args[:-1], args[-1]
    return args, dict(kwargs or {})


def bind(
    model: Any, args: Tensor | tuple[Any, ...], kwargs: Mapping[str, Any] | None
) -> inspect.BoundArguments:
    positional, keywords = split_arguments(args, kwargs)
    return _signature(model).bind(*positional, **keywords)


def is_script(model: Any) -> bool:
    return isinstance(model, torch.jit.ScriptModule | torch.jit.ScriptFunction)


def _signature(model: Any) -> inspect.Signature:
    """Of a module's ``forward``; of what ``torch.jit`` made, as its schema has it."""
    if not is_script(model):
        return inspect.signature(model.forward)
    is_module = isinstance(model, torch.jit.ScriptModule)
    schema: Any = model.forward.schema if is_module else model.schema
    parameters = [
        inspect.Parameter(
            argument.name,
            inspect.Parameter.KEYWORD_ONLY
            if argument.kwarg_only
            else inspect.Parameter.POSITIONAL_OR_KEYWORD,
            default=argument.default_value
            if argument.has_default_value()
            else inspect.Parameter.empty,
        )
        for argument in schema.arguments[is_module:]
    ]
    return inspect.Signature(parameters)


def _tensors(value: Any, *path: Any) -> Iterator[tuple[tuple[Any, ...], Tensor]]:
    """The tensors in a value, each behind its places and keys in the containers that hold it."""
    if isinstance(value, Tensor):
        yield path, value
    elif isinstance(value, list | tuple | dict):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _tensors(item, *path, key)


def _mapped(value: Any, change: Callable[[Any], Any]) -> Any:
    """The value with each item of its containers changed."""
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
    """Whether a tensor is given for every parameter, by position."""
    every = bound.signature.bind(*bound.args, **bound.kwargs)
    every.apply_defaults()
    return not every.kwargs and all(isinstance(value, Tensor) for value in every.args)


def dynamic_shapes(
    bound: inspect.BoundArguments, names: Iterator[str], axes: dict[str, dict[int, str]]
) -> dict[str, Any]:
    """The dynamic axes as ``torch.export`` wants them: in the shape of the arguments."""

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


def open_axes(
    bound: inspect.BoundArguments, shapes: Any, names: Iterator[str]
) -> Iterator[tuple[str, int]]:
    """The inputs' dimensions that are to be open, by what ``torch.export`` is given; those of
    ``Dim.AUTO`` may be.
    """
    parameters = bound.signature.parameters
    for place, (parameter, value) in enumerate(bound.arguments.items()):
        if not isinstance(shapes, Mapping):
            shape = shapes[place]
        elif parameters[parameter].kind is inspect.Parameter.VAR_KEYWORD:
            shape = shapes.get(parameter, shapes)
        else:
            shape = shapes.get(parameter)
        for path, _ in _tensors(value):
            name, dims = next(names), shape
            for key in path:
                dims = dims[key] if isinstance(dims, list | tuple) else (dims or {}).get(key)
            pairs = dims.items() if isinstance(dims, Mapping) else enumerate(dims or ())
            yield from ((name, d) for d, dim in pairs if _is_open(dim))


def _is_open(dim: Any) -> bool:
    hint = getattr(getattr(dim, "type", None), "name", "")
    return not (dim is None or isinstance(dim, int) or hint in ("AUTO", "STATIC"))


def parameters(model: Any) -> list[str]:
    """The names of what the model takes, where it says so."""
    return list(_signature(model).parameters) if hasattr(model, "forward") else []


def checked_axes(
    axes: Mapping[str, Any], inputs: Mapping[str, Tensor], outputs: Sequence[str]
) -> dict[str, dict[int, str]]:
    """The dynamic axes by dimension, counted from the front; those without names get PyTorch's."""
    checked: dict[str, dict[int, str]] = {}
    for name, given in axes.items():
        if name not in (*inputs, *outputs):
            known = f"the inputs are {list(inputs)}" + (f", the outputs {outputs}" * bool(outputs))
            raise ValueError(f"dynamic_axes names {name!r}, but {known}")
        dimensions = given
        if isinstance(given, list | tuple):
            dimensions = {d: f"{name}_dynamic_axes_{n}" for n, d in enumerate(given, 1)}
        if not isinstance(dimensions, Mapping) or not all(type(d) is int for d in dimensions):
            example = '{"x": {0: "batch"}} or {"x": [0]}'
            raise TypeError(f"dynamic_axes wants dimensions by input: {example}")
        if name not in inputs:
            checked[name] = {d: str(axis) for d, axis in dimensions.items()}
            continue
        rank = inputs[name].dim()
        for dimension in dimensions:
            if not -rank <= dimension < rank:
                raise ValueError(f"dynamic_axes: {name} has no dimension {dimension}, only {rank}")
        checked[name] = {d % rank: str(axis) for d, axis in dimensions.items()}
    return checked
