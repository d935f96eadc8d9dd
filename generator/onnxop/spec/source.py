"""The specs' files, or standard input → what the runtime reads in them, without torch and onnx."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path as FilePath

from onnxop_runtime.specs import reading
from onnxop_runtime.specs.reading import NO_SPEC, Reading, specs_of

from ..errors import InvalidSpecError

STDIN = FilePath("-")
"""The path that stands for standard input."""

Readings = Sequence[tuple[FilePath, Reading]]
"""The specs that were read, with their paths."""


def read_specs(paths: Sequence[FilePath]) -> Readings:
    """Return the specs in these files, or in folders. Raise `InvalidSpecError` for the faults of
    TOML, keys and types of all of them.
    """
    readings = [(path, read(path)) for path in spec_files(paths)]
    raise_faults(readings)
    return readings


def raise_faults(readings: Readings) -> None:
    """Raise `InvalidSpecError` if a spec that was read has faults of TOML, keys or types."""
    if lines := [str(problem) for _, reading in readings for problem in reading.placed()]:
        raise InvalidSpecError(lines)


def spec_files(paths: Sequence[FilePath]) -> list[FilePath]:
    """Return the specs' files. Raise `InvalidSpecError` for a folder without any, or a repeated
    file.
    """
    by_path: dict[FilePath, FilePath] = {}
    for path in paths:
        files = specs_of(path) if path.is_dir() else [path]  # a folder of specs, or of a package
        if not files:
            raise InvalidSpecError([f"{path}: {NO_SPEC}"])
        for file in files:
            if file.absolute() in by_path:
                raise InvalidSpecError([f"{file}: is given twice; give it once"])
            by_path[file.absolute()] = file
    return [*by_path.values()]


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
