"""Private names of PyTorch and onnxscript: all are in one module, and exist."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path
from typing import Any

import pytest
import torch

import onnxop
import onnxop_runtime
from onnxop_runtime import torch_internals

ONLY = Path(torch_internals.__file__)
FOLDERS = [Path(module.__file__ or "").parent for module in (onnxop, onnxop_runtime)]
OURS = {"self", "super()", "cls", "atexit", "compiler", "module", "os", "sys"}
"""Names whose private attributes are not PyTorch's: Python's own, setuptools' compiler, a package's
``_kernel``.
"""
IN_CODE = re.compile(r"\b(?:torch|onnxscript)(?:\.\w+)*\._[a-z]\w*", re.IGNORECASE)
"""Private names in a string, which may be the code of another process."""
OTHERS = {"_ortvalue", "_rel_tol", "_abs_tol"}
"""Optional private names: of ONNX Runtime's OrtValue, and of onnxscript's patterns."""


@pytest.mark.parametrize("names", torch_internals.NAMES)
def test_it_is_there(names: str) -> None:
    """Check this release; for a release without the name, the table describes the fallback."""
    module, _, attributes = names.partition(": ")
    if module.startswith("torch._C."):  # its parts are not modules
        owner: Any = getattr(torch._C, module.removeprefix("torch._C."))
    else:
        owner = pkgutil.resolve_name(module)
    for attribute in attributes.split():
        assert hasattr(owner, attribute) or importlib.import_module(f"{module}.{attribute}")
    assert torch_internals.NAMES[names]


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_none_is_used_elsewhere(folder: Path) -> None:
    used = {
        file: names
        for file in folder.rglob("*.py")
        if file != ONLY and (names := private_names(ast.parse(file.read_text(encoding="utf-8"))))
    }
    assert used == {}


def private_names(tree: ast.AST) -> list[str]:
    """Return the private names of other modules that a module reads."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            base = node.value
            if ast.unparse(base) not in OURS:
                names.append(ast.unparse(node))
        elif isinstance(node, ast.ImportFrom) and not node.level:
            parts = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
            names += [f"from {node.module}"] * any(map(is_private, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names += IN_CODE.findall(node.value)
        elif isinstance(node, ast.Call) and is_getattr(node.func):
            literals = [ast.literal_eval(a) for a in node.args[1:2] if isinstance(a, ast.Constant)]
            is_ours = ast.unparse(node.args[0]) in OURS
            names += [literal for literal in literals if is_private(literal) and not is_ours]
    return names


def is_getattr(function: ast.expr) -> bool:
    return isinstance(function, ast.Name) and function.id == "getattr"


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__") and name not in OTHERS


def test_defaults_that_are_lists_of_equal_integers() -> None:
    """PyTorch prints the default ``[2, 2]`` as ``2``, which it does not parse for ``int[]``."""
    text = "a::b(Tensor x, int[] size=[2, 2], SymInt[] step=[3], int[2] pad=0, int[] ends=[1, 2]) -> Tensor"
    schema = torch_internals.parse_schema(text)
    assert "int[] size=2," in str(schema)
    assert torch_internals.parse_schema(str(schema)).arguments[1].name == "size"
    again = torch_internals.parse_schema(torch_internals.schema_text(schema))
    defaults = [argument.default_value for argument in again.arguments]
    assert defaults == [None, [2, 2], [3], [0, 0], [1, 2]]
