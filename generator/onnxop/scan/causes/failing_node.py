"""A file of the TorchScript exporter at one of whose nodes ONNX Runtime fails → the node's line, in a
scripted function of which no calls are recorded.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from onnxop_runtime import processes

from ...trial import places, trial
from ...trial.call import Call
from ...trial.places import Place
from ..report.cause import Cause
from ..report.failed_export import FailedExport
from . import other_exporter

_LIMITS = processes.Limits(seconds=120.0)
_NODE = re.compile(r"\b\w+ node (\S+): ")  # in an error of ONNX Runtime, the outermost one first
_LINE = re.compile(r'File "([^"]+)", line (\d+)')
_ADVICE = (
    "Scan tries no calls within scripted functions: compute this line by other operators, or move it "
    "out of the function"
)


def cause(failed: FailedExport) -> Cause | None:
    """Return the line of the node at which ONNX Runtime fails, with its error; None if it names no
    node, or the exporter does not tell the line.
    """
    outcome, export = failed.outcome, failed.export
    nodes = _NODE.findall(outcome.why)
    if export.exporter != "TorchScript" or not nodes:
        return None
    call = failed.report.target.exported_for(export.exporter, outcome)
    search = partial(_line_of, call, export.opset, nodes[-1])
    place: Place | None = None
    with suppress(processes.ProcessDied):
        place = processes.run(search, limits=_LIMITS)
    if place is None:
        return None
    return Cause(
        f"{outcome}. The node is of {place.with_code}",
        (place,),
        other_exporter.advice(failed.report, export.exporter, _ADVICE),
    )


def _line_of(call: Call, opset: int, name: str) -> Place | None:
    """Export the call, and return the line of the node of this name; None if it is not known."""
    import onnx

    with tempfile.TemporaryDirectory(prefix="onnxop-trial-") as scratch:
        path = Path(scratch, "model.onnx")
        with suppress(Exception), processes.quiet(), call.kept_buffers():
            trial.export_file(call, path, "TorchScript", opset, has_lines=True)
        if not path.exists():
            return None
        model = onnx.load(path, load_external_data=False)
    texts = (node.doc_string for node in _nodes(model.graph) if node.name == name)
    match = _LINE.search(next(texts, ""))
    if match is None:
        return None
    file, line = match[1], int(match[2])
    return Place(file, line, places.code_of(file, line))


def _nodes(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a graph, and those of its loops and conditions."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            yield from _nodes(attribute.g)
