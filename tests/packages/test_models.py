"""The metadata of exported models, and the output of `verify`."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from tests.conftest import Environment
from tests.programs import program

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"

WRITTEN = program("models/written")

VERIFIED = program("models/verified")


def test_what_a_model_says(packages: Environment, tmp_path: Path) -> None:
    lines = packages.checked("-W", "ignore", "-c", WRITTEN, cwd=tmp_path).splitlines()
    lines = [line for line in lines if not line.startswith("[torch.onnx]")]
    digest = hashlib.sha256(SPEC.read_bytes()).hexdigest()
    for line in lines[:4]:
        domain, facts = json.loads(line)
        assert facts["is_same"]
        assert facts["ir_version"] == 9  # of opset 20
        assert json.loads(facts["metadata"]["onnxop.my_lib::my_add"]) == {
            "package": "my_add",
            "version": "0.1.0",
            "spec": f"sha256:{digest}",
            "domain": domain,
        }
        assert facts["docs"] == (["2a + b, element by element."] if domain else [])


def test_verify(packages: Environment, tmp_path: Path) -> None:
    output = packages.checked("-W", "ignore", "-c", VERIFIED, cwd=tmp_path)
    lines = [line for line in output.splitlines() if line.startswith(("True", "False"))]
    assert [line.split()[0] for line in lines] == ["True"] * 17, output
