"""The gallery's rules on PyTorch's own op database: some of it here, all of it in poe everything."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests import op_coverage

# Of each kind one: decomposed, elementwise, with lists, with results left out, unrolled, by sizes.
SOME = (
    "acosh kron rot90 logaddexp amax kthvalue erfinv lgamma special.bessel_j0 linalg.cholesky "
    "linalg.inv column_stack nn.functional.adaptive_avg_pool2d"
).split()
LEAST = {"dynamo": 520, "torchscript": 460}


def measured(folder: Path, *arguments: str) -> dict[str, dict[str, str]]:
    """What the gallery's rules come to, by exporter and entry."""
    script = [sys.executable, op_coverage.__file__, "--with", "gallery", "--results", str(folder)]
    subprocess.run([*script, *arguments], check=True, stdout=subprocess.DEVNULL)
    return {
        exporter: json.loads((folder / f"gallery-{exporter}.json").read_text())
        for exporter in op_coverage.OPSETS
    }


def test_some_of_the_op_database(tmp_path: Path) -> None:
    names = "|".join(name.replace(".", "[.]") for name in SOME)
    for exporter, found in measured(tmp_path, "--only", f"^({names})$").items():
        assert found == dict.fromkeys(SOME, "right"), exporter


@pytest.mark.everything
def test_the_op_database(tmp_path: Path) -> None:
    for exporter, found in measured(tmp_path).items():
        assert sum(why == "right" for why in found.values()) >= LEAST[exporter]
