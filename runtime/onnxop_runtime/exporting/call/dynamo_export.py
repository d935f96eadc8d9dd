"""The dynamo exporter: its arguments, and corrections of the program that it returns."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import onnx
import torch
from onnx import helper

from ...model_nodes import nodes_of
from ...operator.export_context import ExportContext
from ...torch_internals import renew_rnns
from ..domain_nodes import left_out
from ..element_types import BY_NUMBER, NUMBERS, check_not_integer
from ..exported_module import returned
from ..names import unused_name
from ..rules import opsets, translations
from ..rules.translations import Table, Translation
from . import lost_writes
from .dynamic_shapes import check_dynamic
from .floor_division import dynamo_rule
from .model_file import add_bodies, check_model, check_references, metadata
from .request import ExportRequest

if TYPE_CHECKING:
    from onnxscript import ir


def write_file(
    request: ExportRequest, context: ExportContext, path: Path
) -> torch.onnx.ONNXProgram:
    """Export a call into a file; return the program."""
    program = _traced(request, context)
    check_program(program, context)
    check_references(context)
    program.model.graph.sort()  # onnxscript's optimizer may put nodes before their inputs
    _cast_results(program)
    _name_inputs(program.model.graph, request.input_names or [])
    _fix_sizes(program)
    if request.dynamic_shapes and not isinstance(request.model, torch.export.ExportedProgram):
        check_dynamic(program, request.call, request.dynamic_shapes)
    complete(program, context.opset, context)
    save(program, path, request.options)
    if request.options.get("export_params", True):  # without weights, the checks fail
        check_model(path, context)
    return program


def _traced(request: ExportRequest, context: ExportContext) -> torch.onnx.ONNXProgram:
    """Return the program that PyTorch's exporter makes by the rules of all packages."""
    model, args, kwargs = request.call
    if not kwargs and args and isinstance(args[-1], dict):
        args = (*args, {})  # torch takes a dictionary at the end as keyword arguments
    program = torch.onnx.export(
        model,
        args,
        kwargs=kwargs,
        dynamo=True,
        opset_version=context.opset,
        input_names=request.input_names,
        output_names=request.output_names,
        dynamic_shapes=request.dynamic_shapes,
        custom_translation_table=dynamo_rule(context.opset) | prepare(context, request.table),
        **request.options,
    )
    if program is None:
        raise RuntimeError("the dynamo exporter returned no program")
    return program


# ---- Steps that a plain export has, too ----


def prepare(context: ExportContext, caller_table: Mapping[Any, Translation]) -> Table:
    """Prepare PyTorch's exporter for an export; return its table, in which the caller's rules
    precede those of all packages.
    """
    renew_rnns()
    return {**translations.active_table(context), **caller_table}


def check_program(program: torch.onnx.ONNXProgram, context: ExportContext) -> None:
    """Raise ValueError if the model uses a result that a mapping leaves out; record writes to
    inputs and buffers.
    """
    left_out.check_unused(program.model)
    lost_writes.note(program, context)


def complete(program: torch.onnx.ONNXProgram, opset: int, context: ExportContext) -> None:
    """Add function bodies and metadata to a program, without a copy of its large weights."""
    proto = _proto_without_weights(program)
    add_bodies(proto, opset, context)
    _copy_back(proto, program)
    program.model.metadata_props.update(metadata(proto, context))
    program.model.ir_version = opsets.ir_version(proto)


def save(
    program: torch.onnx.ONNXProgram, f: str | os.PathLike[str], options: Mapping[str, Any]
) -> None:
    """Save a program with the options of `torch.onnx.export`."""
    program.save(
        f,
        include_initializers=options.get("export_params", True),
        keep_initializers_as_inputs=options.get("keep_initializers_as_inputs") or False,
        external_data=options.get("external_data", True),
    )


