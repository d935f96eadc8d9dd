"""What a model is called with, as a caller of `export` gives it: its tensors by their names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from ..torch_internals import leaves

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
        values = leaves((args, dict(kwargs)))
        tensors = [value for value in values if isinstance(value, Tensor)]
        found = [str(name) for name in model.graph_signature.user_inputs if name is not None]
    else:
        bound = bind(model, args, kwargs)
        pairs = [pair for name, value in bound.arguments.items() for pair in _tensors(name, value)]
        found, tensors = [name for name, _ in pairs], [tensor for _, tensor in pairs]
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


def _tensors(name: str, value: Any) -> Iterator[tuple[str, Tensor]]:
    if isinstance(value, Tensor):
        yield name, value
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _tensors(f"{name}_{position}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _tensors(f"{name}_{key}", item)


def _with_tensors(value: Any, replace: Callable[[Tensor], Any], otherwise: Any = ...) -> Any:
    """The value with its tensors replaced; what else it holds becomes ``otherwise``, if given."""
    if isinstance(value, Tensor):
        return replace(value)
    if isinstance(value, list | tuple):
        items = [_with_tensors(item, replace, otherwise) for item in value]
        return items if isinstance(value, list) else tuple(items)
    if isinstance(value, dict):
        return {key: _with_tensors(item, replace, otherwise) for key, item in value.items()}
    return value if otherwise is ... else otherwise


class TensorsOnly(torch.nn.Module):
    """A model as a function of its tensors: the TorchScript exporter makes inputs of numbers."""

    def __init__(self, model: Any, bound: inspect.BoundArguments) -> None:
        super().__init__()
        self.model, self.bound = model, bound
        self.training = getattr(model, "training", False)

    def forward(self, *tensors: Tensor) -> Any:
        feed = iter(tensors)
        args = _with_tensors(self.bound.args, lambda _: next(feed))
        kwargs = _with_tensors(self.bound.kwargs, lambda _: next(feed))
        return self.model(*args, **kwargs)


def takes_tensors_only(bound: inspect.BoundArguments) -> bool:
    parameters = bound.signature.parameters.values()
    given = [
        value
        for parameter in parameters
        for value in (
            bound.arguments.get(parameter.name, ())
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL
            else [bound.arguments.get(parameter.name)]
        )
    ]
    return not bound.kwargs and all(isinstance(value, Tensor) for value in given)


def dynamic_shapes(
    bound: inspect.BoundArguments, names: Iterator[str], axes: dict[str, dict[int, str]]
) -> dict[str, Any]:
    """The dynamic axes as ``torch.export`` wants them: in the shape of the arguments."""
    parameters = bound.signature.parameters
    shapes: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        shape = _with_tensors(value, lambda _: axes.get(next(names)), otherwise=None)
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
    for place, (name, value) in enumerate(bound.arguments.items()):
        if not isinstance(shapes, Mapping):
            shape = shapes[place]
        elif parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            shape = shapes.get(name, shapes)
        else:
            shape = shapes.get(name)
        yield from _open_axes(value, shape, names)


def _open_axes(value: Any, shape: Any, names: Iterator[str]) -> Iterator[tuple[str, int]]:
    if isinstance(value, Tensor):
        name = next(names)
        pairs = shape.items() if isinstance(shape, Mapping) else enumerate(shape or ())
        yield from ((name, d) for d, dim in pairs if _is_open(dim))
    elif isinstance(value, list | tuple):
        for place, item in enumerate(value):
            yield from _open_axes(item, shape[place] if shape else None, names)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _open_axes(item, shape.get(key) if shape else None, names)


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
