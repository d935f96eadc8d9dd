"""The command that installs a package without a network."""

from __future__ import annotations

import shutil
import sys
from importlib import util

import pytest

from onnxop.errors import BuildError
from onnxop.package import build


def test_pip_comes_first() -> None:
    assert build._installer()[:4] == [sys.executable, "-m", "pip", "install"]


def test_uv_where_there_is_no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/bin/{name}")
    command = ["/bin/uv", "pip", "install", "--python", sys.executable]
    assert build._installer()[:5] == command


def test_neither(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(util, "find_spec", lambda name: None)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(BuildError, match="has neither pip nor uv; run python -m ensurepip"):
        build._installer()
