"""A model → the libraries for ONNX Runtime that have kernels for its nodes, from packages or a
folder.
"""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import metadata, util
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from onnxop_runtime.messages import join_words

from . import elf
from .errors import ShipError
from .model import node_names

if TYPE_CHECKING:
    import onnx

Nodes = frozenset[tuple[str, str]]
"""Nodes by domain and op type."""


@dataclass(frozen=True)
class ShippedLibrary:
    """A library for ONNX Runtime of a package, ``my_add 0.1.0``, and its use in a model."""

    path: Path
    package: str
    nodes: Nodes
    """The model's nodes that it has kernels for."""
    settings: dict[str, str]
    """The session options that move its operators to other domains."""
    hosted: Nodes
    """The nodes of the kernels' versions, which its library for OpenVINO computes, too."""
    cuda: Path | None
    """The package's library for CUDA, if it has kernels for nodes of the model."""

    @property
    def openvino(self) -> Path | None:
        """The package's library for OpenVINO, which computes nodes in its own domains only; or
        None.
        """
        path = self.path.with_name(self.path.name.replace("_onnxruntime.so", "_openvino.so"))
        return path if path.is_file() and self.hosted and not self.settings else None


def installed(path: Path, model: onnx.ModelProto, nodes: Nodes) -> list[ShippedLibrary]:
    """Return the libraries of installed packages for the nodes.

    Raises:
        ShipError: a node has neither a library nor a function, or two libraries; or a library would
            compute something else than a node specifies.
    """
    files = [*_installed_files()]
    libraries = of_files(path, model, nodes, files)
    for first, second in combinations(libraries, 2):
        if both := node_names(first.nodes & second.nodes):
            raise ShipError(
                f"{path}: {first.package} and {second.package} are installed, and both compute "
                f"{both[0]}; uninstall one of them"
            )
    computed = {node for library in libraries for node in library.nodes}
    bodies = {(function.domain, function.name) for function in model.functions}
    if bare := node_names(nodes - computed - bodies):
        stale = [package_of(file) for file in files if not _is_current(file)]
        others = (
            f"; or rebuild {join_words(stale)}, built for another onnxop-runtime" if stale else ""
        )
        raise ShipError(
            f"{path}: no installed package computes {bare[0]}; install the package that "
            f"does{others}"
        )
    return libraries


def of_files(
    path: Path, model: onnx.ModelProto, nodes: Nodes, files: Iterable[Path]
) -> list[ShippedLibrary]:
    """Return the libraries in these files that have kernels for the nodes: in the metadata's
    domain, or in the operator's own. Raise `ShipError` if one would compute something else than a
    node specifies.
    """
    from onnxop_runtime.model_nodes import check, versions, written_domains

    domains, node_versions = written_domains(model), versions(model)
    libraries: list[ShippedLibrary] = []
    for file in filter(_is_current, files):
        description = json.loads(load_library(file).onnxop_library())
        try:
            check(path, model, description["ops"], domains)
        except ValueError as error:
            raise ShipError(str(error)) from error
        library = _library(file, description, nodes, domains, node_versions)
        if library.nodes:
            libraries.append(library)
    return libraries


def _library(
    file: Path,
    description: Mapping[str, Any],
    nodes: Nodes,
    domains: Mapping[str, str],
    versions: Mapping[tuple[str, str], Collection[int]],
) -> ShippedLibrary:
    """Return a package's library with the nodes of the model that it computes."""
    computed: set[tuple[str, str]] = set()
    hosted: set[tuple[str, str]] = set()
    settings: dict[str, str] = {}
    used: list[str] = []  # the operators with nodes
    for operator, op in description["ops"].items():
        domain = domains.get(operator) or op["domain"]
        names = {f"{op['op_type']}_variant_{n}" for n in range(2, op["variants"] + 1)}
        nodes_here = {(domain, name) for name in {op["op_type"], *names}} & nodes
        computed |= nodes_here
        if nodes_here:
            used.append(operator)
        hosted |= {node for node in nodes_here if versions[node] == {op["version"]}}
        if nodes_here and domain != op["domain"]:
            settings[f"onnxop.domains.{operator}"] = domain
    return ShippedLibrary(
        file,
        description["package"],
        frozenset(computed),
        settings,
        frozenset(hosted),
        _cuda(file, used),
    )


def _cuda(file: Path, used: Collection[str]) -> Path | None:
    """Return the library for CUDA beside a library, if it is for this runtime and has one of the
    operators.
    """
    path = file.with_name(file.name.replace("_onnxruntime.so", "_cuda.so"))
    if not path.is_file() or not _is_current(path):
        return None
    operators = json.loads(load_library(path).onnxop_library())["ops"]
    return path if operators.keys() & set(used) else None


def load_library(path: Path) -> Any:
    """Return a library, loaded into this process. Raise ShipError if it does not load, or is not
    one.
    """
    try:
        if not elf.is_whole(path):
            raise ShipError(f"{path}: is cut off; copy it again")
        library = ctypes.CDLL(os.fspath(path))
        library.onnxop_library.restype = ctypes.c_char_p
        library.onnxop_served.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        raise ShipError(f"{path}: does not load here: {error}") from error
    return library


def package_of(file: Path) -> str:
    """Return the package of a library, by the name of its file."""
    return file.stem.removeprefix("lib").rpartition("_")[0]


def _installed_files() -> Iterator[Path]:
    """Yield the libraries of the installed packages."""
    for package in sorted({entry.value for entry in metadata.entry_points(group="onnxop.ops")}):
        spec = util.find_spec(package)
        folder = Path(spec.origin).parent if spec is not None and spec.origin else Path()
        file = (folder / f"lib{package}_onnxruntime.so").resolve()
        if file.is_file():
            yield file


def _is_current(file: Path) -> bool:
    """Return whether the library was built for this runtime."""
    from onnxop_runtime import ABI

    return bool(json.loads(load_library(file).onnxop_library()).get("abi", 0) == ABI)
