"""An exported file → the values that its nodes compute, each as one more output."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from . import trial
from .call import Call

_FAILING_NODE = re.compile(r"Name:'([^']+)'")  # in an error of ONNX Runtime
_LISTS = "Sequence", "Optional"  # in the names of ops whose outputs are no tensors


def of_file(
    call: Call, exporter: str, opset: int, tensors: Sequence[torch.Tensor]
) -> list[torch.Tensor]:
    """Export the call, and return what the nodes of the file compute of other tensors; if ONNX
    Runtime fails at a node, what those before it do. Raise the errors of the exporter, and those of
    ONNX Runtime of which no node is the cause.
    """
    import onnx

    with tempfile.TemporaryDirectory(prefix="onnxop-trial-") as scratch:
        path = Path(scratch, "model.onnx")
        with call.kept_buffers():
            trial.export_file(call, path, exporter, opset)
        model = onnx.load(path)
        other = call.with_tensors(tensors)
        try:
            return _run(model, path, other)
        except Exception as error:  # those of ONNX Runtime have private types
            before = _nodes_before(model, str(error))
            if before is None:
                raise
            del model.graph.node[before:]
            return _run(model, path, other) if before else []


def _run(model: Any, path: Path, call: Call) -> list[torch.Tensor]:
    """Write the model with every value as an output, and return what it computes of the call's
    tensors.
    """
    import onnx

    produced = [
        name
        for node in model.graph.node
        if not any(part in node.op_type for part in _LISTS)
        for name in node.output
        if name
    ]
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in dict.fromkeys(produced))
    onnx.save(model, path)
    return trial.run_file(path, call)


def _nodes_before(model: Any, error: str) -> int | None:
    """Return the number of nodes before the one at which ONNX Runtime fails; None if the error
    names none.
    """
    failing = _FAILING_NODE.search(error)
    names = [node.name for node in model.graph.node]
    return names.index(failing[1]) if failing and failing[1] in names else None
