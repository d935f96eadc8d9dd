"""Answers → text for people."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from . import onnxops
from .build import Built
from .inspection import Answer, Tried
from .report import Export, Finding, Report
from .torchops import TorchOp
from .trial import Outcome

_WIDTH = 100
WORDS = {
    "right": "right",
    "order": "right but for the order of equal values",
    "random": "right but for what is random",
    "frozen": "right for these values alone",
    "export": "refused",
    "checker": "writes a model that the checker refuses",
    "runtime": "writes a model that ONNX Runtime refuses",
    "values": "writes a model whose values differ",
    "crash": "crashes",
}


def answer(found: Answer) -> str:
    """What `inspect` found, as a page."""
    parts = []
    if found.torch is not None:
        parts.append("\n".join(_torch(found.torch)))
        parts.append("\n".join(_exporters(found.torch, found.tried, found.untried)))
        none = "  none of like name" if not found.onnx else ""
        parts.append("\n".join(filter(None, ["ONNX", *(_onnx(op) for op in found.onnx), none])))
        parts.append(f"Gallery\n{_gallery(found)}")
    elif found.onnx:
        parts += [_onnx(op) for op in found.onnx]
    for where, names in found.found.items():
        parts.append(f"{where}\n{_wrapped(names)}")
    return "\n\n".join(parts)


def _torch(op: TorchOp) -> Iterator[str]:
    yield op.name + (f", registered by {', '.join(op.requires)}" if op.requires else "")
    for overload in op.overloads:
        yield _indented(overload.schema, "  ", "      ")


def _exporters(op: TorchOp, tried: Tried | None, untried: str) -> Iterator[str]:
    yield "TorchScript exporter"
    spans = [
        f"{opsets(range(s.first, s.last + 1))} {s.function}{' (which refuses)' * s.refuses}"
        for s in op.torchscript
    ]
    yield f"  registry: {', '.join(spans) or 'no function'}"
    if tried is not None:
        yield from _tried(tried.outcomes["TorchScript"])
    yield ""
    yield "dynamo exporter"
    words = [f"{overload.name or 'default'}: {_dynamo(overload)}" for overload in op.overloads]
    words = words if len(words) > 1 else [_dynamo(op.overloads[0])]
    yield _indented(f"registry: {', '.join(words)}", "  ", "      ")
    if tried is not None:
        yield from _tried(tried.outcomes["dynamo"])
        named = f" of overload {tried.overload}" * bool(tried.overload)
        lines = tried.sample.splitlines()[1:]
        yield ""
        yield f"What was tried{named}:" if lines else f"What was tried{named}: no arguments"
        yield from (f"  {line}" for line in lines)
    else:
        yield f"  not tried: {untried}"


def _dynamo(overload: object) -> str:
    word = getattr(overload, "dynamo", "")
    if not word and getattr(overload, "decomposes", False):
        return "composed of other operators"
    return {"rule": "a rule", "decomposition": "a decomposition"}.get(word, "nothing")


def _tried(outcomes: Mapping[int, Outcome]) -> Iterator[str]:
    for (kind, why), span in spans(outcomes):
        yield _indented(f"opset {opsets(span)}: {told(Outcome(kind, why))}", "  ", "      ")


def told(outcome: Outcome) -> str:
    """The outcome in words."""
    words = WORDS[outcome.kind]
    if lacking := _NO_RULE.search(outcome.why):
        return f"{words}: no rule for {'::'.join(filter(None, lacking.groups()))}"
    why = outcome.why.partition(" Signature: ")[0]
    return f"{words}: {why}" if why else words


_NO_RULE = re.compile(
    r"DispatchError: No ONNX function found for <OpOverload\(op='(\w+)\.(\w+)'"
    r"|UnsupportedOperatorError: Exporting the operator '(\w+::\w+)'.* is not supported"
)
"""What either exporter says where it has no rule for an operator."""


def spans(outcomes: Mapping[int, Outcome]) -> Iterator[tuple[tuple[str, str], list[int]]]:
    """Neighbouring opsets with the same outcome, but for the opset's number in what is said."""

    def plain(item: tuple[int, Outcome]) -> tuple[str, str]:
        opset, found = item
        return found.kind, found.why.replace(f" {opset} ", " N ").replace(f" opset {opset}", " N")

    for _, group in groupby(sorted(outcomes.items()), key=plain):
        items = list(group)
        yield (items[0][1].kind, items[0][1].why), [opset for opset, _ in items]


def opsets(span: Iterable[int]) -> str:
    """``9-13, 18``: neighbours together."""
    found: list[list[int]] = []
    for opset in sorted(span):
        if found and opset == found[-1][-1] + 1:
            found[-1].append(opset)
        else:
            found.append([opset])
    return ", ".join(str(g[0]) if len(g) == 1 else f"{g[0]}-{g[-1]}" for g in found)


