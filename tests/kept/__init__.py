"""Packages as earlier releases made them: the template's bundle, and the answers that each was made from."""

from __future__ import annotations

from pathlib import Path

import yaml

from onnxop.package.render import copy
from onnxop.package.template import ANSWERS, BUNDLE

FOLDER = Path(__file__).parent


def make(release: str, name: str, destination: Path) -> None:
    """Write a package as the release made it, by the release's own template."""
    bundle = FOLDER / release / "template.bundle"
    text = (FOLDER / release / f"{name}.yml").read_text(encoding="utf-8")
    answers = yaml.safe_load(text)
    kept = {key: answers[key] for key in ("specs", "name", "facts")}
    copy(bundle, answers["_commit"], kept, destination)
    (destination / ANSWERS).write_text(text, encoding="utf-8")
    (destination / BUNDLE).parent.mkdir(exist_ok=True)
    (destination / BUNDLE).write_bytes(bundle.read_bytes())
