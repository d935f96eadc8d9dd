"""The dynamo exporter: what it is given, and what is mended in the program that it returns."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from .. import registry
from . import calls, nodes, opsets, optimizer, refusals, rules, ways
from .calls import Call
from .dtypes import TORCH_TYPES
from .exporters import returned
from .protos import free, nodes_of
from .written import add_bodies, check_model, metadata


def write(
    call: Call, path: Path, options: dict[str, Any], ir_version: int | None
) -> torch.onnx.ONNXProgram:
    model, args, kwargs = call
    given = options["custom_translation_table"] or {}
    options["custom_translation_table"] = rules.translation_table(registry.operators()) | given
    if not kwargs and args and isinstance(args[-1], dict):
        args = (*args, {})  # torch takes a dictionary at the end for the keywords
    # Without their bodies, nodes of a domain do not run: the program is verified once it has these.
    is_verified, options["verify"] = options["verify"], False
    try:
        with optimizer.exact(), optimizer.sparing(), optimizer.quick():
            program = torch.onnx.export(model, args, kwargs=kwargs, **options)
    except torch.onnx.errors.OnnxExporterError as error:
        if told := refusals.retold(error, calls.parameters(model)):
            raise told from error
        raise
    if program is None:
        raise RuntimeError("the dynamo exporter returned no program")
    program.model.graph.sort()  # onnxscript's optimizer puts nodes before what they take, at times
    nodes.check_left_out(program.model)
    _cast_results(program)
    _name_inputs(program.model.graph, options["input_names"] or [])
    _fix_sizes(program)
    if options["dynamic_shapes"] and not isinstance(model, torch.export.ExportedProgram):
        bound = calls.bind(model, args, kwargs)
        shapes = options["dynamic_shapes"]
        axes = list(calls.open_axes(bound, shapes, iter(options["input_names"])))
        _check_open(program.model.graph, axes)
        names = [str(value.name) for value in program.model.graph.inputs]
        for way in ways.others(program.exported_program, (model, args, kwargs), names, shapes):
            if way[:2] in axes:
                raise ValueError(refusals.other_way(*way))
    if not options["output_names"]:
        _name_results(program.model.graph)
    _complete(program, options["opset_version"], options["custom_opsets"] or {}, ir_version)
    if is_verified:
        _verify(program)
    whole = path if options["export_params"] else path.with_name(f"whole_{path.name}")
    as_inputs, external = options["keep_initializers_as_inputs"], options["external_data"]
    program.save(whole, keep_initializers_as_inputs=as_inputs, external_data=external)
    check_model(whole, options["opset_version"], dynamo=True)
    if whole != path:  # the checks take a model that lacks its weights for an invalid one
        for file in path.parent.iterdir():
            file.unlink()
        program.save(
            path,
            include_initializers=False,
            keep_initializers_as_inputs=as_inputs,
            external_data=external,
        )
    return program


def _complete(
    program: torch.onnx.ONNXProgram,
    opset: int,
    versions: Mapping[str, int],
    ir_version: int | None,
) -> None:
    """Adds function bodies and metadata to a program, whose weights stay where they are."""
    import onnx
    from onnxscript import ir

    graph = program.model.graph
    _rename_doubles(graph)
    weights = dict(graph.initializers)
    graph.initializers.clear()
    try:
        model = ir.to_proto(program.model)
    finally:
        graph.initializers.update(weights)
    model.graph.value_info.extend(
        onnx.helper.make_tensor_value_info(name, int(value.dtype), None)
        for name, value in weights.items()
        if value.dtype is not None
    )
    add_bodies(model, opset, versions)
    for proto in model.functions:
        function = ir.from_proto(proto)
        program.model.functions.setdefault(function.identifier(), function)
    for node, written in zip(graph.all_nodes(), nodes_of(model.graph.node), strict=True):
        node.op_type = written.op_type
        for attribute in written.attribute:
            if attribute.name not in node.attributes:
                node.attributes.add(ir.from_proto(attribute))
        node.resize_inputs(len(written.input))
    graph.opset_imports.update({entry.domain: entry.version for entry in model.opset_import})
    program.model.metadata_props.update(metadata(model))
    program.model.ir_version = opsets.ir_version(model, ir_version)


def _name_inputs(graph: Any, names: Sequence[str]) -> None:
    """Calls an input that is a result, too, as was asked for: PyTorch 2.10 adds ``_orig``."""
    for value, name in zip(graph.inputs, names, strict=False):
        if value.name == f"{name}_orig":
            value.name = name


def _cast_results(program: torch.onnx.ONNXProgram) -> None:
    """Has outputs cast to what they are in PyTorch: where its exporter computes one in float32 and casts it
    to float16, it returns what it has not cast yet, by the name that the result had before.
    """
    from onnxscript import ir

    pairs = returned(program.exported_program)
    graph: Any = program.model.graph
    if len(pairs) != len(graph.outputs):  # a result may be several values
        return
    for place, (argument, node) in enumerate(pairs):
        if argument.name == node.name:
            continue
        value, name = graph.outputs[place], graph.outputs[place].name
        dtype = node.meta["val"].dtype
        kind = next(ir.DataType[word] for word, each in TORCH_TYPES.items() if each == dtype)
        if value.dtype != kind:
            cast = ir.node("Cast", [value], {"to": kind})
            (made,) = cast.outputs
            made.dtype, made.shape, value.name, made.name = (
                kind,
                value.shape,
                f"{name}_uncast",
                name,
            )
            graph.append(cast)
            graph.outputs[place] = made


def _fix_sizes(program: torch.onnx.ONNXProgram) -> None:
    """Says of an axis that torch.export has at one size, that it is of that size: it may stand as open."""
    ranges = getattr(program.exported_program, "range_constraints", {})
    sizes = {str(word): int(each.lower) for word, each in ranges.items() if each.is_singleton()}
    for value in (*program.model.graph.inputs, *program.model.graph.outputs):
        shape: Any = value.shape or ()
        for d, size in enumerate(shape):
            word = str(getattr(size, "value", size))
            shape[d] = sizes.get(word, size)


def _check_open(graph: Any, wanted: Sequence[tuple[str, int]]) -> None:
    """Raises ValueError where an axis that was to be open is not."""
    shapes = {value.name: value.shape for value in graph.inputs}
    fixed = [(name, d, shapes[name][d]) for name, d in wanted if isinstance(shapes[name][d], int)]
    if fixed:
        raise ValueError(refusals.not_open(fixed))


def _name_results(graph: Any) -> None:
    """Calls outputs as the operators call their results, where torch has a number for them."""
    taken = {value.name for node in graph.all_nodes() for value in node.outputs}
    taken |= {value.name for value in graph.inputs} | {*graph.initializers}
    for output in graph.outputs:
        result = output.meta.get(rules.RESULT)
        if result is not None and re.fullmatch(r"getitem(_\d+)?", output.name or ""):
            output.name = free(result, taken)
            taken.add(output.name)


def _rename_doubles(graph: Any) -> None:
    """Renames what nodes give where an input is called the same, as the result of a model that
    returns its input is: torch gives inputs their names last.
    """
    inputs = {value.name for value in graph.inputs}
    results = [result for node in graph.all_nodes() for result in node.outputs]
    taken = inputs | {result.name for result in results} | {*graph.initializers}
    for result in results:
        if result.name in inputs:
            result.name = free(f"{result.name}_output", taken)
            taken.add(result.name)


def _verify(program: torch.onnx.ONNXProgram) -> None:
    """Says where ONNX Runtime is far from PyTorch, by the measure of ``torch.onnx.export``."""
    import torch.onnx.testing

    try:
        torch.onnx.testing.assert_onnx_program(program, rtol=1e-1, atol=5e-3)
    except Exception as error:  # noqa: BLE001 - a runtime that refuses the model is worth a word, too
        warnings.warn(f"verify: ONNX Runtime and PyTorch differ: {error}", stacklevel=4)
    finally:
        program.release()
