"""Specs on disk: those that the user has, and the package of them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..check.load import load, load_package
from ..kernel.kinds import Source
from ..package import render
from ..schema.facts import Facts, asking
from ..spec.package import specs_in


def own_specs(folder: Path | None) -> dict[str, Path]:
    """The specs that are in a folder already, by operator."""
    if folder is None or not folder.is_dir():
        return {}
    return {load(file).schema.title: file for file in specs_in(folder)}


def package_of(files: Iterable[Path]) -> str:
    """The package's name, where a spec gives it; else empty."""
    packages = (load(file).package for file in files)
    return next((package.name for package in packages if "name" in package.given), "")


def make(specs: Sequence[Path], destination: Path, name: str) -> render.Written:
    """The package of the specs in these files, or in one folder, with the kernels beside them.

    Raises:
        OnnxopError: they are wrong, or do not go together, or it cannot be written.
    """
    with asking(Facts()) as facts:
        spec = load_package(specs, name, is_new=True)
    return render.render(spec, facts.answers, destination, force=True, takes_kernels=True)


def write_kernels(folder: Path, name: str) -> Iterator[Path]:
    """Writes the first versions of the kernels that specs in a folder have none for yet, beside them, as
    in the package of that name; gives the files.
    """
    for file in specs_in(folder):
        spec = load(file)
        if not isinstance(spec.kernel, Source) or spec.kernel.text is not None:
            continue
        with tempfile.TemporaryDirectory(prefix="onnxop-kernel-") as scratch:
            own = spec.package.name if "name" in spec.package.given else name
            make([file], Path(scratch, "package"), own)
            header = folder / spec.kernel.file
            shutil.copy(Path(scratch, "package", "ops", spec.kernel.file), header)
        yield header
