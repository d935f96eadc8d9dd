"""Run every Python example of every page with the reference packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents import ENGLISH, blocks
from tests.warm import Warm

OFTEN = ("README.md", "DEPLOYMENT.md")


def tier(page: str, block: str) -> list[pytest.MarkDecorator]:
    if "import vision_ops" in block:  # slow to build
        return [pytest.mark.everything]
    return [] if page in OFTEN else [pytest.mark.nightly]


EXAMPLES = [
    pytest.param(block, id=f"{page} {number}", marks=tier(page, block))
    for page in ENGLISH
    for number, block in enumerate(blocks(page, "python"), start=1)
]


@pytest.mark.parametrize("example", EXAMPLES)
def test_examples_run(
    packages: Warm, tmp_path: Path, example: str, request: pytest.FixtureRequest
) -> None:
    if "import vision_ops" in example:
        request.getfixturevalue("vision_ops")
    result = packages.run("-W", "ignore", "-c", example, cwd=tmp_path)
    assert result.returncode == 0, result.stdout
    assert result.stdout
