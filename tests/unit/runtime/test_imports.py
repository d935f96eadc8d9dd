"""Functions that run as soon as a module has been imported, and modules that are missing."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from onnxop_runtime import imports, optional_imports


def test_a_module_that_is_imported() -> None:
    seen: list[ModuleType] = []
    imports.after_import("sys", seen.append)
    assert seen == [sys]


def test_a_module_that_is_imported_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "imported_later.py").write_text("value = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    values: list[int] = []
    imports.after_import("imported_later", lambda module: values.append(module.value))
    assert values == []
    module = importlib.import_module("imported_later")
    assert values == [3]
    assert type(module.__loader__).__name__ == "SourceFileLoader"
    del sys.modules["imported_later"]
    importlib.import_module("imported_later")
    assert values == [3]  # once
    del sys.modules["imported_later"]


def test_how_to_install() -> None:
    assert optional_imports.how_to_install("onnx").endswith("install onnx")
    both = optional_imports.how_to_install("onnx", "onnxruntime")
    assert "install onnx and one of onnxruntime, onnxruntime-gpu" in both


def test_a_missing_module() -> None:
    with pytest.raises(
        ModuleNotFoundError, match="export needs no_such_module, which is not"
    ) as raised:
        optional_imports.need("export", "sys", "no_such_module")
    assert raised.value.name == "no_such_module"
