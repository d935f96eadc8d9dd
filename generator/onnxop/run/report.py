"""The records of a run → a line for each exported file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from onnxop_runtime.messages import join_words
from onnxop_runtime.running.records import ExportRecord, state_of
from onnxop_runtime.running.rules import verdict_now


def lines(records: Sequence[ExportRecord], replaced: Iterable[str]) -> list[str]:
    """Return a line for each export, and for each function that no export replaced."""
    last = {record.file: record for record in records if record.file}
    report = [_line(record, is_last=last.get(record.file) is record) for record in records]
    if not records:
        report.append("nothing was exported by torch.onnx.export")
    called = {name for record in records for name in record.replaced}
    for name in replaced:
        if not any(other == name or other.startswith(f"{name}.") for other in called):
            report.append(f"--replace {name}: no export called it")
    return report


def _line(record: ExportRecord, *, is_last: bool) -> str:
    """Return the line of an export: the file, the rules, and whether its values are PyTorch's."""
    parts = [f"{_shown(record)} ({record.exporter}): {_rules(record)}", record.verdict]
    if record.file:
        parts.append(_since(record) if is_last else "exported again later")
    return "; ".join(part for part in parts if part)


def _shown(record: ExportRecord) -> str:
    """Return the file's path, relative to the current folder if it is in it."""
    if not record.file:
        return record.target
    relative = os.path.relpath(record.file)
    return record.file if relative.startswith("..") else relative


def _rules(record: ExportRecord) -> str:
    rules = [f"{name} ({origin}{_times(count)})" for name, origin, count in record.rules]
    replaced = [f"{name} ({count})" for name, count in record.replaced.items()]
    used = f"rules {join_words(rules)}" if rules else "no rules"
    return f"{used}; replaced {join_words(replaced)}" if replaced else used


def _times(count: int) -> str:
    return f", {count} calls" if count > 1 else ""


def _since(record: ExportRecord) -> str:
    """Return what has happened to the file since its export."""
    if state_of(record.file) == record.state:
        return ""
    if not Path(record.file).exists():
        return "the command removed or moved the file"
    now = verdict_now(record)
    if now and now != record.verdict:
        return f"the command then changed the file: {now}"
    return "the command then changed the file" + (", whose values are the same" if now else "")
