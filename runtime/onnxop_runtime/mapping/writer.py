"""The writer of nodes that a mapping runs with: TorchScript's, onnxscript's, a function body's, a
sample's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol


class Writer(Protocol):
    """Writes nodes of the default ONNX domain. Its tensors are of the type that its exporter
    has.
    """

    exporter: str
    """The subject of messages about sizes that are unknown."""
    remedy_for_sizes: str
    """What to do about them."""

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """Write a node; return its output, or ``_outputs`` of them. None omits an optional part."""

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        """Return a number or lists of numbers as a tensor. ``like`` is a tensor of its element
        type, or the name of the type: ``like="INT64"``.

        ``is_number``: the value may be an integer or a float, and PyTorch's result depends on
        which.
        """

    def known_sizes(self, tensor: Any) -> Sequence[Any] | None:
        """Return the sizes of a tensor: integers, names of dynamic ones, and None for unknown ones;
        None if its rank is unknown.
        """

    def element_type(self, tensor: Any) -> str | None:
        """Return ONNX's name of a tensor's element type, or None if it is unknown."""
