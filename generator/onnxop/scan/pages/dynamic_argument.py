"""Dynamic dimensions → the argument of an export that declares them, as code."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping
from dataclasses import replace

import torch

from onnxop_runtime.messages import join_words

from ...trial import as_written
from ...trial.call import Call
from ...trial.outcome import Way
from ..model.exports import Export
from ..model.target import Target

_ONE_EACH = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD
_OF_TENSORS: tuple[Way, ...] = ("tensors", "results")
"""The ways to export a module that takes the tensors alone."""


def dynamic_argument(
    target: Target,
    axes: Mapping[int, Collection[int]],
    export: Export,
    way: Way = "",
    *,
    is_stock: bool = True,
) -> str:
    """Return what to add to the call of an export, as code, nested like the arguments; as words for
    a program, and for containers that have no code.

    Args:
        target: the model.
        axes: the dynamic dimensions, by the index of their tensor.
        export: the exporter, and the opset.
        way: how the exporter is called.
        is_stock: whether PyTorch's own exporter is called, and no package's.
    """
    call = replace(target.call(export.exporter), axes=axes)
    try:
        if export.exporter == "dynamo":
            shapes = _shapes(target, call, way)
            return f"and add dynamic_shapes={shapes}, where AUTO is torch.export.Dim.AUTO"
        return f"and add {_names_and_axes(target, call, way, is_stock=is_stock)}"
    except (AttributeError, TypeError, ValueError):  # of programs and of scripted modules, too
        dims = [f"dimension {d} of {call.names[n]}" for n, of in axes.items() for d in sorted(of)]
        option = "dynamic_shapes" if export.exporter == "dynamo" else "dynamic_axes"
        return f"with {join_words(dims)} in {option}"


def _shapes(target: Target, call: Call, way: Way) -> str:
    """Return dynamic_shapes, by position if the arguments are tensors alone, one each. Raise
    TypeError if a container has no code.
    """
    if way not in _OF_TENSORS and not _takes_tensors(target):
        return _nested(as_written.dynamic_shapes(call))
    dims = [sorted(call.axes.get(index, ())) for index in range(len(call.tensors))]
    return _nested(tuple(dict.fromkeys(of, torch.export.Dim.AUTO) for of in dims))


def _names_and_axes(target: Target, call: Call, way: Way, *, is_stock: bool) -> str:
    """Return input_names and dynamic_axes; PyTorch's exporter also makes inputs of numbers."""
    if target.is_program:
        raise TypeError("a program names its inputs itself")
    names = {f"x{index}": f"x{index}" for index in range(len(call.tensors))}
    if way not in _OF_TENSORS:
        named = as_written.argument_names(call)
        names = {key: name for key, name in named.items() if key in names or is_stock}
    axes = {names[f"x{n}"]: sorted(of) for n, of in sorted(call.axes.items()) if of}
    return f"input_names={_code([*names.values()])}, dynamic_axes={_code(axes)}"


def _takes_tensors(target: Target) -> bool:
    """Return whether forward's arguments are tensors alone, one each."""
    is_plain = all(isinstance(value, torch.Tensor) for value in target.args) and not target.kwargs
    if not is_plain or target.is_program:
        return False
    taken = [*inspect.signature(target.model.forward).parameters.values()][: len(target.args)]
    return all(parameter.kind in _ONE_EACH for parameter in taken)


def _nested(value: object) -> str:
    """Return dynamic dimensions as code. Raise TypeError if a container has none."""
    if value is None or value is torch.export.Dim.AUTO:
        return "None" if value is None else "AUTO"
    if type(value) is dict:
        items = ", ".join(f"{_code(key)}: {_nested(item)}" for key, item in value.items())
        return f"{{{items}}}"
    if type(value) is list:
        return f"[{', '.join(map(_nested, value))}]"
    if type(value) is tuple:
        comma = "," if len(value) == 1 else ""
        return f"({', '.join(map(_nested, value))}{comma})"
    raise TypeError(type(value).__name__)


def _code(value: object) -> str:
    return repr(value).replace("'", '"')
