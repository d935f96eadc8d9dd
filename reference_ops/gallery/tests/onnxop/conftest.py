"""Prints what the roundtrip tests measured, once they are through."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Measure = Callable[[str, int, str, str], None]

_errors: dict[tuple[str, int], dict[str, str]] = {}


@pytest.fixture(scope="session")
def measure() -> Measure:
    """Takes note of a worst error, by exporter, opset and sample, for the table at the end."""

    def note(exporter: str, opset: int, sample: str, error: str) -> None:
        row = _errors.setdefault((exporter, opset), {})
        row[sample] = max(error, row.get(sample, error), key=_size)

    return note


def _size(error: str) -> float:
    try:
        return float(error)
    except ValueError:
        return -1.0


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if not _errors:
        return
    samples = list(dict.fromkeys(sample for row in _errors.values() for sample in row))
    write = terminalreporter.write_line
    terminalreporter.section("worst absolute error, PyTorch against ONNX Runtime")
    for number, sample in enumerate(samples, 1):
        write(f"sample {number}: {sample}")
    heads = [f"sample {number}" for number in range(1, len(samples) + 1)]
    write("  ".join(["exporter   ", "opset", *(f"{head:>9}" for head in heads)]))
    for (exporter, opset), row in sorted(_errors.items()):
        cells = [f"{row.get(sample, '-'):>9}" for sample in samples]
        write("  ".join([f"{exporter:<11}", f"{opset:>5}", *cells]))
