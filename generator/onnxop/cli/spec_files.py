"""Specs → files, which keep what they replace; and where each spec comes from, as text."""

from __future__ import annotations

import os
from pathlib import Path

ORIGINS = {
    "gallery": "the gallery's spec",
    "decomposed": "a starter, decomposed as the dynamo exporter does",
    "composed": "a starter, composed of PyTorch's operators",
    "kernel": "a starter, with a kernel that calls <cmath>",
    "node": "a starter, whose kernel you write",
    "bare": "a starter, whose mapping you write",
}


def write_spec(file: Path, text: str) -> None:
    """Write a spec. Keep a former file, with other text, under another name, and say so."""
    from ..package.files import File, backup_of, read

    former = read(file.parent, [file.name]).get(file.name)
    if former == File(text.encode()):
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(file):
        kept = backup_of(file, former)
        if kept:
            file.rename(kept)
            print(f"Kept the former file as {kept}")
        else:
            file.unlink()
    file.write_text(text, encoding="utf-8")
