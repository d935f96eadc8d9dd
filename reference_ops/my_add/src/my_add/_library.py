"""Loads the compiled operator my_lib::my_add into the process, once."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any

import torch

_EXTENSION = "my_add._kernel"
_NAMESPACE = "my_lib"
_NAME = "my_add"


def load() -> Any:
    """Registers the operator with PyTorch's dispatcher, by importing the extension module.

    Returns:
        The extension module.

    Raises:
        ImportError: the package is not built, or another library has registered the operator:
            a second registration would end the process.
    """
    spec = importlib.util.find_spec(_EXTENSION)
    if spec is None or spec.origin is None:
        raise ImportError(
            f"{_EXTENSION} is not built; run pip install --no-build-isolation . in the folder "
            "of its setup.py"
        )
    path = str(Path(spec.origin).resolve())
    registered = hasattr(getattr(torch.ops, _NAMESPACE), _NAME)
    if registered and path not in torch.ops.loaded_libraries:
        raise ImportError(
            f"{_NAMESPACE}::{_NAME} is already registered by another library; a process can "
            f"hold it once, so {path} is not loaded"
        )
    module = importlib.import_module(_EXTENSION)
    torch.ops.loaded_libraries.add(path)
    return module
