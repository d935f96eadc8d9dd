"""Where a build finds nvcc, and the architectures that it compiles for."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from onnxop_runtime.nvcc import ARCHITECTURES, Nvcc

SCRIPT = """#!/bin/sh
case $1 in
  --version) echo "Cuda compilation tools, release 12.8, V12.8.93" ;;
  --list-gpu-code) printf 'sm_75\\nsm_90\\nsm_120\\n' ;;
esac
"""


def _install(folder: Path) -> Path:
    path = folder / "bin" / "nvcc"
    path.parent.mkdir(parents=True)
    path.write_text(SCRIPT, encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("CUDA_HOME", "CUDA_PATH", "ONNXOP_CUDA_ARCHS", "CIBUILDWHEEL"):
        monkeypatch.delenv(name, raising=False)
    shell = tmp_path / "shell"
    shell.mkdir()
    for name in ("sh", "printf", "echo"):
        if path := shutil.which(name):
            (shell / name).symlink_to(path)
    monkeypatch.setenv("PATH", str(shell))
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])


def test_no_nvcc() -> None:
    assert Nvcc.find() is None


@pytest.mark.parametrize("folder", ["site/nvidia/cu13", "home", "path"])
def test_places(folder: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = _install(tmp_path / folder)
    if folder == "home":
        monkeypatch.setenv("CUDA_HOME", str(tmp_path / folder))
    elif folder == "path":
        monkeypatch.setenv("PATH", str(path.parent), prepend=":")
    assert Nvcc.find() is not None


def test_broken_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    with pytest.raises(SystemExit, match="has no bin/nvcc; correct it, or unset it"):
        Nvcc.find()


@pytest.mark.parametrize(
    ("chosen", "names"),
    [("", ["75", "90", "120"]), ("80 9.0", ["80", "90"]), ("8.9,90", ["89", "90"])],
)
def test_architectures(
    chosen: str, names: list[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    _install(tmp_path / "home")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ONNXOP_CUDA_ARCHS", chosen)
    nvcc = Nvcc.find()
    assert nvcc is not None
    assert nvcc.architectures() == names
    assert {*names} <= {*ARCHITECTURES}


def test_native_without_a_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    _install(tmp_path / "home")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("ONNXOP_CUDA_ARCHS", "native")
    nvcc = Nvcc.find()
    assert nvcc is not None
    with pytest.raises(SystemExit, match="nvidia-smi names no GPU; write 90, for example"):
        nvcc.architectures()
