"""The TorchScript exporter: what it is given, and what is mended in the file that it writes."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path
from typing import Any

import torch

from .. import registry
from . import opsets
from .calls import Call
from .protos import free, nodes_of, rename
from .written import add_bodies, check_model, metadata


def write(call: Call, path: Path, options: dict[str, Any], ir_version: int | None) -> None:
    import onnx

    model, args, kwargs = call
    opset, given = options["opset_version"], options["custom_opsets"] or {}
    # Where a node is called like the operator, torch looks for a symbolic of this version. Which domains
    # the model uses shows while it is exported: torch prints a line for any other.
    export = registry.exporting()
    assert export is not None  # under way
    options["custom_opsets"] = export.imports
    options["custom_opsets"].update(given)
    torch.onnx.export(model, args, str(path), kwargs=kwargs or None, **options)
    written = onnx.load(path, load_external_data=False)
    add_bodies(written, opset, given)
    if not options["output_names"]:
        _name_outputs(written.graph)
    onnx.helper.set_model_props(written, metadata(written))
    written.ir_version = opsets.ir_version(written, ir_version)
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


def _with_inferred_sizes(model: Any) -> Any:
    """The model with the sizes that ONNX infers in place of the exporter's, which are wrong where tensors
    have no elements.
    """
    import onnx

    bare = type(model)()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    for output in bare.graph.output:
        output.type.tensor_type.ClearField("shape")
    found = onnx.shape_inference.infer_shapes(bare)
    for output, given in zip(found.graph.output, model.graph.output, strict=True):
        if not output.type.tensor_type.HasField("shape"):
            output.CopyFrom(given)
    return found


def _name_outputs(graph: Any) -> None:
    """Gives outputs that torch calls by a number, or by a name with a number, names that can be read."""
    given = {entry.name for entry in (*graph.input, *graph.initializer)}  # by the caller
    taken = given | {name for node in nodes_of(graph.node) for name in node.output}
    words: dict[str, str] = {}
    for position, entry in enumerate(graph.output):
        found = re.fullmatch(r"(?:(\w+)\.)?\d+", entry.name)
        if found and entry.name not in given | words.keys():
            number = "" if len(graph.output) == 1 else f"_{position}"
            words[entry.name] = free(found[1] or f"output{number}", taken | {*words.values()})
    for entry in (*graph.output, *graph.value_info):
        entry.name = words.get(entry.name, entry.name)
    rename(graph.node, words)
