"""A user's call of an exporter: the model and its arguments as they are, with keyword arguments,
numbers and None.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from onnxop_runtime.exporting.call import model_arguments
from onnxop_runtime.torch_internals import pytree

from .call import Call


def arguments(call: Call) -> tuple[tuple[Any, ...], dict[str, Any] | None]:
    """Return ``args`` and ``kwargs`` for `torch.onnx.export`, which takes a dictionary at the end
    for the latter.
    """
    is_last_dict = not call.kwargs and bool(call.args) and isinstance(call.args[-1], dict)
    return (*call.args, {}) if is_last_dict else call.args, {**call.kwargs} or None


def options(call: Call, exporter: str, *, is_stock: bool) -> dict[str, object]:
    """Return the options that name the inputs and the dynamic dimensions. ``is_stock``: of
    PyTorch's own exporter.
    """
    if exporter == "dynamo":
        return {"dynamic_shapes": dynamic_shapes(call)} if call.axes else {}
    names = [*_inputs(call)] if is_stock else [f"x{n}" for n in range(len(call.tensors))]
    axes = {f"x{n}": [*dims] for n, dims in call.axes.items()}
    return {"input_names": names, **({"dynamic_axes": axes} if axes else {})}


def numbers(call: Call) -> dict[str, torch.Tensor]:
    """Return the numbers that the TorchScript exporter makes inputs, by name, as its graph takes
    them.
    """
    named = {name: value for name, value in _inputs(call).items() if name.startswith("number")}
    dtypes = {bool: torch.bool, int: torch.int64, float: torch.float64}
    return {name: torch.tensor(value, dtype=dtypes[type(value)]) for name, value in named.items()}


def _inputs(call: Call) -> dict[str, object]:
    """Return the inputs of the TorchScript exporter's graph by name: the tensors, which are ``x0``,
    ``x1`` and so on, and the numbers, those of defaults too.
    """
    return {name: value for name, _, value in _named_inputs(call)}


def argument_names(call: Call) -> dict[str, str]:
    """Return the names of forward's parameters for the inputs of the TorchScript exporter's graph,
    by the inputs' names there; those of items of containers end with their place or key.
    """
    return {name: argument for name, argument, _ in _named_inputs(call)}


def _named_inputs(call: Call) -> Iterator[tuple[str, str, Any]]:
    """Yield each input of the TorchScript exporter's graph: its name, the argument's, the value."""
    indices = {id(tensor): n for n, tensor in enumerate(call.tensors)}
    positional = [*_positional(call)]
    names = [name for name, _ in positional]
    values = [value for _, value in positional]
    for index, (path, value) in enumerate(pytree.tree_leaves_with_path(values)):
        place, *keys = (getattr(key, "idx", getattr(key, "key", key)) for key in path)
        argument = "_".join(map(str, (names[place], *keys)))
        if isinstance(value, torch.Tensor):
            yield f"x{indices[id(value)]}", argument, value
        elif type(value) in (bool, int, float):
            yield f"number{index}", argument, value


def _positional(call: Call) -> Iterator[tuple[str, object]]:
    """Yield the arguments in the order in which the TorchScript exporter passes them, all by
    position, with the names of their parameters.
    """
    parameters = [*inspect.signature(call.model.forward).parameters.values()]
    is_one_each = [parameter.kind is not parameter.VAR_POSITIONAL for parameter in parameters]
    for index, value in enumerate(call.args):
        is_named = all(is_one_each[: index + 1]) and index < len(parameters)
        yield parameters[index].name if is_named else f"input_{index}", value
    for parameter in parameters[len(call.args) :]:
        if parameter.name in call.kwargs:
            yield parameter.name, call.kwargs[parameter.name]
        elif parameter.default is not parameter.empty:
            yield parameter.name, parameter.default


def dynamic_shapes(call: Call) -> Mapping[str, object]:
    """Return the dynamic dimensions by parameter, nested like the arguments."""
    bound = model_arguments.bind(call.model, call.args, dict(call.kwargs))
    auto = torch.export.Dim.AUTO
    axes = {
        str(index): {d: auto for d in call.axes.get(index, ())}
        for index in range(len(call.tensors))
    }
    return model_arguments.dynamic_shapes(bound, iter(axes), axes)


def in_order(model: Any, kwargs: Mapping[str, Any]) -> dict[str, object]:
    """Return the keyword arguments in the order of ``forward``'s parameters, which is that of a
    graph's inputs.
    """
    order = [*inspect.signature(model.forward).parameters]
    ordered = {name: kwargs[name] for name in order if name in kwargs}
    return {**ordered, **kwargs}
