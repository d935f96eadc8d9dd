"""Spec files → specs, with all checks: the reader's first, then those that need onnx and PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath

from ..spec import load as reading
from ..spec import package
from ..spec.model import PackageSpec, Spec
from ..spec.package import Readings
from ..spec.tables import NOTHING, Recorded


def load(path: FilePath, *, is_run: bool = False) -> Spec:
    """Return the spec in a file. Raise `SpecError` for its problems. ``is_run``: compare values, too."""
    return check_one(package.read([path]), is_run=is_run)


def check_one(readings: Readings, *, is_run: bool = False) -> Spec:
    """Return the only spec that was read. Raise `SpecError` for its problems."""
    from .mapping import MappingExaminer  # imports onnx

    [(path, read)] = readings
    return reading.load(read, path, examiner=MappingExaminer(is_run=is_run))


def parse(text: str, path: FilePath = FilePath("op.toml")) -> Spec:
    """Return the spec in a text. Raise `SpecError` with everything that is wrong with it."""
    from .mapping import MappingExaminer

    return reading.parse(text, path, examiner=MappingExaminer())


def load_package(
    paths: Sequence[FilePath],
    name: str = "",
    *,
    is_new: bool,
    is_update: bool = False,
    recorded: Recorded = NOTHING,
) -> PackageSpec:
    """Return the package of the specs in these files. Raise `SpecError` for their problems."""
    readings = package.read(paths)
    return check_package(readings, name, is_new=is_new, is_update=is_update, recorded=recorded)


def check_package(
    readings: Readings,
    name: str = "",
    *,
    is_new: bool,
    is_update: bool = False,
    is_run: bool = False,
    recorded: Recorded = NOTHING,
) -> PackageSpec:
    """Return the package of the specs that were read, as `spec.package.load_package` does."""
    from .mapping import MappingExaminer

    examiner = MappingExaminer(is_run=is_run)
    return package.load_package(
        readings,
        name,
        is_new=is_new,
        is_update=is_update,
        examiner=examiner,
        recorded=recorded,
    )


def parse_package(texts: Mapping[str, str], name: str = "") -> PackageSpec:
    """Return the package of the specs in these texts, as `spec.package.parse_package` does."""
    from .mapping import MappingExaminer

    return package.parse_package(texts, name, examiner=MappingExaminer())


def notes(spec: Spec) -> list[str]:
    """Return messages on the opset versions at which no ONNX Runtime has the mapping's kernels."""
    from . import runtimes
    from .mapping import mapped, opsets_of

    if not spec.mapping.is_given:
        return []
    return runtimes.without_kernel(mapped(spec).to_onnx, opsets_of(spec))
