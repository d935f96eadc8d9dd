"""What a deployer asks of a model: all of its nodes run native, as written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.packages.conftest import ROOT, Build
from tests.programs import PATH, program
from tests.warm import Warm

pytestmark = pytest.mark.nightly  # builds many_ops

# Parts of a node that a library ignores, and stock ONNX Runtime, too, unless the nodes are checked.
UNKNOWN = program("serving/unknown")

# The nodes of one session that the library computes; a model that must run native.
SERVED = program("serving/served")

# Omitted trailing inputs are neither on the node nor on its function.
LEFT_OUT = program("serving/left_out")

# Functions whose dtype stock ONNX Runtime does not support: export says so once.
NO_KERNEL = program("serving/no_kernel")

# Lists of floats, which the TorchScript exporter converts to float32 before it asks for the node.
FLOATS = program("serving/floats")
NOTHING = "this library for ONNX Runtime computed no node of"


@pytest.mark.parametrize(
    ("code", "answers", "sentences"),
    [
        (UNKNOWN, 16, {}),
        (
            SERVED,
            12 + 2 + 4 + 2 + 3 + 2 + 5 + 6,
            {f"{NOTHING} {m}.onnx": 3 for m in ("integers", "standard")},
        ),
        (LEFT_OUT, 10, {}),
        (NO_KERNEL, 24, {}),
        (FLOATS, 4, {}),
    ],
    ids=["unknown", "served", "left out", "no kernel", "floats"],
)
@pytest.mark.usefixtures("many_ops")
def test_what_is_served(
    build: Build, warm: Warm, tmp_path: Path, code: str, answers: int, sentences: dict[str, int]
) -> None:
    build(ROOT / "tests" / "specs" / "aminmax.toml")
    output = warm.checked("-W", "ignore", "-c", code, cwd=tmp_path, PYTHONPATH=PATH)
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * answers, output
    assert {sentence: output.count(sentence) for sentence in sentences} == sentences, output
