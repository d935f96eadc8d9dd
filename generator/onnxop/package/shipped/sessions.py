"""A model and its libraries in the installed ONNX Runtime: whether they load, and which nodes they
compute.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from .errors import ShipError
from .libraries import ShippedLibrary, load_library

Served = dict[str, dict[str, int]]
"""The number of nodes that each library computes, by its file and the node."""


def load(path: Path, folder: Path, libraries: Sequence[ShippedLibrary]) -> Served:
    """Load the model in a folder as its README does, with the libraries of the folder; on a GPU, if
    it has libraries for CUDA, and this machine a GPU and the provider.

    Args:
        path: the model's file, whose name the folder has; for messages.
        folder: the folder with copies of the model and the libraries.
        libraries: the libraries to register.

    Returns:
        The number of nodes that each library computes, by its file and the node. Libraries for CUDA
        are among them on a GPU only.

    Raises:
        ShipError: ONNX Runtime rejects the model.
    """
    import onnxruntime  # type: ignore[import-untyped]

    from onnxop_runtime.verification import cuda

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # its warnings are about the model; its error is raised, too
    for library in libraries:
        for key, value in library.settings.items():
            options.add_session_config_entry(key, value)
        # The library for CUDA registers the CPU's.
        registered = library.cuda or library.path
        options.register_custom_ops_library(os.fspath(folder / registered.name))
    is_on_gpu = any(library.cuda for library in libraries) and cuda.is_usable()
    providers = cuda.PROVIDERS if is_on_gpu else cuda.PROVIDERS[-1:]
    try:
        onnxruntime.InferenceSession(folder / path.name, options, providers=[*providers])
    except Exception as error:
        reason = " ".join(str(error).replace(f"{folder}{os.sep}", "").split())
        raise ShipError(f"{path}: ONNX Runtime {version()} rejects it: {reason}") from error
    served: Served = {}
    for library in libraries:
        served |= _served(library, folder, is_on_gpu)
    return served


def _served(library: ShippedLibrary, folder: Path, is_on_gpu: bool) -> Served:
    """Return the number of nodes that a library and the one for CUDA compute in the last session of
    this thread.
    """
    counts: dict[str, dict[str, int]] = json.loads(
        load_library(folder / library.path.name).onnxop_served(None)
    )
    served = {library.path.name: {node: by["cpu"] for node, by in counts.items() if by["cpu"]}}
    if library.cuda is not None and is_on_gpu:
        on_gpu = {node: by["cuda"] for node, by in counts.items() if by["cuda"]}
        served[library.cuda.name] = on_gpu
    return served


def native_nodes(
    counts: Counter[tuple[str, str]], served: Mapping[str, Mapping[str, int]]
) -> set[tuple[str, str]]:
    """Return the nodes of a model that libraries compute each time."""
    computed = Counter[str]()
    for nodes in served.values():
        computed.update(nodes)
    return {node for node in counts if computed["::".join(node)] >= counts[node]}


def version() -> str:
    """Return the version of the installed ONNX Runtime."""
    import onnxruntime

    return str(onnxruntime.__version__)


def minor() -> int:
    """Return the minor release of the installed ONNX Runtime: 31 for 1.31.0."""
    return int(version().split(".")[1])
