"""Every example in Python, of every page, with the reference packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents import PAGES, ROOT, blocks
from tests.warm import Warm

GALLERY = (
    "reference_ops/gallery/README.md"  # one example an operator, each tried by test_gallery.py
)
EXAMPLES = [
    pytest.param(block, id=f"{page} {number}")
    for page in PAGES
    if page != GALLERY
    for number, block in enumerate(blocks(page, "python"), start=1)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(packages: Warm, tmp_path: Path, example: str) -> None:
    done = packages.run("-W", "ignore", "-c", example, cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert done.stdout


@pytest.mark.everything
@pytest.mark.parametrize("example", blocks(GALLERY, "python"))
def test_examples_of_the_gallery(warm: Warm, tmp_path: Path, example: str) -> None:
    source = str(ROOT / "reference_ops" / "gallery" / "src")
    done = warm.run("-W", "ignore", "-c", example, cwd=tmp_path, PYTHONPATH=source)
    assert done.returncode == 0, done.stdout
    assert done.stdout
