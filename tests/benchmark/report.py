"""Measurements -> lines, the table of a page, and its picture."""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from tests import documents

Result = dict[str, Any]

BEGIN, END = "<!-- measured by poe benchmark -->", "<!-- end -->"
COLOURS = {
    "PyTorch": "#ee5a36",
    "ONNX Runtime": "#3b82f6",
    "OpenVINO": "#7c5cd6",
    "command line": "#8b8b8b",
}
SHOWN = ("kernels", "commands")  # in the picture


def line(result: Result) -> str:
    times = f"{_time(result['ours']):>9} {_time(result['theirs']):>9}"
    label = f"{result['work']}, to {result['against']}"
    return f"{result['host']:<13} {label:<76} {times} {_ratio(result['ratio']):>6}"


def write(measured: dict[str, Any], folder: Path) -> None:
    """Write the picture, and the table of the folder's page."""
    (folder / "speed.svg").write_text(picture(measured["results"]), encoding="utf-8")
    table = "\n".join(tables(measured))
    documents.write_between(folder / "README.md", BEGIN, END, table)


def tables(measured: dict[str, Any]) -> list[str]:
    results, machine = measured["results"], measured["machine"]
    sentences = [
        f"{machine['threads']} threads of {machine['cpu']} ({machine['level']})",
        f"torch {machine['torch']}",
        f"onnxruntime {machine['onnxruntime']}",
        machine["libc"],
    ]
    lines = [
        ", ".join(sentences) + ".",
        "",
        "| host | work | against | times faster |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {r['host']} | {_code(r['work'])} | {_code(r['against'])} | {_ratio(r['ratio'])} |"
        for r in results
        if r["group"] in SHOWN
    ]
    functions = [r for r in results if r["group"] == "functions"]
    if functions:
        sentences = [f"{r['work'].partition(',')[0]} {_ratio(r['ratio'])}" for r in functions]
        lines += [
            "",
            "Functions, each for 4 million float32 against torch's own: "
            + ", ".join(sentences)
            + ".",
        ]
    sizes = [r for r in results if r["group"] == "sizes"]
    if sizes:
        lines += ["", *_sizes(sizes)]
    return lines


def _sizes(results: Iterable[Result]) -> list[str]:
    rows: dict[str, dict[str, str]] = {}
    for result in results:
        work, _, size = result["work"].rpartition(", ")
        label = f"`{work.partition(',')[0]}`{''.join(work.partition(',')[1:])}"
        rows.setdefault(label, {})[size] = _ratio(result["ratio"])
    columns = list(dict.fromkeys(size for row in rows.values() for size in row))
    return [
        f"| elements | {' | '.join(columns)} |",
        f"| --- |{' --- |' * len(columns)}",
        *(f"| {label} | {' | '.join(row.values())} |" for label, row in rows.items()),
    ]


def _code(text: str) -> str:
    """Mark the code in a text as such."""
    name, comma, rest = (
        text.partition(", ") if not text.startswith(("torch", "x ")) else (text, "", "")
    )
    is_code = (
        "(" in name
        or name.startswith("python -c")
        or "." in name
        or "*" in name
        or name.isidentifier()
    )
    return (f"`{name}`" if is_code and name != "torchvision" else name) + comma + rest


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def _ratio(ratio: float) -> str:
    """Return a ratio with two digits at least, so that none is 0.00."""
    if ratio >= 10:
        return f"{ratio:.0f}"
    return f"{ratio:.2f}" if 0.1 <= ratio < 1 else f"{ratio:.2g}"


def picture(results: list[Result]) -> str:
    """Draw bars of the ratios on a logarithmic axis, readable on light and dark pages."""
    shown = [result for result in results if result["group"] in SHOWN]
    top, row, left, width = 58, 22, 400, 420
    height = top + row * len(shown) + 14
    most = max(result["ratio"] for result in shown)
    least = min(0.5, *(result["ratio"] for result in shown))
    low, high = math.log10(least), math.log10(most * 1.3)

    def x(ratio: float) -> float:
        return left + width * (math.log10(ratio) - low) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 60} {height}"',
        'font-family="system-ui, sans-serif" font-size="12" role="img">',
        "<title>How many times faster than what there is</title>",
        "<style>",
        "text { fill: #1f2328 } line { stroke: #8c959f }",
        "@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } }",
        "</style>",
    ]
    for place, (host, colour) in enumerate(COLOURS.items()):
        at = left + 140 * place
        parts.append(f'<rect x="{at}" y="8" width="12" height="12" rx="2" fill="{colour}"/>')
        parts.append(f'<text x="{at + 18}" y="18">{host}</text>')
    for tick in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200):
        if least <= tick <= most * 1.3:
            dash = "" if tick == 1 else ' stroke-dasharray="2 4" stroke-opacity="0.6"'
            edge = f"{x(tick):.1f}"
            parts.append(f'<line x1="{edge}" y1="{top - 8}" x2="{edge}" y2="{height - 8}"{dash}/>')
            parts.append(f'<text x="{edge}" y="{top - 14}" text-anchor="middle">{tick:g}×</text>')
    for place, result in enumerate(shown):
        y = top + row * place
        start, end = sorted((x(1), x(result["ratio"])))
        box = f'width="{max(end - start, 1):.1f}" height="{row - 7}"'
        fill = COLOURS[result["host"]]
        label = escape(f"{result['work'].strip()}, to {result['against']}")
        parts += [
            f'<text x="{left - 8}" y="{y + 13}" text-anchor="end" font-size="11">{label}</text>',
            f'<rect x="{start:.1f}" y="{y + 2}" {box} rx="2" fill="{fill}"/>',
            f'<text x="{end + 5:.1f}" y="{y + 13}">{_ratio(result["ratio"])}</text>',
        ]
    return "\n".join([*parts, "</svg>", ""])
