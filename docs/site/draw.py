"""ONNX files -> one picture of their graphs: python docs/site/draw.py PICTURE.svg FILE..."""

from __future__ import annotations

import sys
from collections import defaultdict
from html import escape
from pathlib import Path

import onnx
from onnx import numpy_helper

WIDTH, HEIGHT, GAP, ROW = 100, 30, 26, 44  # of a box; between columns; from row to row
HEAD, MARGIN = 30, 10
FILLS = {
    "input": "#dbeafe",
    "Constant": "#fee2e2",
    "output": "#dcfce7",
    "own": "#fef3c7",
    "": "#f3f4f6",
}


def drawn(files: list[Path]) -> str:
    """Return the picture of the files' graphs, one below the other, inputs at the left."""
    parts, top, width = [], MARGIN, 0
    for file in files:
        boxes, edges = _graph(onnx.load(file, load_external_data=False).graph)
        columns: dict[int, list[str]] = defaultdict(list)
        for name, (_, _, depth) in boxes.items():
            columns[depth].append(name)
        rows = max(map(len, columns.values()))
        places = {}
        for depth, names in columns.items():
            lead = (rows - len(names)) * ROW / 2
            for row, name in enumerate(names):
                x = MARGIN + depth * (WIDTH + GAP)
                places[name] = (x, top + HEAD + lead + row * ROW)
        parts.append(f'<text x="{MARGIN}" y="{top + 14}" class="title">{escape(file.name)}</text>')
        parts += [_line(places[start], places[end]) for start, end in edges]
        parts += [_box(*places[name], label, kind) for name, (label, kind, _) in boxes.items()]
        top += HEAD + rows * ROW + MARGIN
        width = max(width, 2 * MARGIN + (max(columns) + 1) * (WIDTH + GAP) - GAP)
    style = (
        "text{font:12px sans-serif;text-anchor:middle;fill:#111827}"
        ".title{font-weight:bold;text-anchor:start;fill:#6b7280}"
        ".edge{fill:none;stroke:#6b7280;stroke-width:1.2;marker-end:url(#tip)}"
    )
    tip = (
        '<marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" '
        'orient="auto"><path d="M0 0L8 4L0 8z" fill="#6b7280"/></marker>'
    )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {top}" width="{width}">'
    return "\n".join([head, f"<style>{style}</style>", f"<defs>{tip}</defs>", *parts, "</svg>\n"])


def _graph(
    graph: onnx.GraphProto,
) -> tuple[dict[str, tuple[str, str, int]], list[tuple[str, str]]]:
    """Return each box with its label, kind and column, and the edges; weights are left out."""
    weights = {tensor.name for tensor in graph.initializer}
    inputs = [value.name for value in graph.input if value.name not in weights]
    boxes = {name: (name, "input", 0) for name in inputs}
    maker = {name: name for name in inputs}
    edges = []
    for number, node in enumerate(graph.node):
        name = f"node {number}"
        sources = [maker[each] for each in node.input if each in maker]
        depth = max((boxes[source][2] + 1 for source in sources), default=0)
        label, kind = node.op_type, ""
        if node.domain:
            label, kind = f"{node.domain}::{label}", "own"
        if label == "Constant":
            values = numpy_helper.to_array(node.attribute[0].t).ravel().tolist()
            label, kind = ", ".join(f"{value:g}" for value in values[:6]), "Constant"
        boxes[name] = (label, kind, depth)
        edges += [(source, name) for source in sources]
        maker |= dict.fromkeys(node.output, name)
    for value in graph.output:
        source = maker[value.name]
        boxes["output"] = ("output", "output", boxes[source][2] + 1)
        edges.append((source, "output"))
    return boxes, edges


def _line(start: tuple[float, float], end: tuple[float, float]) -> str:
    (x1, y1), (x2, y2) = start, end
    middle = HEIGHT / 2
    bend = f"M{x1 + WIDTH} {y1 + middle:g}H{x2 - GAP}L{x2} {y2 + middle:g}"  # below other boxes
    return f'<path d="{bend}" class="edge"/>'


def _box(x: float, y: float, label: str, kind: str) -> str:
    return (
        f'<rect x="{x}" y="{y:g}" width="{WIDTH}" height="{HEIGHT}" rx="5" fill="{FILLS[kind]}" '
        f'stroke="#9ca3af"/><text x="{x + WIDTH / 2}" y="{y + 19:g}">{escape(label)}</text>'
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(drawn([Path(name) for name in sys.argv[2:]]), encoding="utf-8")
