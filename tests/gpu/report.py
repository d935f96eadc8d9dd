"""The results of ``poe gpu`` -> the tables of the page about CUDA."""

from __future__ import annotations

from typing import Any

from tests import documents

PAGE = documents.ROOT / "docs" / "howto" / "cuda.md"
BEGIN, END = "<!-- measured by poe gpu -->", "<!-- end -->"
HEADINGS = {
    "share_of_copy": "share of a copy",
    "eager": "PyTorch",
    "inductor": "Inductor",
    "not_fused": "not fused",
    "torchvision": "torchvision",
    "grid_sample": "by `grid_sample`",
}
"""The columns of ratios, by their keys in the results; a key that is not here is its own heading.
"""


def write(measured: dict[str, Any]) -> None:
    """Write the tables into the page."""
    documents.write_between(PAGE, BEGIN, END, "\n".join(tables_of(measured)))


def tables_of(measured: dict[str, Any]) -> list[str]:
    """Return the lines of the tables: the checks, the speeds, and the host's time."""
    machine = measured["machine"]
    return [
        f"On one {machine['gpu']}, torch {machine['torch']}:",
        "",
        *_checks(measured["checks"]),
        "",
        *_speeds(measured["speed"]),
        "",
        _host_time(measured["host_microseconds"]),
    ]


def _checks(results: dict[str, str]) -> list[str]:
    lines = ["| check | result |", "| --- | --- |"]
    for name, result in results.items():
        status, _, note = result.partition(" ")
        if name == "speed":
            continue
        meaning = "not run" if status == "SKIPPED" else status.lower()
        lines.append(f"| {name} | {meaning}{': ' if note else ''}{note} |")
    return lines


def _speeds(rows: list[dict[str, str | float]]) -> list[str]:
    keys = [*dict.fromkeys(key for row in rows for key in row if key != "work")]
    known = [key for key in HEADINGS if key in keys]
    columns = known + [key for key in keys if key not in HEADINGS]
    titles = [HEADINGS.get(column, column) for column in columns]
    lines = [f"| work | {' | '.join(titles)} |", "| --- |" + " --- |" * len(columns)]
    for row in rows:
        work = str(row["work"]).replace("torch.", "")
        cells = [_ratio(row.get(column)) for column in columns]
        lines.append(f"| {work} | {' | '.join(cells)} |")
    return lines


def _ratio(value: str | float | None) -> str:
    return "" if value is None else f"{float(value):.2f}"


def _host_time(microseconds: dict[str, float]) -> str:
    calls = [f"`{name}` {time:.1f} µs" for name, time in microseconds.items()]
    return "Host time of a call with 1,000 elements: " + ", ".join(calls) + "."
