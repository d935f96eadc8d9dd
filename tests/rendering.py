"""A package as `onnxop new` makes it, without git, for tests of the templates alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from onnxop.check.load import load_package
from onnxop.package import present
from onnxop.package.render import answers_of
from onnxop.schema.facts import Facts, asking
from onnxop.spec.model import PackageSpec

ROOT = Path(__file__).resolve().parent.parent


def generate(specs: Path, folder: Path) -> None:
    """Write the package of a spec, or of a folder of specs."""
    with asking(Facts()) as facts:
        write(load_package([specs], is_new=True), facts.answers, folder)


def write(spec: PackageSpec, facts: Mapping[str, Any], folder: Path) -> None:
    """Write the package without the template's bundle into a new folder."""
    present.render("none", answers_of(spec, facts), folder)
    for name, text in spec.given_files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="")
