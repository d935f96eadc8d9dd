"""The arguments of a model, as a caller of `export` gives them: the tensors among them by name."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from ...torch_internals import pytree
from ..exported_module import map_items

Model = torch.nn.Module | torch.export.ExportedProgram
Call = tuple[Any, tuple[Any, ...], dict[str, Any]]
"""A model, its positional arguments, and its keyword arguments."""
Axes = Mapping[str, Mapping[int, str]]
"""The names of dynamic dimensions, by input or output and dimension."""


def input_tensors(
    model: Model,
    args: Tensor | tuple[Any, ...],
    kwargs: Mapping[str, object] | None = None,
    input_names: Sequence[str] | None = None,
) -> dict[str, Tensor]:
    """Return the tensors among a model's arguments, in order, by their names in the graph.

    ``input_names`` come first; the rest are named after ``forward``'s parameters. A tensor in a
    container has its place or key in the name, as in ``states_0``.
    """
    if isinstance(model, torch.export.ExportedProgram):
        example, named = model.example_inputs or ((), {})
        args, kwargs = (args, kwargs) if args or kwargs else (example, named)
        values = pytree.tree_leaves(split_arguments(args, kwargs))
        tensors = [value for value in values if isinstance(value, Tensor)]
        own_names = [str(name) for name in model.graph_signature.user_inputs if name is not None]
    else:
        pairs = [*_tensors(bind(model, args, kwargs).arguments)]
        own_names = ["_".join(map(str, path)) for path, _ in pairs]
        tensors = [tensor for _, tensor in pairs]
    if isinstance(input_names, str):
        raise TypeError(f"input_names is a list of names; write input_names=[{input_names!r}]")
    first_names = list(input_names or ())
    names = [*first_names, *own_names[len(first_names) :]]
    if len(set(names)) < len(names):
        raise ValueError(f"input_names has a name twice: {names}")
    return dict(zip(names, tensors, strict=False))  # further names are for the model's weights


def split_arguments(
    args: Tensor | tuple[Any, ...], kwargs: Mapping[str, object] | None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return positional and keyword arguments; without kwargs, a dictionary at the end of args is
    the latter.
    """
    args = args if isinstance(args, tuple) else (args,)
    if kwargs is None and args and isinstance(args[-1], dict):
        return args[:-1], args[-1]
    return args, dict(kwargs or {})


def bind(
    model: Any, args: Tensor | tuple[Any, ...], kwargs: Mapping[str, Any] | None
) -> inspect.BoundArguments:
    """Bind the arguments to the parameters of the model's ``forward``."""
    positional, keywords = split_arguments(args, kwargs)
    return inspect.signature(model.forward).bind(*positional, **keywords)


def _tensors(value: object, *path: object) -> Iterator[tuple[tuple[Any, ...], Tensor]]:
    """Yield the tensors in a value, each after its path of places and keys in the containers."""
    if isinstance(value, Tensor):
        yield path, value
    elif isinstance(value, list | tuple | dict):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _tensors(item, *path, key)


def takes_tensors_only(bound: inspect.BoundArguments) -> bool:
    """Return whether every parameter of the model is a tensor that is given by position."""
    complete = bound.signature.bind(*bound.args, **bound.kwargs)
    complete.apply_defaults()
    return not complete.kwargs and all(isinstance(value, Tensor) for value in complete.args)


def dynamic_shapes(
    bound: inspect.BoundArguments, names: Iterator[str], axes: Axes
) -> dict[str, object]:
    """Return the dynamic axes for ``torch.export``: nested like the arguments."""

    def shape_of(leaf: object) -> Mapping[int, str] | None:
        return axes.get(next(names)) if isinstance(leaf, Tensor) else None

    parameters = bound.signature.parameters
    shapes: dict[str, Any] = {}
    for name, value in bound.arguments.items():
        shape = map_items(value, shape_of)
        if parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            shapes |= shape
        else:
            shapes[name] = shape
    return shapes


def checked_axes(
    axes: Mapping[str, object], inputs: Mapping[str, Tensor], outputs: Sequence[str]
) -> dict[str, dict[int, str]]:
    """Return the dynamic axes by input and non-negative dimension; name those without names as
    PyTorch does. Raise ValueError for a name or dimension that is none, TypeError for another type.
    """
    if not isinstance(axes, Mapping):
        raise _axes_error(axes)
    checked: dict[str, dict[int, str]] = {}
    for name, dims in axes.items():
        if name not in (*inputs, *outputs):
            valid_names = f"the inputs are {list(inputs)}"
            if outputs:
                valid_names += f", the outputs {outputs}"
            raise ValueError(f"dynamic_axes names {name!r}, but {valid_names}")
        named = _named_axes(name, dims)
        if name not in inputs:  # the rank of an output is unknown
            checked[name] = named
            continue
        rank = inputs[name].dim()
        for d in named:
            if not -rank <= d < rank:
                raise ValueError(f"dynamic_axes: {name} has no dimension {d}, only {rank}")
        checked[name] = {d % rank: axis for d, axis in named.items()}
    return checked


def _named_axes(name: str, dims: object) -> dict[int, str]:
    """Return the names of an input's dynamic dimensions; raise TypeError for another type."""
    if isinstance(dims, list | tuple):
        dims = {d: f"{name}_dynamic_axes_{n}" for n, d in enumerate(dims, 1)}
    if not isinstance(dims, Mapping) or not all(type(d) is int for d in dims):
        raise _axes_error({name: dims})
    return {d: str(axis) for d, axis in dims.items()}


def _axes_error(axes: object) -> TypeError:
    """Return the error for dynamic axes of a wrong type."""
    example = '{"x": {0: "batch"}} or {"x": [0]}'
    return TypeError(f"dynamic_axes maps inputs to dimensions, as in {example}, but it is {axes!r}")
