"""The records of exports: one file each, in a folder that all processes of ``onnxop run`` share."""

from __future__ import annotations

import json
import pickle
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any


@dataclass
class ExportRecord:
    """An export: the file that it wrote, and the rules that it used."""

    file: str
    """The absolute path; empty for a stream or a program that was not saved."""
    target: str
    """The file as text: a path, a stream or a program."""
    exporter: str
    rules: list[tuple[str, str, int]]
    """Each operator, the origin of its rule, and the number of its calls."""
    replaced: dict[str, int]
    """The number of calls that went to a replacement, by the name of the original."""
    verdict: str = ""
    """The result of the comparison with PyTorch; empty without one."""
    state: tuple[int, int] = (0, 0)
    """The size and the time of the file at the end of its export."""
    time: float = 0.0
    comparisons: str = ""
    """The file of the inputs, and of PyTorch's results for them."""


def state_of(file: str) -> tuple[int, int]:
    """Return the size and the time of a file; zeros if there is none."""
    try:
        status = Path(file).stat()
    except OSError:
        return 0, 0
    return status.st_size, status.st_mtime_ns


def write_record(folder: str, record: ExportRecord, comparisons: object = None) -> None:
    """Write a record, and what was compared."""
    record.time = time.time()
    record.state = state_of(record.file) if record.file else (0, 0)
    if comparisons is not None:
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".pickle", delete=False) as stream:
            pickle.dump(comparisons, stream)
        record.comparisons = stream.name
    with tempfile.NamedTemporaryFile("w", dir=folder, suffix=".part", delete=False) as text:
        json.dump(asdict(record), text)
    Path(text.name).rename(f"{text.name}.record")  # complete when it has this name


def read(folder: str) -> list[ExportRecord]:
    """Return the records in the order of the exports' ends."""
    files = Path(folder).glob("*.record")
    items = [json.loads(file.read_text(encoding="utf-8")) for file in files]
    records = [ExportRecord(**item) for item in items]
    for record in records:
        record.rules = [(name, origin, count) for name, origin, count in record.rules]
        record.state = (record.state[0], record.state[1])
    return sorted(records, key=lambda record: record.time)


def comparisons_of(record: ExportRecord) -> Any:
    """Return what was compared at the end of an export; None without a comparison."""
    if not record.comparisons:
        return None
    with open(record.comparisons, "rb") as stream:
        return pickle.load(stream)
