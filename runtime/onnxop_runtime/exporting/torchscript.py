"""The TorchScript exporter: its arguments, and additions to the file that it writes."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from ..model_nodes import nodes_of
from ..operator import registry
from ..torch_internals import pytree
from . import opsets
from .call_sizes import CallSizes
from .calls import Call, bind, dynamic_shapes
from .functions import free
from .written import add_bodies, check_model, metadata


def write(call: Call, path: Path, options: dict[str, Any]) -> None:
    """Export a call into a file."""
    import onnx

    model, args, kwargs = call
    opset = options["opset_version"]
    # torch prints a line for each domain that the model uses and custom_opsets lacks. The domains are known
    # only during the export, so torch gets a dictionary that the export fills.
    export = registry.exporting()
    assert export is not None  # under way
    export.imports.update(options.get("custom_opsets") or {})
    options["custom_opsets"] = export.imports
    export.call_sizes = _call_sizes(call, options)
    torch.onnx.export(model, args, str(path), kwargs=kwargs or None, **options)
    if export.call_sizes is not None and not export.call_sizes.is_matched():
        export.call_sizes = None
        torch.onnx.export(model, args, str(path), kwargs=kwargs or None, **options)
    written = onnx.load(path, load_external_data=False)
    add_bodies(written, opset)
    _name_outputs(written.graph)
    onnx.helper.set_model_props(written, metadata(written))
    written.ir_version = opsets.ir_version(written)
    onnx.save(written, path)
    try:
        check_model(path, opset, dynamo=False)
    except RuntimeError as error:
        if not isinstance(error.__cause__, onnx.shape_inference.InferenceError):
            raise
        onnx.save(_with_inferred_sizes(written), path)
        with suppress(RuntimeError):
            check_model(path, opset, dynamo=False)
            return
        raise


def _call_sizes(call: Call, options: dict[str, Any]) -> CallSizes | None:
    """Return the sizes of tensors at the calls of operators, if axes of the model's inputs are dynamic."""
    axes = options["dynamic_axes"] or {}
    names = options["input_names"] or []
    if not any(axes.get(name) for name in names):
        return None
    bound = bind(*call)
    shapes = pytree.tree_map(
        lambda _: torch.export.Dim.DYNAMIC, dynamic_shapes(bound, iter(names), axes)
    )
    return CallSizes((call[0], bound.args, bound.kwargs), shapes)


def _with_inferred_sizes(model: Any) -> Any:
    """Return the model with ONNX's sizes: the exporter's are wrong for tensors without elements."""
    import onnx

    bare = type(model)()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    for output in bare.graph.output:
        output.type.tensor_type.ClearField("shape")
    inferred = onnx.shape_inference.infer_shapes(bare)
    for output, known in zip(inferred.graph.output, model.graph.output, strict=True):
        if not output.type.tensor_type.HasField("shape"):
            output.CopyFrom(known)
    return inferred


def _name_outputs(graph: Any) -> None:
    """Remove the numbers that rules append to the names of results from the model's outputs."""
    taken = {entry.name for entry in (*graph.input, *graph.initializer)}
    taken |= {name for node in nodes_of(graph.node) for name in node.output}
    new_names: dict[str, str] = {}
    for entry in graph.output:
        if match := re.fullmatch(r"([a-zA-Z_]\w*)\.\d+", entry.name):
            new_names[entry.name] = free(match[1], taken)
            taken.add(new_names[entry.name])
    for entry in (*graph.output, *graph.value_info):
        entry.name = new_names.get(entry.name, entry.name)
    for node in nodes_of(graph.node):
        node.input[:] = [new_names.get(name, name) for name in node.input]
        node.output[:] = [new_names.get(name, name) for name in node.output]
