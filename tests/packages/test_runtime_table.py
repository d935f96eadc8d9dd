"""The tables of DEPLOYMENT.md of what runs the reference packages' standard nodes, and what
TensorRT's parser accepts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.conftest import ROOT
from tests.programs import program
from tests.tools.regenerate import reference_packages
from tests.warm import Warm

pytestmark = pytest.mark.nightly  # builds vision_ops

STANDARD_NODES = program("runtimes/standard_nodes")
PAGE = ROOT / "DEPLOYMENT.md"


def assert_table(packages: Warm, folder: Path, *options: str) -> None:
    """Make the table of all reference packages, and look for it in the page."""
    command = ["-W", "ignore", "-c", STANDARD_NODES, *options, *map(str, reference_packages())]
    lines = packages.checked(*command, cwd=folder).splitlines()
    table = "\n".join(line for line in lines if line.startswith("|"))
    names = {path.name for path in reference_packages()}
    assert len(table.splitlines()) >= 2 + len(names)
    assert table in PAGE.read_text("utf-8"), f"write this table into {PAGE.name}:\n{table}"


@pytest.mark.usefixtures("vision_ops")
def test_the_page_says_what_runs_standard_nodes(packages: Warm, tmp_path: Path) -> None:
    """Run standard nodes of every reference package, with dynamic sizes, in each runtime that is
    installed here.
    """
    assert_table(packages, tmp_path)


@pytest.mark.everything
@pytest.mark.usefixtures("vision_ops")
def test_the_page_says_what_tensorrt_accepts(packages: Warm, tmp_path: Path) -> None:
    """Ask TensorRT's parser about every reference package, as standard nodes and as nodes with
    function bodies.
    """
    pytest.importorskip("tensorrt_rtx", reason="needs TensorRT's parser: pip install tensorrt-rtx")
    assert_table(packages, tmp_path, "--tensorrt")
