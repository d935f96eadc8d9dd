"""The reference packages, built and installed together."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Environment

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = sorted(spec.parent.name for spec in ROOT.glob("reference_ops/*/op.toml"))


@pytest.fixture(scope="session")
def packages(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    folder = tmp_path_factory.mktemp("packages")
    code = "import sys; from pathlib import Path; from onnxop import build\n"
    for name in PACKAGES:
        spec = ROOT / "reference_ops" / name / "op.toml"
        assert (
            environment.run("-m", "onnxop", "new", spec, folder / name, cwd=folder).returncode == 0
        )
        code += f"build.install(Path({str(folder / name)!r}), lambda seconds: None)\n"
    done = environment.run("-c", code, cwd=folder)
    assert done.returncode == 0, done.stdout
    return environment
