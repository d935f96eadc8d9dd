"""A model and its libraries in the installed ONNX Runtime: whether they load, and which nodes they compute."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .errors import ShipError
from .libraries import Library, opened


def load(path: Path, folder: Path, libraries: Sequence[Library]) -> dict[str, dict[str, int]]:
    """Load the model in a folder as its README does, with the libraries of the folder.

    Args:
        path: the model's file, whose name the folder has; for messages.
        folder: the folder with copies of the model and the libraries.
        libraries: the libraries to register.

    Returns:
        The number of nodes that each library computes, by its file and the node.

    Raises:
        ShipError: ONNX Runtime rejects the model.
    """
    import onnxruntime  # type: ignore[import-untyped]

    copies = {library.path.name: opened(folder / library.path.name) for library in libraries}
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # its warnings are about the model, not about the libraries
    for library in libraries:
        for key, value in library.settings.items():
            options.add_session_config_entry(key, value)
        options.register_custom_ops_library(os.fspath(folder / library.path.name))
    try:
        onnxruntime.InferenceSession(
            folder / path.name, options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:
        reason = " ".join(str(error).replace(f"{folder}{os.sep}", "").split())
        raise ShipError(f"{path}: ONNX Runtime {version()} rejects it: {reason}") from error
    return {file: _counts(library) for file, library in copies.items()}


def _counts(library: Any) -> dict[str, int]:
    """Return the number of nodes that a library computes in the last session of this thread."""
    served: dict[str, Any] = json.loads(library.onnxop_served(None))
    return {node: number_of(count) for node, count in served.items()}


def number_of(count: int | Mapping[str, int]) -> int:
    """Return a library's count of a node: one number, or one for each provider."""
    return count if isinstance(count, int) else sum(count.values())


def native_nodes(
    counts: Counter[tuple[str, str]], served: Mapping[str, Mapping[str, int]]
) -> set[tuple[str, str]]:
    """Return the nodes of a model that libraries compute each time."""
    computed = {node: number for nodes in served.values() for node, number in nodes.items()}
    return {node for node in counts if computed.get("::".join(node), 0) >= counts[node]}


def version() -> str:
    """Return the version of the installed ONNX Runtime."""
    import onnxruntime

    return str(onnxruntime.__version__)


def minor() -> int:
    """Return the minor release of the installed ONNX Runtime: 31 for 1.31.0."""
    return int(version().split(".")[1])
