"""Specs on disk: the user's specs, and the package made of them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from onnxop_runtime.specs.reading import specs_in

from ..check.load import load, load_package
from ..kernel.kinds import Source
from ..package import render


def own_specs(folder: Path | None) -> dict[str, Path]:
    """Return the spec files in a folder, by operator."""
    if folder is None or not folder.is_dir():
        return {}
    return {load(file).schema.title: file for file in specs_in(folder)}


def package_of(files: Iterable[Path]) -> str:
    """Return the package name from the first spec that has one, or ``""``."""
    packages = (load(file).package for file in files)
    return next((package.name for package in packages if "name" in package.given_keys), "")


def make(specs: Sequence[Path], destination: Path, name: str) -> render.Written:
    """Write the package of the specs in these files, or in one folder, with the kernels beside
    them.

    Raises:
        OnnxopError: the specs are invalid or conflict, or the package cannot be written.
    """
    package_spec = load_package(specs, name, is_new=True)
    return render.render(package_spec, destination, force=True, takes_kernels=True)


def write_kernel_skeletons(folder: Path, name: str) -> Iterator[Path]:
    """Write a kernel skeleton beside each spec in a folder that lacks its kernel, as in the package
    of that name; yield the files.
    """
    for file in specs_in(folder):
        spec = load(file)
        if not isinstance(spec.kernel, Source) or spec.kernel.text is not None:
            continue
        with tempfile.TemporaryDirectory(prefix="onnxop-kernel-") as scratch:
            package = spec.package.name if "name" in spec.package.given_keys else name
            make([file], Path(scratch, "package"), package)
            header = folder / spec.kernel.file
            shutil.copy(Path(scratch, "package", "ops", spec.kernel.file), header)
        yield header
