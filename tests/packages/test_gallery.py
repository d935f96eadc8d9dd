"""The gallery's rules on PyTorch's own op database: some of it here, all of it in poe everything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests import op_coverage

# Of each kind one: decomposed, elementwise, with lists, with results left out, unrolled, by sizes,
# of an overload.
SOME = (
    "acosh kron rot90 logaddexp amax kthvalue erfinv lgamma special.bessel_j0 linalg.cholesky "
    "linalg.inv column_stack nn.functional.adaptive_avg_pool2d squeeze.multiple nextafter lu_unpack"
).split()
HOSTILE = (
    "amin cummax kthvalue lgamma logcumsumexp scatter_reduce.amax hypot heaviside signbit".split()
)
LEAST = {"dynamo": 570, "torchscript": 555}


BELOW = """
import gallery, torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.acosh(x)

try:
    gallery.export(Model(), (torch.ones(2),), "m.onnx", dynamo=False, opset_version=17)
except ValueError as error:
    print(error)
"""


def measured(folder: Path, *arguments: str) -> dict[str, dict[str, str]]:
    """What the gallery's rules come to, by exporter and entry."""
    script = [
        sys.executable,
        "-m",
        op_coverage.__name__,
        "--with",
        "gallery",
        "--results",
        str(folder),
    ]
    subprocess.run(
        [*script, *arguments], check=True, stdout=subprocess.DEVNULL, cwd=op_coverage.ROOT
    )
    found = {file.stem: json.loads(file.read_text()) for file in folder.glob("*.json")}
    return {name.removeprefix("gallery-"): results for name, results in found.items()}


def only(names: Iterable[str]) -> tuple[str, str]:
    return "--only", f"^({'|'.join(name.replace('.', '[.]') for name in names)})$"


def test_below_the_opset(tmp_path: Path) -> None:
    """Of an op that PyTorch has no rule for, the package's sentence, and nothing else."""
    source = str(op_coverage.ROOT / "reference_ops" / "gallery" / "src")
    told = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BELOW],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": source},
        check=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ).stdout
    assert told == (
        "the TorchScript exporter writes aten::acosh at opsets 18 to 23, not 17; use opset_version=18, "
        "or dynamo=True (opsets 18 to 25)\n"
    )


def test_some_of_the_op_database(tmp_path: Path) -> None:
    for exporter, found in measured(tmp_path, *only(SOME)).items():
        assert found == dict.fromkeys(SOME, "right"), exporter


def test_nothing_is_wrong_in_silence_in_some(tmp_path: Path) -> None:
    found = measured(tmp_path, *only(HOSTILE), "--sweep", "--exporter", "torchscript")
    assert found == {"torchscript-sweep": dict.fromkeys(HOSTILE, "right")}


@pytest.mark.everything
def test_the_op_database(tmp_path: Path) -> None:
    for exporter, found in measured(tmp_path).items():
        assert sum(why == "right" for why in found.values()) >= LEAST[exporter]


@pytest.mark.everything
def test_nothing_is_wrong_in_silence(tmp_path: Path) -> None:
    """Every mapping over all float32 samples, hostile values, other dtypes, and open axes."""
    [found] = measured(tmp_path, "--sweep", "--exporter", "torchscript").values()
    silent = {name: why for name, why in found.items() if "values: " in why}
    assert found and not silent