def _proto_without_weights(program: torch.onnx.ONNXProgram) -> onnx.ModelProto:
    """Return the program's model without its large initializers, of which it has the types and
    sizes.
    """
    from onnxscript import ir

    graph = program.model.graph
    initializers = dict(graph.initializers)
    large = {name: value for name, value in initializers.items() if not _is_small(value)}
    for name in large:
        del graph.initializers[name]
    try:
        proto = ir.to_proto(program.model)
    finally:
        graph.initializers.clear()
        graph.initializers.update(initializers)  # in their former order
    typed = (value for value in large.values() if value.dtype is not None)
    proto.graph.value_info.extend(map(_value_info, typed))
    return proto


def _copy_back(proto: onnx.ModelProto, program: torch.onnx.ONNXProgram) -> None:
    """Copy what `add_bodies` adds to a model into the program that it was made of: functions, op
    types, attributes and opset imports.
    """
    from onnxscript import ir

    graph = program.model.graph
    for function_proto in proto.functions:
        function = ir.from_proto(function_proto)
        program.model.functions.setdefault(function.identifier(), function)
    for node, node_proto in zip(graph.all_nodes(), nodes_of(proto.graph.node), strict=True):
        node.op_type = node_proto.op_type
        for attribute in node_proto.attribute:
            if attribute.name not in node.attributes:
                node.attributes.add(ir.from_proto(attribute))
    graph.opset_imports.update({entry.domain: entry.version for entry in proto.opset_import})


_MOST_ITEMS = 64
"""The most items of an initializer that may hold sizes, which ONNX's inference reads."""


def _is_small(initializer: ir.Value) -> bool:
    tensor = initializer.const_value
    return tensor is not None and tensor.size <= _MOST_ITEMS


def _value_info(initializer: ir.Value) -> onnx.ValueInfoProto:
    """Return the type and the sizes of an initializer whose type is known."""
    assert initializer.name is not None and initializer.dtype is not None
    shape: Any = initializer.shape
    sizes = None if shape is None else [int(size) for size in shape]
    return helper.make_tensor_value_info(initializer.name, int(initializer.dtype), sizes)


# ---- Corrections ----


def _name_inputs(graph: ir.Graph, names: Sequence[str]) -> None:
    """Restore the names of inputs that are also outputs, to which PyTorch 2.10 adds ``_orig``;
    rename node outputs that have an input's name.
    """
    for value, name in zip(graph.inputs, names, strict=False):
        if value.name == f"{name}_orig":
            value.name = name
    inputs = {value.name for value in graph.inputs}
    results = [result for node in graph.all_nodes() for result in node.outputs]
    used: set[str | None] = inputs | {result.name for result in results} | {*graph.initializers}
    for result in results:
        if result.name in inputs:
            result.name = unused_name(f"{result.name}_output", used)
            used.add(result.name)


def _cast_results(program: torch.onnx.ONNXProgram) -> None:
    """Cast outputs to PyTorch's dtypes: the exporter may return the float32 input of the last
    cast.
    """
    from onnxscript import ir

    pairs = returned(program.exported_program)
    graph: Any = program.model.graph
    if len(pairs) != len(graph.outputs):  # a result may be several values
        return
    for index, (argument, node) in enumerate(pairs):
        value, dtype = graph.outputs[index], node.meta["val"].dtype
        number = NUMBERS.get(dtype)
        if value.dtype is None or number in (None, value.dtype):
            continue
        if argument.name == node.name and value.dtype in BY_NUMBER:
            check_not_integer(f"output {value.name}", BY_NUMBER[value.dtype], dtype)
        cast = ir.node("Cast", [value], {"to": number})
        (result,) = cast.outputs
        result.dtype, result.shape = ir.DataType(number), value.shape
        value.name, result.name = f"{value.name}_uncast", value.name
        graph.append(cast)
        graph.outputs[index] = result


def _fix_sizes(program: torch.onnx.ONNXProgram) -> None:
    """Set the size of axes that torch.export specialised, which the program may still call
    dynamic.
    """
    ranges = getattr(program.exported_program, "range_constraints", {})
    sizes = {str(symbol): int(r.lower) for symbol, r in ranges.items() if r.is_singleton()}
    for value in (*program.model.graph.inputs, *program.model.graph.outputs):
        shape: Any = value.shape or ()
        for d, size in enumerate(shape):
            name = str(getattr(size, "value", size))
            shape[d] = sizes.get(name, size)
