"""Spec files → specs, with all checks: the reader's, and then the runtime's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path as FilePath

from ..spec import load as reading
from ..spec import package
from ..spec.model import PackageSpec, Spec
from . import runtimes
from .mapping import MappingExaminer, mapped, opsets_of


def load(path: FilePath, *, is_run: bool = False) -> Spec:
    """Return the spec in a file. Raise `SpecError` for its problems. ``is_run``: compare values, too."""
    return reading.load(path, examiner=MappingExaminer(is_run=is_run))


def parse(text: str, path: FilePath = FilePath("op.toml")) -> Spec:
    """Return the spec in a text. Raise `SpecError` with everything that is wrong with it."""
    return reading.parse(text, path, examiner=MappingExaminer())


def load_package(
    paths: Sequence[FilePath],
    name: str = "",
    *,
    is_new: bool,
    is_update: bool = False,
    is_run: bool = False,
) -> PackageSpec:
    """Return the package of the specs in these files, as `spec.package.load_package` does."""
    return package.load_package(
        paths, name, is_new=is_new, is_update=is_update, examiner=MappingExaminer(is_run=is_run)
    )


def parse_package(texts: Mapping[str, str], name: str = "") -> PackageSpec:
    """Return the package of the specs in these texts, as `spec.package.parse_package` does."""
    return package.parse_package(texts, name, examiner=MappingExaminer())


def notes(spec: Spec) -> list[str]:
    """Return messages on the opset versions at which no ONNX Runtime has the mapping's kernels."""
    if not spec.mapping.is_given:
        return []
    return runtimes.without_kernel(mapped(spec).to_onnx, opsets_of(spec))
