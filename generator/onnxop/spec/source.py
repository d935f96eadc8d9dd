"""A spec's file, or standard input, as the runtime reads it."""

from __future__ import annotations

import sys
from pathlib import Path as FilePath

from onnxop_runtime.specs import reading
from onnxop_runtime.specs.reading import Reading

STDIN = FilePath("-")
"""The path that stands for standard input."""


def read(path: FilePath) -> Reading:
    """Return the spec in a file, or in standard input."""
    return _standard_input(path) if path == STDIN else reading.read_file(path)


def _standard_input(path: FilePath) -> Reading:
    if sys.stdin is None:
        return reading.unreadable(str(path), "there is no standard input")
    try:
        return reading.read_bytes(sys.stdin.buffer.read(reading.MAX_BYTES + 1), str(path))
    except OSError as error:
        return reading.unreadable(str(path), error.strerror or str(error))
