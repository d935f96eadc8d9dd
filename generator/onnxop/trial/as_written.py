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
        return {"dynamic_shapes": _shapes(call)} if call.axes else {}
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
    indices = {id(tensor): n for n, tensor in enumerate(call.tensors)}
    named: dict[str, Any] = {}
    for index, value in enumerate(pytree.tree_leaves([*_positional(call)])):
        if isinstance(value, torch.Tensor):
            named[f"x{indices[id(value)]}"] = value
        elif type(value) in (bool, int, float):
            named[f"number{index}"] = value
    return named


def _positional(call: Call) -> Iterator[object]:
    """Yield the arguments in the order in which the TorchScript exporter passes them, all by
    position.
    """
    yield from call.args
    parameters = [*inspect.signature(call.model.forward).parameters.values()]
    for parameter in parameters[len(call.args) :]:
        if parameter.name in call.kwargs:
            yield call.kwargs[parameter.name]
        elif parameter.default is not parameter.empty:
            yield parameter.default


def _shapes(call: Call) -> Mapping[str, object]:
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
