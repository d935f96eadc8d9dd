"""Every example in Python, of every page, with the reference packages."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from onnxop.find import gallery
from tests.documents import PAGES, blocks
from tests.warm import Warm

# Their rules need no compiler: they are imported from where they lie.
GALLERIES = [folder.parent for folder in gallery.folders()]
# One example an operator, each tried by test_gallery.py.
MANY = "reference_ops/gallery/README.md"
EXAMPLES = [
    pytest.param(block, id=f"{page} {number}")
    for page in PAGES
    if page != MANY
    for number, block in enumerate(blocks(page, "python"), start=1)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(packages: Warm, tmp_path: Path, example: str) -> None:
    check(packages, tmp_path, example)


@pytest.mark.everything
@pytest.mark.parametrize("example", blocks(MANY, "python"))
def test_examples_of_the_gallery(warm: Warm, tmp_path: Path, example: str) -> None:
    check(warm, tmp_path, example)


def check(warm: Warm, folder: Path, example: str) -> None:
    sources = os.pathsep.join(str(one / "src") for one in GALLERIES)
    done = warm.run("-W", "ignore", "-c", example, cwd=folder, PYTHONPATH=sources)
    assert done.returncode == 0, done.stdout
    assert done.stdout
