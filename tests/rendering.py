"""A package as `onnxop new` makes it, without git, for tests of the templates alone."""

from __future__ import annotations

from pathlib import Path

from onnxop.check.load import load_package
from onnxop.code.spec_data import data_of
from onnxop.package import recorded, template
from onnxop.spec.model import PackageSpec

ROOT = Path(__file__).resolve().parent.parent


def generate(specs: Path, folder: Path) -> None:
    """Write the package of a spec, or of a folder of specs."""
    write(load_package([specs], is_new=True), folder)


def write(package_spec: PackageSpec, folder: Path) -> None:
    """Write the package without the template's bundle into a new folder."""
    with template.versions() as known:
        made = recorded.make(known, known.add_present(), data_of(package_spec))
    specs = {f"ops/{file}": text for file, text in package_spec.texts.items()}
    supplied = {name: text.encode() for name, text in {**specs, **package_spec.given_files}.items()}
    for name, content in {**{n: f.data for n, f in made.items()}, **supplied}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
