"""The TorchScript exporter: its arguments, and additions to the file that it writes."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import onnx
import torch

from ...model_nodes import nodes_of
from ...operator.export_context import ExportContext
from ...torch_internals import pytree
from ..names import unused_name
from ..rules import opsets
from . import other_sizes
from .call_sizes import CallSizes, sizes_of_calls
from .model_file import add_bodies, check_model, metadata
from .request import ExportRequest
from .trace_attempts import trace_by_attempts


def write_file(request: ExportRequest, context: ExportContext, path: Path) -> None:
    """Export a call into a file.

    `trace_attempts` has the attempts to trace the model. `with_sizes_of_calls` writes the file once
    more if the sizes that torch.export knows are those of other calls.
    """
    axes = request.dynamic_axes or {}
    sizes = sizes_of_calls(request.call, request.input_names or [], axes)
    with_sizes_of_calls(lambda: _trace(request, context, path), sizes, context)
    if context.log.one_sided:
        warnings.warn(context.log.one_sided, other_sizes.OneSidedTrace, stacklevel=2)
    written = onnx.load(path, load_external_data=False)
    complete(written, context)
    _name_outputs(written.graph)
    onnx.save(written, path)
    try:
        check_model(path, context)
    except RuntimeError as error:
        if not isinstance(error.__cause__, onnx.shape_inference.InferenceError):
            raise
        onnx.save(_with_inferred_sizes(written), path)
        with suppress(RuntimeError):
            check_model(path, context)
            return
        raise


def _trace(request: ExportRequest, context: ExportContext, path: Path) -> None:
    """Write the file by PyTorch's exporter, which calls the symbolics of all packages."""
    export = partial(_export, request, context, path)
    trace_by_attempts(request.model, export, partial(_forget, context))


def _forget(context: ExportContext) -> None:
    """Forget what a trace has recorded, before another one."""
    context.log.forget_calls()
    context.log.refusals.clear()


def _export(request: ExportRequest, context: ExportContext, path: Path) -> None:
    """Call PyTorch's exporter, with copies: the trace of a model that writes to an input writes to
    the caller's.
    """
    model, *arguments = request.call
    args, kwargs = pytree.tree_map_only(torch.Tensor, _copy, arguments)
    torch.onnx.export(
        model,
        args,
        str(path),
        kwargs=kwargs or None,
        dynamo=False,
        opset_version=context.opset,
        input_names=request.input_names,
        output_names=request.output_names,
        dynamic_axes=request.dynamic_axes,
        **request.options,
    )
    context.log.one_sided = _difference_at_other_sizes(request)


def _difference_at_other_sizes(request: ExportRequest) -> str:
    """Return where the trace is another one than in the file, under the same replacements."""
    model, args, _ = request.call
    if not request.dynamic_axes:
        return ""
    return other_sizes.difference(model, args, request.input_names or [], request.dynamic_axes)


def _copy(tensor: torch.Tensor) -> torch.Tensor:
    """Return a copy of a tensor, a leaf if the tensor is one."""
    return tensor.detach().clone().requires_grad_(tensor.requires_grad)


# ---- Steps that a plain export has, too ----


def with_sizes_of_calls(
    trace: Callable[[], None], sizes: CallSizes | None, context: ExportContext
) -> None:
    """Write the file by ``trace``; once more without ``sizes``, if the exporter converts other
    calls than those of which they are.
    """
    context.log.call_sizes = sizes
    trace()
    if sizes is not None and not sizes.is_matched():
        context.log.call_sizes = None
        context.log.forget_calls()
        trace()


def complete(model: onnx.ModelProto, context: ExportContext) -> None:
    """Add function bodies and metadata to a model that PyTorch's exporter has written."""
    add_bodies(model, context.opset, context)
    onnx.helper.set_model_props(model, metadata(model, context))
    model.ir_version = opsets.ir_version(model)


# ---- Corrections ----


def _with_inferred_sizes(model: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with ONNX's sizes: the exporter's are wrong for tensors without elements."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    for output in bare.graph.output:
        output.type.tensor_type.ClearField("shape")
    inferred = onnx.shape_inference.infer_shapes(bare)
    for output, written in zip(inferred.graph.output, model.graph.output, strict=True):
        if not output.type.tensor_type.HasField("shape"):
            output.CopyFrom(written)
    return inferred


def _name_outputs(graph: onnx.GraphProto) -> None:
    """Remove the numbers that rules append to the names of results from the model's outputs."""
    used = {entry.name for entry in (*graph.input, *graph.initializer)}
    used |= {name for node in nodes_of(graph.node) for name in node.output}
    new_names: dict[str, str] = {}
    for entry in graph.output:
        if match := re.fullmatch(r"([a-zA-Z_]\w*)\.\d+", entry.name):
            new_names[entry.name] = unused_name(match[1], used)
            used.add(new_names[entry.name])
    for entry in (*graph.output, *graph.value_info):
        entry.name = new_names.get(entry.name, entry.name)
    for node in nodes_of(graph.node):
        node.input[:] = [new_names.get(name, name) for name in node.input]
        node.output[:] = [new_names.get(name, name) for name in node.output]
