"""Private names of PyTorch and onnxscript: all are in one module, and there."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

import pytest
import torch

from onnxop_runtime import torch_internals

RUNTIME = Path(torch_internals.__file__).parent
MODULES = [file for file in sorted(RUNTIME.rglob("*.py")) if file != Path(torch_internals.__file__)]
OURS = {"self", "super()", "cls", "compiler", "module", "sys"}
"""Names whose private attributes are not PyTorch's: Python's own, setuptools' compiler, a package's ``_kernel``."""
OTHERS = {"_ortvalue", "_rel_tol", "_abs_tol"}
"""Those of ONNX Runtime's OrtValue, and of onnxscript's patterns, where they are there."""


@pytest.mark.parametrize("names", torch_internals.NAMES)
def test_it_is_there(names: str) -> None:
    """In this release; where one has it no more, the table says what is done without it."""
    module, _, words = names.partition(": ")
    if module.startswith("torch._C."):  # whose parts are not modules
        found: Any = getattr(torch._C, module.removeprefix("torch._C."))
    else:
        found = importlib.import_module(module)
    for word in words.split():
        assert hasattr(found, word) or importlib.import_module(f"{module}.{word}")
    assert torch_internals.NAMES[names]


@pytest.mark.parametrize("file", MODULES, ids=lambda file: str(file.relative_to(RUNTIME)))
def test_none_is_used_elsewhere(file: Path) -> None:
    assert [*private_names(ast.parse(file.read_text(encoding="utf-8")))] == []


def private_names(tree: ast.AST) -> list[str]:
    """What a module reads of others by private names."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            base = node.value
            if ast.unparse(base) not in OURS:
                found.append(ast.unparse(node))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            parts = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            found += [f"from {node.module}"] * any(map(is_private, parts))
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "getattr":
            words = [ast.literal_eval(a) for a in node.args[1:2] if isinstance(a, ast.Constant)]
            is_ours = ast.unparse(node.args[0]) in OURS
            found += [word for word in words if is_private(word) and not is_ours]
    return found


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in OTHERS
