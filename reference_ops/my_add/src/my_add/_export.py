"""Writes models that call my_lib::my_add to ONNX, with either exporter, and checks what it wrote."""

from __future__ import annotations

import inspect
import os
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from my_add import _op  # registers the operator and its symbolic

OPSETS = {
    True: range(18, 26),
    False: range(13, 24),
}
"""The opsets that each exporter can write, by ``dynamo``."""

DynamicAxes = Mapping[str, Mapping[int, str]]

_NAMES = {True: "the dynamo exporter", False: "the TorchScript exporter"}
_lock = threading.Lock()  # neither exporter is safe in two threads at once


def translation_table() -> dict[Callable[..., Any], Callable[..., Any]]:
    """The rule by operator, for ``torch.onnx.export(custom_translation_table=...)``.

    `export` passes it by itself; the TorchScript exporter needs nothing but the import.
    """
    from my_add._translation import translation

    return {
        torch.ops.my_lib.my_add.default: translation,
    }


def export(
    model: torch.nn.Module,
    args: Tensor | tuple[Any, ...],
    path: str | os.PathLike[str],
    *,
    dynamo: bool = True,
    opset: int | None = None,
    input_names: Sequence[str] | None = None,
    output_names: Sequence[str] | None = None,
    dynamic_axes: DynamicAxes | None = None,
    **options: Any,
) -> Path:
    """Exports a model that calls my_lib::my_add. The file appears once it has passed the checks.

    Args:
        model: the model, in the mode (``eval()``) in which it is to be exported.
        args: its positional arguments, as for ``torch.onnx.export``.
        path: the file to write; its folder must exist.
        dynamo: True for the dynamo exporter, False for the TorchScript exporter.
        opset: the opset of the default ONNX domain; by default 20, or the nearest that
            the exporter can write.
        input_names: the names of the graph's inputs; by default those of ``model.forward``.
        output_names: the names of the graph's outputs.
        dynamic_axes: the dimensions that stay open, by input name and dimension:
            ``{"a": {0: "batch"}}``.
        options: passed on to ``torch.onnx.export``.

    Returns:
        The path of the file.

    Raises:
        ValueError: the exporter cannot write the opset, or a dynamic axis names no input.
        RuntimeError: the exporter wrote another opset than asked for, or an invalid model.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise ValueError(f"cannot write {path}: the folder {path.parent} does not exist")
    if not isinstance(args, tuple):
        args = (args,)
    opset = _checked_opset(dynamo, opset)
    names = list(input_names) if input_names is not None else default_input_names(model, args)
    if unknown := sorted(set(dynamic_axes or ()) - set(names)):
        raise ValueError(f"dynamic_axes names {unknown}, but the inputs are {names}")
    if dynamic_axes:
        options |= _dynamic_options(model, args, names, dynamic_axes, dynamo)
    if dynamo:
        options["custom_translation_table"] = {
            **translation_table(),
            **options.get("custom_translation_table", {}),
        }
    with _lock, tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as folder:
        written = Path(folder, path.name)
        torch.onnx.export(
            model,
            args,
            str(written),
            dynamo=dynamo,
            opset_version=opset,
            input_names=names,
            output_names=list(output_names) if output_names is not None else None,
            **{"verbose": False, "external_data": _is_large(model), **options},
        )
        _check_model(written, opset, dynamo)
        for file in sorted(Path(folder).iterdir(), key=lambda file: file == written):
            os.replace(file, path.parent / file.name)
    return path


def _checked_opset(dynamo: bool, opset: int | None) -> int:
    supported, other = OPSETS[dynamo], OPSETS[not dynamo]
    if not supported:
        raise ValueError(
            f"{_NAMES[dynamo]} cannot write {_op.OP}; use dynamo={not dynamo}, "
            f"which writes opsets {_span(other)}"
        )
    if opset is None:
        return min(max(20, supported.start), supported.stop - 1)
    if opset in supported:
        return opset
    fact = f"{_NAMES[dynamo]} writes {_op.OP} at opsets {_span(supported)}, not {opset}"
    if opset in other:
        raise ValueError(f"{fact}; use dynamo={not dynamo}, which writes {_span(other)}")
    nearest = supported.start if opset < supported.start else supported.stop - 1
    also = f", or dynamo={not dynamo} (opsets {_span(other)})" if other else ""
    raise ValueError(f"{fact}; use opset={nearest}{also}")


def _span(opsets: range) -> str:
    return f"{opsets.start} to {opsets.stop - 1}"


def default_input_names(model: torch.nn.Module, args: tuple[Any, ...]) -> list[str]:
    """The names of those parameters of ``forward`` that are given a tensor."""
    parameters = _parameters(model)
    names: list[str] = []
    for position, arg in enumerate(args):
        if isinstance(arg, Tensor):
            parameter = parameters[min(position, len(parameters) - 1)]
            starred = parameter.kind is inspect.Parameter.VAR_POSITIONAL
            names.append(f"{parameter.name}_{position}" if starred else parameter.name)
    return names


def _is_large(model: torch.nn.Module) -> bool:
    """Whether the weights may not fit into one protobuf file, which ends at 2 GB."""
    tensors = [*model.parameters(), *model.buffers()]
    return sum(tensor.numel() * tensor.element_size() for tensor in tensors) > 1_500_000_000


def _parameters(model: torch.nn.Module) -> list[inspect.Parameter]:
    return list(inspect.signature(model.forward).parameters.values())


def _dynamic_options(
    model: torch.nn.Module,
    args: tuple[Any, ...],
    names: list[str],
    dynamic_axes: DynamicAxes,
    dynamo: bool,
) -> dict[str, Any]:
    """The dynamic axes in the words of the exporter."""
    axes = {name: dict(dimensions) for name, dimensions in dynamic_axes.items()}
    if not dynamo:
        return {"dynamic_axes": axes}
    unnamed = iter(names)
    shapes: list[Any] = [axes.get(next(unnamed)) if isinstance(a, Tensor) else None for a in args]
    for position, parameter in enumerate(_parameters(model)):
        if parameter.kind is inspect.Parameter.VAR_POSITIONAL:  # *args count as one argument
            shapes[position:] = [tuple(shapes[position:])]
    return {"dynamic_shapes": tuple(shapes)}


def _check_model(path: Path, opset: int, dynamo: bool) -> None:
    """Raises RuntimeError unless the file is a valid model of the opset asked for."""
    import onnx

    model = onnx.load(path, load_external_data=False)
    found = [entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")]
    if found != [opset]:
        raise RuntimeError(
            f"{_NAMES[dynamo]} wrote opset {found} though {opset} was asked for: an operator "
            "of the model cannot be converted; ask for another opset"
        )
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise RuntimeError(f"{_NAMES[dynamo]} wrote an invalid model: {error}") from error
