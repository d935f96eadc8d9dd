"""Regenerate the committed files: the reference packages and the JSON Schema."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import yaml

from onnxop.check.load import load_package
from onnxop.package.render import copy, render
from onnxop.package.template import ANSWERS, BUNDLE
from onnxop.schema.facts import Facts, asking
from onnxop_runtime.specs.document import json_schema

ROOT = Path(__file__).resolve().parent.parent
REFERENCE_OPS = ROOT / "reference_ops"
SCHEMA = ROOT / "generator" / "onnxop" / "op.schema.json"


def reference_packages() -> list[Path]:
    """Return the reference packages: every folder with specs."""
    return sorted({spec.parents[1] for spec in REFERENCE_OPS.glob("*/ops/*.toml")})


def schema_text() -> str:
    return json.dumps(json_schema(), indent=2) + "\n"


def generate(specs: Path, destination: Path) -> None:
    """Write the package of a spec, or of a folder of specs."""
    with asking(Facts()) as facts:
        render(load_package([specs], is_new=True), facts.answers, destination)


def files(package: Path) -> dict[str, bytes]:
    """Return the package's files that git has or would have; a build leaves others."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "."]
    listed = subprocess.run(command, cwd=package, capture_output=True, check=True)
    names = [name for name in listed.stdout.decode().split("\0") if name]
    return {name: (package / name).read_bytes() for name in names if (package / name).exists()}


def contents(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files without the version that made them: another may make the same."""
    kept = {name: text for name, text in files.items() if name != str(BUNDLE)}
    answers = re.sub(rb"^_commit: .*\n", b"", kept[ANSWERS], flags=re.MULTILINE)
    return {**kept, ANSWERS: answers}


def is_of_its_version(package: Path) -> bool:
    """Return whether the version that the package names and carries makes all of it."""
    answers = yaml.safe_load((package / ANSWERS).read_text(encoding="utf-8"))
    headers = {str(file.relative_to(package)) for file in package.glob("ops/*.h")}
    beside = {str(BUNDLE), *headers}
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, package.name)
        kept = {name: answers[name] for name in ("specs", "name", "facts")}
        copy(package / BUNDLE, answers["_commit"], kept, made)
        current = {name: text for name, text in files(package).items() if name not in beside}
        return current == _all(made)


def _all(folder: Path) -> dict[str, bytes]:
    return {str(f.relative_to(folder)): f.read_bytes() for f in folder.rglob("*") if f.is_file()}


def regenerate(package: Path, *, always: bool = False) -> None:
    """Replace the package by what its spec makes now, if that differs or ``always``; delete other
    files.
    """
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder, package.name)
        generate(package / "ops", fresh)
        before = files(package)
        is_same = ANSWERS in before and contents(_all(fresh)) == contents(before)
        if is_same and not always and is_of_its_version(package):
            return
        shutil.rmtree(package)
        shutil.copytree(fresh, package)


def main() -> None:
    for package in reference_packages():
        regenerate(package)
        print(package.relative_to(ROOT))
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    print(SCHEMA.relative_to(ROOT))


if __name__ == "__main__":
    main()
