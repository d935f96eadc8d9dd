"""Specs on disk: the user's specs, and the package made of them."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from importlib.metadata import packages_distributions, requires
from importlib.util import find_spec
from pathlib import Path

from onnxop_runtime.messages import join_words
from onnxop_runtime.specs.reading import specs_in

from ...check.load import load, load_package
from ...errors import DestinationError
from ...kernel.kernel_kinds import Source
from ...package import render
from ...spec.kernel_table import beside


def own_specs(folder: Path | None) -> dict[str, Path]:
    """Return the spec files in a folder, by operator."""
    if folder is None or not folder.is_dir():
        return {}
    return {load(file).schema.title: file for file in specs_in(folder)}


def package_of(files: Iterable[Path]) -> str:
    """Return the package name from the first spec that has one, or ``""``."""
    packages = (load(file).package for file in files)
    return next((package.name for package in packages if "name" in package.given_keys), "")


def check_package_name(name: str, destination: Path) -> None:
    """Raise OnnxopError if a package of this name cannot be made: a module that onnxop has not made
    has its name, or a file is where its folder would be.
    """
    if destination.exists() and not destination.is_dir():
        raise DestinationError(f"{destination}: is a file; choose another --name")
    found = find_spec(name)
    if found is None or _is_made_by_onnxop(name):
        return
    at = found.origin or join_words(found.submodule_search_locations or ())
    is_of_former_scan = destination.resolve() in Path(at).resolve().parents
    if is_of_former_scan:
        return
    raise DestinationError(
        f"--name {name!r}: is that of a module that is there already, {at}; choose another --name"
    )


def _is_made_by_onnxop(name: str) -> bool:
    """Return whether a package of this name is installed that needs onnxop-runtime, as those do
    that onnxop makes.
    """
    for distribution in packages_distributions().get(name, ()):
        required = requires(distribution) or ()
        return any(text.startswith("onnxop-runtime") for text in required)
    return False


def make(specs: Sequence[Path], destination: Path, name: str) -> render.Written:
    """Write the package of the specs in these files, or in one folder, with the kernels beside
    them.

    Raises:
        OnnxopError: the specs are invalid or conflict, or the package cannot be written.
    """
    package_spec = load_package(specs, name, is_new=True)
    return render.render(package_spec, destination, force=True, takes_kernels=True)


def unwritten_kernel(file: Path) -> Path | None:
    """Return the path of a spec's kernel if that is a skeleton, or is not there; else None."""
    kernel = load(file).kernel
    if not isinstance(kernel, Source) or kernel.is_written:
        return None
    return beside(kernel.file, file.parent) or file


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
