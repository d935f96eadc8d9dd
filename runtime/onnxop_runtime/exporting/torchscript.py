"""The TorchScript exporter: what it is given, and what is added to the file that it writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from .. import registry
from . import opsets
from .calls import Call
from .written import add_bodies, check_model, metadata


def write(call: Call, path: Path, options: dict[str, Any]) -> None:
    """Export a call into a file."""
    import onnx

    model, args, kwargs = call
    opset = options["opset_version"]
    # Where a node is called like the operator, torch looks for a symbolic of this version. Which domains
    # the model uses shows while it is exported: torch prints a line for any other.
    export = registry.exporting()
    assert export is not None  # under way
    export.imports.update(options.get("custom_opsets") or {})
    options["custom_opsets"] = export.imports
    torch.onnx.export(model, args, str(path), kwargs=kwargs or None, **options)
    written = onnx.load(path, load_external_data=False)
    add_bodies(written, opset)
    onnx.helper.set_model_props(written, metadata(written))
    written.ir_version = opsets.ir_version(written)
    onnx.save(written, path)
    check_model(path, opset, dynamo=False)
