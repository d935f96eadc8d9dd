"""A file of the TorchScript exporter at one of whose nodes ONNX Runtime, or the checker, fails → the
line of the node.
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
_NODE = re.compile(r"\b\w+ node (\S+): |node name: ([^\s)]+)\)")
"""A node in an error of ONNX Runtime, the outermost one first, or of onnx.checker."""
_SCRIPTED = re.compile(r'File "([^"]+)", line (\d+)')
_TRACED = re.compile(r"^(\S.*?)\((\d+)\): \S+$", re.MULTILINE)
_ADVICE = (
    "Scan tries no calls within scripted functions: compute this line by other operators, or move it "
    "out of the function"
)


def cause(failed: FailedExport) -> Cause | None:
    """Return the line of the node, in a model of which no call could be recorded, as it is in a
    scripted function; None if it is not known.
    """
    place = line(failed)
    if place is None:
        return None
    return Cause(
        f"{failed.outcome}. The node is of {place.with_code}",
        (place,),
        other_exporter.advice(failed.report, failed.export.exporter, _ADVICE),
    )


def line(failed: FailedExport) -> Place | None:
    """Return the line of the node at which ONNX Runtime, or the checker, fails; None if the error
    names no node, or the exporter does not tell its line.
    """
    outcome, export = failed.outcome, failed.export
    nodes = [first or second for first, second in _NODE.findall(outcome.why)]
    if export.exporter != "TorchScript" or not nodes:
        return None
    call = failed.report.target.exported_for(export.exporter, outcome)
    search = partial(_line_of, call, export.opset, nodes[-1])
    place: Place | None = None
    with suppress(processes.ProcessDied):
        place = processes.run(search, limits=_LIMITS)
    return place


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
    return _place_in(next(texts, ""))


def _place_in(text: str) -> Place | None:
    """Return the place that the exporter writes for a node: the line of a scripted function, or
    the stack of a trace, the innermost frame first.
    """
    if match := _SCRIPTED.search(text):
        file, number = match[1], int(match[2])
        return Place(file, number, places.code_of(file, number))
    frames = [(file, int(number)) for file, number in _TRACED.findall(text)]
    return places.of_frames(frames[::-1])


def _nodes(graph: Any) -> Iterator[Any]:
    """Yield the nodes of a graph, and those of its loops and conditions."""
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            yield from _nodes(attribute.g)
