"""Regenerate the committed files: the reference packages and the JSON Schema."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import TypeAdapter

from onnxop.check.load import load_package
from onnxop.code.data import SCHEMA as CURRENT
from onnxop.code.data import Data
from onnxop.package import made
from onnxop.package.render import render
from onnxop.package.template import ANSWERS, BUNDLE
from onnxop_runtime.specs.document import json_schema

ROOT = Path(__file__).resolve().parents[2]
REFERENCE_OPS = ROOT / "reference_ops"
SCHEMA = ROOT / "generator" / "onnxop" / "op.schema.json"
DATA_SCHEMA = ROOT / "generator" / "onnxop" / "code" / "data.schema.json"


def reference_packages() -> list[Path]:
    """Return the reference packages: every folder with specs."""
    return sorted({spec.parents[1] for spec in REFERENCE_OPS.glob("*/ops/*.toml")})


def schema_text() -> str:
    return json.dumps(json_schema(), indent=2) + "\n"


def data_schema_text() -> str:
    """Return the JSON Schema of the data that packages record. Raise ValueError for a change of a
    key that a package of the same number may have recorded.
    """
    schema = TypeAdapter(Data).json_schema()
    schema["$id"] = f"onnxop-data-{CURRENT}"
    if DATA_SCHEMA.exists():
        former = json.loads(DATA_SCHEMA.read_text(encoding="utf-8"))
        if former["$id"] == schema["$id"] and (changed := _changed_keys(former, schema)):
            raise ValueError(f"{', '.join(changed)} changed; give code/data.py the next SCHEMA")
    return json.dumps(schema, indent=2) + "\n"


def _changed_keys(former: dict[str, Any], schema: dict[str, Any]) -> list[str]:
    """Return the keys that were changed, removed, or added without NotRequired."""
    changed: list[str] = []
    parts = {"Data": former, **former["$defs"]}
    for name, before in parts.items():
        after = schema if name == "Data" else schema["$defs"].get(name, {})
        required = {*after.get("required", [])} ^ {*before.get("required", [])}
        properties = after.get("properties", {})
        differing = {
            key for key, value in before["properties"].items() if properties.get(key) != value
        }
        changed += [f"{name}.{key}" for key in sorted(required | differing)]
    return changed


def generate(specs: Path, destination: Path) -> None:
    """Write the package of a spec, or of a folder of specs."""
    render(load_package([specs], is_new=True), destination)


def files(package: Path) -> dict[str, bytes]:
    """Return the package's files that git has or would have; a build leaves others."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "."]
    listed = subprocess.run(command, cwd=package, capture_output=True, check=True)
    names = [name for name in listed.stdout.decode().split("\0") if name]
    return {name: (package / name).read_bytes() for name in names if (package / name).exists()}


def contents(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """Return the files without what names the version, copier and Jinja: others may make
    the same.
    """
    kept = {name: text for name, text in files.items() if name != str(BUNDLE)}
    answers = yaml.safe_load(kept[ANSWERS])
    data = {name: answers.get(name) for name in ("schema", "package", "ops")}
    return {**kept, ANSWERS: json.dumps(data).encode()}


def is_of_its_version(package: Path) -> bool:
    """Return whether the templates that the package carries make all of it from its data."""
    try:
        recorded = made.read(package)
        with made.versions(recorded) as known:
            files_made = made.made_of(recorded, known)
    except made.UpdateError:
        return False
    specs = {str(file.relative_to(package)) for file in package.glob("ops/*")}
    current = {n: data for n, data in files(package).items() if n not in {str(BUNDLE), *specs}}
    return current == {n: file.data for n, file in files_made.items() if n not in specs}


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
    """Regenerate everything; with --always, packages that differ in the version alone, too."""
    for package in reference_packages():
        regenerate(package, always="--always" in sys.argv)
        print(package.relative_to(ROOT))
    SCHEMA.write_text(schema_text(), encoding="utf-8")
    print(SCHEMA.relative_to(ROOT))
    DATA_SCHEMA.write_text(data_schema_text(), encoding="utf-8")


if __name__ == "__main__":
    main()