def _onnx(op: onnxops.OnnxOp) -> str:
    since, *changed = op.versions
    head = f"  {op.name}, since opset {since}"
    head += f", changed at {', '.join(map(str, changed))}" if changed else ""
    head += "; ONNX has given it up" if op.is_deprecated else ""
    attributes = [f"{a.name}{'' if a.required else '?'} {a.type}" for a in op.attributes]
    lines = [
        head,
        _indented(f"{', '.join(op.inputs) or 'nothing'} -> {', '.join(op.outputs)}", "    "),
        _indented(f"attributes: {', '.join(attributes) or 'none'}", "    "),
        *_kernels(op),
    ]
    return "\n".join(lines)


def _kernels(op: onnxops.OnnxOp) -> Iterator[str]:
    if op.kernels is None:
        yield "    ONNX Runtime: not installed, or it does not list its kernels"
        return
    body = ", but runs its function body of other ops" * op.is_function
    for types, group in groupby(op.kernels, key=lambda kernel: kernel.types):
        which = opsets(kernel.version for kernel in group)
        words = [f"{variable} {', '.join(kinds)}" for variable, kinds in types.items() if kinds]
        has = f"a kernel for {'; '.join(words)}" if words else "a kernel"
        text = f"ONNX Runtime, version {which}: {has if types else f'no kernel{body}'}"
        yield _indented(text, "    ", "      ")


def _gallery(found: Answer) -> str:
    if found.no_spec:
        return _indented(found.no_spec.partition(": ")[2], "  ", "      ")
    if found.gallery is None:
        return f"  no spec; onnxop new --from {found.name} writes a starter"
    covers = [
        f"{exporter} {opsets(span)}" for exporter, span in found.gallery.opsets.items() if span
    ]
    return (
        f"  has a spec, for {' and '.join(covers)}: onnxop new --from "
        f"{found.name.partition('.')[0]} writes it"
    )


def report(found: Report) -> str:
    """What `scan` found, as a page: the calls that are not right, then a table of the exports."""
    by_dtype: dict[str, list[Finding]] = {}
    for finding in found.findings:
        is_only = bool(finding.ways) and finding.ways[0].kind == "float32"
        by_dtype.setdefault(
            finding.recorded.dtype if is_only and finding.recorded else "", []
        ).append(finding)
    parts = [_finding(finding) for finding in by_dtype.pop("", [])]
    parts += [_of_dtype(dtype, findings) for dtype, findings in by_dtype.items()]
    parts += [_indented(note, "") for note in found.notes]
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
        yield _indented(note, "")
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
                "call": finding.call,
                "count": finding.count,
                "places": [asdict(place) for place in finding.places],
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
    lines = [_indented(head, "")]
    by_op: dict[str, list[str]] = {}
    for finding in findings:
        exports = " and ".join(map(str, finding.outcomes))
        by_op.setdefault(f"{finding.op}, {exports}", []).extend(_places(finding))
    for op, found in by_op.items():
        lines.append(_indented(op, "  ", "      "))
        lines += [f"  {line}" for line in dict.fromkeys(found)]
    way = f"way out: {findings[0].ways[0].text.replace('it is', 'they are')}"
    smaller = (
        "; onnxruntime.transformers.float16.convert_float_to_float16 makes float16 of the file"
    )
    lines.append(_indented(way + smaller * (dtype != "float64"), "  ", "      "))
    return "\n".join(lines)


def _places(finding: Finding) -> Iterator[str]:
    for place in finding.places[:_MOST_PLACES]:
        through = f"  (through {place.through})" * bool(place.through)
        yield f"  {place}: {place.code}{through}"
    if (more := len(finding.places) - _MOST_PLACES) > 0:
        yield f"  and {more} places more"


def _finding(finding: Finding) -> str:
    times = f", {finding.count} times" * (finding.count > 1)
    lines = [_indented(f"{finding.op}({finding.call}){times}", "", "    "), *_places(finding)]
    by_exporter: dict[str, dict[int, Outcome]] = {}
    for export, outcome in finding.outcomes.items():
        by_exporter.setdefault(export.exporter, {})[export.opset] = outcome
    alike: dict[str, list[str]] = {}  # exporters of which the same is to be told
    for exporter, outcomes in by_exporter.items():
        for (kind, why), span in spans(outcomes):
            text = f"opset {opsets(span)}: {told(Outcome(kind, why))}"
            alike.setdefault(text, []).append(exporter)
    lines += [
        _indented(f"{' and '.join(who)}, {text}", "  ", "      ") for text, who in alike.items()
    ]
    for number, way in enumerate(finding.ways):
        word = "way out" if number == 0 else "or"
        is_part = 0 < len(way.fixes) < len(finding.outcomes)
        fixes = f" (for {' and '.join(way.fixes)} alone)" * is_part
        lines.append(_indented(f"{word}: {way.text}{fixes}", "  ", "      "))
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
        lines.append(_indented(row[4], head, " " * len(head)))
    return "\n".join(lines)


def _wrapped(words: Sequence[str]) -> str:
    return _indented(", ".join(words), "  ")


def _indented(text: str, first: str, then: str | None = None) -> str:
    wrapped = textwrap.wrap(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=then if then is not None else first,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(wrapped) or first
