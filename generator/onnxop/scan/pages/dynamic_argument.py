"""Dynamic dimensions → the argument of an export that declares them, as code."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping

import torch

from onnxop_runtime.messages import join_words

from ..model.exports import Export
from ..model.target import Target

_ONE_EACH = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD


def dynamic_argument(target: Target, axes: Mapping[int, Collection[int]], export: Export) -> str:
    """Return what to add to the call of an export, as text: code if the arguments are plain
    tensors.

    Args:
        target: the model.
        axes: the dynamic dimensions, by the index of their tensor.
        export: the exporter, and the opset.
    """
    names = _names_of_tensors(target)
    if not names:
        of_tensors = target.call(export.exporter).names
        dims = [f"dimension {d} of {of_tensors[n]}" for n, of in axes.items() for d in sorted(of)]
        option = "dynamic_shapes" if export.exporter == "dynamo" else "dynamic_axes"
        return f"with {join_words(dims)} in {option}"
    dims_by_name = {name: sorted(axes.get(n, ())) for n, name in enumerate(names)}
    if export.exporter == "TorchScript":
        dynamic = {name: dims for name, dims in dims_by_name.items() if dims}
        return f"and add input_names={_code(names)}, dynamic_axes={_code(dynamic)}"
    shapes = [", ".join(f"{d}: AUTO" for d in dims) for dims in dims_by_name.values()]
    entries = ", ".join(f"{{{shape}}}" for shape in shapes)
    comma = "," if len(shapes) == 1 else ""
    return f"and add dynamic_shapes=({entries}{comma}), where AUTO is torch.export.Dim.AUTO"


def _names_of_tensors(target: Target) -> list[str]:
    """Return the names of forward's arguments, if these are tensors alone, one each; else none."""
    is_plain = all(isinstance(value, torch.Tensor) for value in target.args) and not target.kwargs
    if not is_plain or target.is_program:
        return []
    try:
        parameters = [*inspect.signature(target.model.forward).parameters.values()]
    except (TypeError, ValueError):  # of scripted modules
        return []
    taken = parameters[: len(target.args)]
    is_one_each = all(parameter.kind in _ONE_EACH for parameter in taken)
    return [parameter.name for parameter in taken] if is_one_each else []


def _code(value: object) -> str:
    return repr(value).replace("'", '"')
