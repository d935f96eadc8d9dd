"""A shipped folder, on the server → how many nodes of its model the libraries compute there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from onnxop_runtime.messages import join_words

from . import libraries, sessions
from .errors import ShipError, kind_of
from .model import custom_nodes, node_names, read


@dataclass(frozen=True)
class Served:
    """The nodes of a model that are neither ONNX's nor ONNX Runtime's, and how many of them are
    native.
    """

    model: str
    native: int
    nodes: int
    by_library: dict[str, int]
    """The number of nodes that each library computes, by its file."""
    others: list[str]
    """The nodes that run as functions of the model."""

    @property
    def is_native(self) -> bool:
        return self.native == self.nodes

    def __str__(self) -> str:
        nodes = "1 node" if self.nodes == 1 else f"{self.nodes} nodes"
        line = f"{self.model}: {self.native} of {nodes} native"
        counts = [f"{count} in {file}" for file, count in self.by_library.items()]
        if counts:
            line += f": {', '.join(counts)}"
        if self.others:
            verb = (
                "runs as its function body" if len(self.others) == 1 else "run as function bodies"
            )
            line += f"; {join_words(self.others)} {verb}"
        return line


def verify(folder: Path) -> Served:
    """Load the model of a folder that `ship` wrote with the folder's libraries, and count its
    nodes.

    Raises:
        ShipError: the folder has no model or several, or ONNX Runtime rejects it with these
            libraries.
    """
    path = _model_in(folder)
    model = read(path)
    counts = Counter(custom_nodes(model))
    files = sorted(folder.glob("lib*_onnxruntime.so"))
    used = libraries.of_files(path, model, frozenset(counts), map(Path.absolute, files))
    served = sessions.load(path, folder.absolute(), used)
    native = sessions.native_nodes(counts, served)
    return Served(
        path.name,
        sum(counts[node] for node in native),
        counts.total(),
        {file: sum(nodes.values()) for file, nodes in served.items()},
        node_names(counts.keys() - native),
    )


def _model_in(folder: Path) -> Path:
    """Return the only model in a shipped folder; raise ShipError if there is none."""
    try:
        if kind_of(folder) != "a folder":
            raise ShipError(f"{folder}: is not a folder; give one that onnxop ship wrote")
        models = sorted(folder.glob("*.onnx"))
    except OSError as error:
        raise ShipError(
            f"{folder}: {error.strerror}; give a folder that onnxop ship wrote"
        ) from error
    if len(models) != 1:
        names = f"{len(models)} files *.onnx" if models else "no file *.onnx"
        raise ShipError(
            f"{folder}: has {names}; give a folder with one model, as onnxop ship writes it"
        )
    return models[0]
