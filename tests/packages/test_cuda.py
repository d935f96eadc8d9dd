"""A package's library for CUDA: built by nvcc, loaded and registered on a machine without a GPU."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.conftest import Environment
from tests.packages.conftest import ROOT

MY_ADD = ROOT / "reference_ops" / "my_add" / "ops" / "my_add.toml"
PROGRAM = ROOT / "tests" / "programs" / "cuda" / "registered.py"


def _install(environment: Environment, package: Path, folder: Path, **variables: str) -> str:
    pip = ["-m", "pip", "install", "-v", "--no-build-isolation", "--no-deps"]
    pip += ["--disable-pip-version-check", "--target", str(folder)]
    return environment.checked(*pip, package, cwd=package, **variables)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="nvcc is not on PATH")
def test_library_for_cuda(environment: Environment, tmp_path: Path) -> None:
    package, site = tmp_path / "package", tmp_path / "site"
    new = ("-m", "onnxop", "new", MY_ADD, package, "--runtime", "cuda")
    environment.checked(*new, cwd=tmp_path)
    assert "cuda=True" in (package / "setup.py").read_text(encoding="utf-8")

    _install(environment, package, site, ONNXOP_CUDA_ARCHS="90")
    assert (site / "my_add" / "libmy_add_cuda.so").is_file()

    facts = json.loads(environment.checked(PROGRAM, cwd=tmp_path, PYTHONPATH=str(site)))
    assert facts["kernel"] == (facts["torch"] is not None)
    assert facts["fake"] == ["cuda:0", [2, 3]]
    assert facts["values"] == [3.0, 6.0] and facts["gradients"]
    assert "must have the same device" in facts["devices"]


@pytest.mark.slow
def test_without_nvcc(environment: Environment, tmp_path: Path) -> None:
    if any(list(Path(folder, "nvidia").glob("cu*/bin/nvcc")) for folder in sys.path):
        pytest.skip("the environment has nvcc as a wheel")
    package, site = tmp_path / "package", tmp_path / "site"
    environment.checked("-m", "onnxop", "new", MY_ADD, package, "--runtime", "cuda", cwd=tmp_path)
    output = _install(environment, package, site, PATH="/usr/bin:/bin")
    assert "my_add is built without its library for CUDA: nvcc is missing." in output
    assert not (site / "my_add" / "libmy_add_cuda.so").exists()
    assert (site / "my_add" / "libmy_add_onnxruntime.so").is_file()
