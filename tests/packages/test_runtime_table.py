"""The table of DEPLOYMENT.md of what runs the reference packages' standard nodes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.conftest import ROOT
from tests.programs import program
from tests.regenerate import reference_packages
from tests.warm import Warm

STANDARD_NODES = program("runtimes/standard_nodes")
PAGE = ROOT / "DEPLOYMENT.md"


@pytest.mark.usefixtures("vision_ops")
def test_the_page_says_what_runs_standard_nodes(packages: Warm, tmp_path: Path) -> None:
    """Run standard nodes of every reference package, with dynamic sizes, in each runtime that is installed here."""
    command = ["-W", "ignore", "-c", STANDARD_NODES, *map(str, reference_packages())]
    lines = packages.checked(*command, cwd=tmp_path).splitlines()
    table = "\n".join(line for line in lines if line.startswith("|"))
    names = {path.name for path in reference_packages()}
    assert len(table.splitlines()) >= 2 + len(names)
    assert table in PAGE.read_text("utf-8"), f"write this table into {PAGE.name}:\n{table}"
