"""The writer with which a mapping writes nodes for one of PyTorch's exporters; each exporter has a
subclass.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import onnx
import torch

from ...mapping.numbers import check_fits, leaves, sizes_of
from ..element_types import type_name
from ..numbers import Computed, check_integer, is_computed

Tensor = TypeVar("Tensor")
"""A tensor in the exporter's graph: ``torch.Value`` or ``ir.Value``."""
Number = int | float
Constant = Number | Computed | Sequence[Any]
"""A number, or nested lists of numbers."""


class ExporterWriter(Generic[Tensor]):
    """Writes nodes of the default ONNX domain: a `mapping.writer.Writer` that also knows PyTorch's
    dtypes.
    """

    exporter: str
    remedy_for_sizes: str

    def node(
        self, op_type: str, *inputs: Tensor | None, _outputs: int = 1, **attributes: Any
    ) -> Any:
        """Write a node; return its output, or ``_outputs`` of them. None omits an optional part."""
        raise NotImplementedError

    def known_sizes(self, tensor: Tensor) -> Sequence[Any] | None:
        """Return the sizes of a tensor: integers, names of dynamic ones, and None for unknown ones;
        None if its rank is unknown.
        """
        raise NotImplementedError

    def sizes(self, tensor: Tensor) -> Sequence[Any]:
        """Return the sizes of a tensor; raise ValueError if its rank is unknown."""
        sizes = self.known_sizes(tensor)
        if sizes is None:
            raise ValueError(
                f"the mapping needs the rank of a tensor, which {self.exporter} does not know; "
                f"{self.remedy_for_sizes}"
            )
        return sizes

    def element_type(self, tensor: Tensor) -> str | None:
        """Return ONNX's name of a tensor's element type, or None if it is unknown."""
        dtype = self.dtype(tensor)
        return None if dtype is None else type_name(dtype)

    def dtype(self, tensor: Tensor) -> torch.dtype | None:
        """Return the dtype of a tensor, or None if the exporter does not know it."""
        raise NotImplementedError

    def cast(self, tensor: Tensor, dtype: torch.dtype) -> Tensor:
        """Return a tensor in another dtype."""
        raise NotImplementedError

    def number(self, value: Tensor | Number | None) -> Number | None:
        """Return the number that a value is, or None if it is a tensor."""
        return value if isinstance(value, int | float) else None

    def constant(self, value: Constant, *, like: Tensor | str, is_number: bool = False) -> Tensor:
        """Return a number or lists of numbers as a tensor. ``like`` is a tensor of its element
        type, or the name of the type: ``like="INT64"``.

        ``is_number``: the value may be an integer or a float, and PyTorch's result depends on
        which.
        """
        is_named = isinstance(like, str)
        element_type = like if isinstance(like, str) else self.element_type(like)
        if is_computed(value):
            return self.computed(value, element_type)
        if element_type is not None and not is_named:
            check_integer(value, element_type, is_number=is_number)
        check_fits(value, element_type or "")
        return self.tensor(value, element_type)

    def tensor(self, value: Constant, element_type: str | None) -> Tensor:
        """Write a number or lists of numbers as a tensor of an element type; None if that is
        unknown.
        """
        raise NotImplementedError

    def computed(self, value: Constant, element_type: str | None) -> Tensor:
        """Return a `Computed`, or lists with one, as a tensor of an element type."""
        if element_type is None:
            raise ValueError("a dynamic size is combined with a tensor of an unknown element type")
        sizes = sizes_of(value) or []
        shape = self.tensor([1] if sizes else [], "INT64")
        tensors = (
            item.value if isinstance(item, Computed) else self.constant(item, like="INT64")
            for item in leaves(value)
        )
        parts = [self.node("Reshape", tensor, shape) for tensor in tensors]
        result = self.node("Concat", *parts, axis=0) if sizes else parts[0]
        if len(sizes) > 1:
            result = self.node("Reshape", result, self.tensor(sizes, "INT64"))
        cast: Tensor = self.node("Cast", result, to=onnx.TensorProto.DataType.Value(element_type))
        return cast
