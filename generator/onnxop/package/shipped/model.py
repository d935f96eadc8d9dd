"""A path → the model in it, and the files that hold its weights; everything in them may be
hostile.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from .errors import ShipError, kind_of, printable, why_no_name

if TYPE_CHECKING:
    import onnx

_SAVE_AGAIN = "write the model again, with onnx.save(model, path, save_as_external_data=True)"
_KNOWN = ("ai.onnx", "com.microsoft")


def read(path: Path) -> Any:
    """Return the model in a file, without its external weights. Raise ShipError if there is
    none.
    """
    import onnx

    if problem := why_no_name(path.name):
        raise ShipError(f"{printable(str(path))}: {problem}; rename it")
    try:
        if kind := kind_of(path):
            raise ShipError(f"{path}: is {kind}, not a file; give an ONNX file")
        model = onnx.load(path, load_external_data=False)
    except OSError as error:
        raise ShipError(f"{path}: {error.strerror}; give an ONNX file") from error
    except ShipError:
        raise
    except Exception as error:
        raise ShipError(f"{path}: is not an ONNX model; give what export() wrote") from error
    if not model.HasField("graph"):
        raise ShipError(f"{path}: is not an ONNX model, it has no graph; give what export() wrote")
    return model


def custom_nodes(model: onnx.ModelProto) -> Iterator[tuple[str, str]]:
    """Yield the domain and the op type of each node whose op is neither ONNX's nor ONNX
    Runtime's.
    """
    for node in nodes_of_others(model):
        yield node.domain, node.op_type


def nodes_of_others(model: Any) -> Iterator[Any]:
    """Yield the nodes whose op is neither ONNX's nor ONNX Runtime's."""
    from onnxop_runtime.model_nodes import nodes_of

    for part in (model.graph, *model.functions):
        for node in nodes_of(part.node):
            if node.domain and not node.domain.startswith(_KNOWN):
                yield node


def node_names(nodes: Iterator[tuple[str, str]] | Any) -> list[str]:
    """Return nodes as sorted text, such as ``my_lib::my_add``."""
    return sorted(printable("::".join(node)) for node in nodes)


def weights(path: Path, model: onnx.ModelProto) -> list[str]:
    """Return the files with the model's external weights, relative to its folder.

    Raises:
        ShipError: a file is missing, is no file, is outside of the model's folder, or is too short.
    """
    from onnx.external_data_helper import uses_external_data

    from onnxop_runtime.model_nodes import tensors_of

    ends: dict[str, int] = {}
    for tensor in tensors_of(model):
        if uses_external_data(tensor):
            location, end = _extent(path, tensor)
            ends[location] = max(end, ends.get(location, 0))
    for location, end in ends.items():
        _check_file(path, location, end)
    return sorted(ends)


def _extent(path: Path, tensor: Any) -> tuple[str, int]:
    """Return the file of a tensor's values, and the number of bytes that it must have."""
    subject = f"{path}: the external data of {printable(tensor.name) or 'a tensor'}"
    entries: dict[str, str] = {}
    for entry in tensor.external_data:
        if entry.key in entries:
            raise ShipError(f"{subject} has two entries {printable(entry.key)}; {_SAVE_AGAIN}")
        entries[entry.key] = entry.value
    location = entries.get("location", "")
    if not location:
        raise ShipError(f"{subject} names no file; {_SAVE_AGAIN}")
    offset, length = _number(subject, entries, "offset"), _number(subject, entries, "length")
    size = _size_in_bytes(tensor)
    if length and size and length != size:
        raise ShipError(
            f"{subject} has the length {length}, but the tensor has {size} bytes; {_SAVE_AGAIN}"
        )
    return location, offset + (length or size)


def _size_in_bytes(tensor: Any) -> int:
    """Return how many bytes a tensor's values take; 0 for a type whose values share bytes."""
    from onnx.helper import tensor_dtype_to_np_dtype

    try:
        dtype = tensor_dtype_to_np_dtype(tensor.data_type)
    except KeyError:  # a type that this onnx does not know
        return 0
    bits = re.search(r"[0-9]+", dtype.name)
    is_packed = bits is not None and int(bits[0]) < 8
    return 0 if is_packed else max(math.prod(tensor.dims), 0) * dtype.itemsize


def _number(subject: str, entries: Mapping[str, str], key: str) -> int:
    """Return the entry as a number of bytes; 0 if there is none."""
    text = entries.get(key, "0")
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise ShipError(
            f"{subject} has the {key} {text[:40]!r}, not a number of bytes; {_SAVE_AGAIN}"
        )
    return int(text)


def _check_file(path: Path, location: str, end: int) -> None:
    """Raise ShipError unless the file is in the model's folder and has the bytes of its tensors."""
    subject = f"{path}: its weights are in {printable(location)}"
    parts = PurePosixPath(location).parts
    if location.startswith("/") or ".." in parts or not parts:
        raise ShipError(f"{subject}, which is not in the model's folder; {_SAVE_AGAIN}")
    if problem := why_no_name(location):
        raise ShipError(f"{subject}, but {problem}; {_SAVE_AGAIN}")
    file = path.parent / location
    if os.path.normpath(location) == path.name:
        raise ShipError(f"{subject}, the model's own file; {_SAVE_AGAIN}")
    try:
        kind = kind_of(file)
        real, size = file.resolve(strict=True), file.stat().st_size
    except OSError as error:
        link = f", a link to {os.readlink(file)}" if os.path.islink(file) else ""
        raise ShipError(f"{subject}{link}: {error.strerror}; copy the file there") from error
    if kind:
        raise ShipError(f"{subject}, which is {kind}, not a file; {_SAVE_AGAIN}")
    if path.parent.resolve() not in real.parents:
        raise ShipError(
            f"{subject}, a link to {printable(str(real))}, outside of the model's folder; put a "
            "copy of the file there instead of the link"
        )
    if size < end:
        raise ShipError(f"{subject}, which has {size} bytes of {end}; copy the whole file there")
