"""Writes what is generated and committed anew: the reference packages and the JSON Schema."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from onnxop.document import json_schema
from onnxop.facts import Facts, asking
from onnxop.load import load
from onnxop.render import render
from onnxop.template import BUNDLE

ROOT = Path(__file__).resolve().parent.parent
REFERENCE_OPS = ROOT / "reference_ops"
SCHEMA = ROOT / "generator" / "onnxop" / "op.schema.json"


def reference_packages() -> list[Path]:
    """The reference packages: every folder with an op.toml."""
    return sorted(spec.parent for spec in REFERENCE_OPS.glob("*/op.toml"))


def schema_text() -> str:
    return json.dumps(json_schema(), indent=2) + "\n"


def generate(spec: Path, destination: Path) -> None:
    """Writes the package that the spec makes now."""
    with asking(Facts()) as facts:
        render(load(spec), facts.answers, destination)


def files(package: Path) -> dict[str, bytes]:
    """The package's files as git has or would have them; a build leaves others beside them."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z", "."]
    listed = subprocess.run(command, cwd=package, capture_output=True, check=True)
    names = [name for name in listed.stdout.decode().split("\0") if name]
    return {name: (package / name).read_bytes() for name in names if (package / name).exists()}


def contents(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files but for the version that made them: another one may make the same."""
    kept = {name: text for name, text in files.items() if name != str(BUNDLE)}
    answers = kept[".copier-answers.yml"]
    return {
        **kept,
        ".copier-answers.yml": re.sub(rb"^_commit: .*\n", b"", answers, flags=re.MULTILINE),
    }


def regenerate(package: Path, *, always: bool = False) -> None:
    """Replaces the package by what its spec makes now, if that is something else or ``always``;
    what is not generated goes.
    """
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder, package.name)
        generate(package / "op.toml", fresh)
        made = {str(f.relative_to(fresh)): f.read_bytes() for f in fresh.rglob("*") if f.is_file()}
        before = files(package)
        is_there = not always and ".copier-answers.yml" in before
        if is_there and contents(made) == contents(before):
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
