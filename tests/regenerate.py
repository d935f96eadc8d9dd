"""Writes what is generated and committed anew: the reference packages and the JSON Schema."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path

from onnxop.context import context
from onnxop.document import json_schema
from onnxop.load import load
from onnxop.render import render

ROOT = Path(__file__).resolve().parent.parent
REFERENCE_OPS = ROOT / "reference_ops"
SCHEMA = ROOT / "generator" / "onnxop" / "op.schema.json"


def reference_packages() -> list[Path]:
    """The reference packages: every folder with an op.toml."""
    return sorted(spec.parent for spec in REFERENCE_OPS.glob("*/op.toml"))


def schema_text() -> str:
    return json.dumps(json_schema(), indent=2) + "\n"


def regenerate(package: Path) -> None:
    """Replaces the package by what its spec makes now; what is not generated goes."""
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder, package.name)
        render(context(load(package / "op.toml")), fresh)
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
