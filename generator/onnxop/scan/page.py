"""What a scan found → text for people, and data for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..trial.outcome import Outcome, indented, told, told_by_opset
from .build import Built
from .report import Export, Finding, Report


def report(found: Report) -> str:
    """What `scan` found, as a page: the calls that are not right, then a table of the exports."""
    by_dtype: dict[str, list[Finding]] = {}
    for finding in found.findings:
        is_only = bool(finding.ways) and finding.ways[0].kind == "float32"
        by_dtype.setdefault(finding.call.dtype * is_only, []).append(finding)
    parts = [_finding(finding) for finding in by_dtype.pop("", [])]
    parts += [_of_dtype(dtype, findings) for dtype, findings in by_dtype.items()]
    parts += [indented(note, "") for note in found.notes]
    parts.append(_table(found))
    return "\n\n".join(parts)


def closing(
    found: Report,
    written: Mapping[str, str],
    done: Built | None,
    folder: Path | None,
    *,
    is_built: bool,
) -> Iterator[str]:
    """What was written and built, where it was to be, and what to do next."""
    if written:
        yield ""
    for file, what in written.items():
        yield f"Wrote {file}: {what}"
    if done is None:
        kinds = {way.kind for finding in found.findings for way in finding.ways}
        if kinds & _SPECS and folder is None:
            yield ""
            yield f"Next: onnxop scan with --write DIR writes the specs{_NEXT[_SPECS & kinds <= {'unfinished'}]}"
        if is_built:
            yield ""
            why = "the model is right without a package" if found.is_right else "no spec helps"
            yield f"Built nothing: {why}"
        return
    yield ""
    for file in done.added:
        yield f"Added {file}, the gallery's, which the exporter asked for"
    for file, header in done.left_out.items():
        yield f"Left out {file}: its kernel, {header}, is still to be written"
    for file in done.kept:
        yield f"Kept what was there before as {file}"
    yield f"Built and installed {done.folder}; with it:"
    yield _table(Report(found.model, done.whole), with_calls=False)
    for note in done.notes:
        yield indented(note, "")
    if right := [export for export, outcome in done.whole.items() if outcome.is_right]:
        export = right[0]
        dynamo = "" if export.exporter == "dynamo" else ", dynamo=False"
        yield ""
        yield f"Next: import {done.name}, and export by"
        yield f'  {done.name}.export(model, args, "model.onnx", opset_version={export.opset}{dynamo})'


_SPECS = {"gallery", "starter", "unfinished"}  # the ways out that are one
_NEXT = {
    False: ", and --build makes a package",
    True: ", and first versions of kernels: write these, and --build makes a package",
}  # whether all of them are unfinished


def data(found: Report, written: Mapping[str, str], done: Built | None) -> dict[str, Any]:
    """The same for programs."""

    def outcomes(of: Mapping[Export, Outcome]) -> list[dict[str, Any]]:
        return [{**asdict(export), **asdict(outcome)} for export, outcome in of.items()]

    return {
        "model": found.model,
        "right": done.is_right if done else found.is_right,
        "whole": outcomes(found.whole),
        "calls": [{**asdict(export), "tried": number} for export, number in found.tried.items()],
        "findings": [
            {
                "op": finding.op,
                "call": finding.call.inputs,
                "count": finding.call.count,
                "places": [asdict(place) for place in finding.call.places],
                "outcomes": outcomes(finding.outcomes),
                "ways": [asdict(way) for way in finding.ways],
            }
            for finding in found.findings
        ],
        "notes": found.notes,
        "written": dict(written),
        "package": None
        if done is None
        else {
            "name": done.name,
            "folder": done.folder,
            "whole": outcomes(done.whole),
            "added": done.added,
            "left_out": done.left_out,
            "notes": done.notes,
        },
    }


def _of_dtype(dtype: str, findings: Sequence[Finding]) -> str:
    """Calls that are right in float32, all together."""
    head = (
        f"Right in float32, and not in {dtype}, which ONNX or ONNX Runtime does not take for these:"
    )
    lines = [indented(head, "")]
    by_op: dict[str, list[str]] = {}
    for finding in findings:
        exports = " and ".join(map(str, finding.outcomes))
        by_op.setdefault(f"{finding.op}, {exports}", []).extend(_places(finding))
    for op, found in by_op.items():
        lines.append(indented(op, "  ", "      "))
        lines += [f"  {line}" for line in dict.fromkeys(found)]
    way = f"way out: {findings[0].ways[0].text.replace('it is', 'they are')}"
    smaller = (
        "; onnxruntime.transformers.float16.convert_float_to_float16 makes float16 of the file"
    )
    lines.append(indented(way + smaller * (dtype != "float64"), "  ", "      "))
    return "\n".join(lines)


def _places(finding: Finding) -> Iterator[str]:
    for place in finding.call.places[:_MOST_PLACES]:
        through = f"  (through {place.through})" * bool(place.through)
        yield f"  {place}: {place.code}{through}"
    if (more := len(finding.call.places) - _MOST_PLACES) > 0:
        yield f"  and {more} places more"


def _finding(finding: Finding) -> str:
    times = f", {finding.call.count} times" * (finding.call.count > 1)
    lines = [indented(f"{finding.op}({finding.call.inputs}){times}", "", "    "), *_places(finding)]
    by_exporter: dict[str, dict[int, Outcome]] = {}
    for export, outcome in finding.outcomes.items():
        by_exporter.setdefault(export.exporter, {})[export.opset] = outcome
    alike: dict[str, list[str]] = {}  # exporters of which the same is to be told
    for exporter, outcomes in by_exporter.items():
        for text in told_by_opset(outcomes):
            alike.setdefault(text, []).append(exporter)
    lines += [
        indented(f"{' and '.join(who)}, {text}", "  ", "      ") for text, who in alike.items()
    ]
    for number, way in enumerate(finding.ways):
        word = "way out" if number == 0 else "or"
        is_part = 0 < len(way.fixes) < len(finding.outcomes)
        fixes = f" (for {' and '.join(way.fixes)} alone)" * is_part
        lines.append(indented(f"{word}: {way.text}{fixes}", "  ", "      "))
    return "\n".join(lines)


_MOST_PLACES = 4


def _table(found: Report, *, with_calls: bool = True) -> str:
    """One line an export: the calls that were tried, those not right, and the whole model."""
    rows = [("exporter", "opset", "calls", "not right", "the whole model")]
    for export, outcome in found.whole.items():
        wrong = sum(export in finding.outcomes for finding in found.findings)
        tried = str(found.tried.get(export, 0))
        rows.append((export.exporter, str(export.opset), tried, str(wrong), told(outcome)))
    if not with_calls:
        rows = [(first, opset, "", "", last) for first, opset, _, _, last in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = []
    for row in rows:
        first, *numbers = row[:4]
        cells = [first.ljust(widths[0])]
        pairs = zip(numbers, widths[1:], strict=True)
        cells += [word.rjust(width) for word, width in pairs if width]
        head = "  ".join(cells) + "  "
        lines.append(indented(row[4], head, " " * len(head)))
    return "\n".join(lines)
