"""The writer with which a mapping writes nodes for PyTorch's exporters; `exporters` implements it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import onnx
import torch

from ...mapping.definitions import element_type
from ...mapping.numbers import check_fits, leaves, sizes_of

TORCH_TYPES = {"FLOAT": torch.float32, "DOUBLE": torch.float64} | {
    name.upper(): getattr(torch, name)
    for name in "float16 bfloat16 bool int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
}
"""PyTorch's dtypes by ONNX's names."""
BY_NUMBER = {onnx.TensorProto.DataType.Value(name): dtype for name, dtype in TORCH_TYPES.items()}
NUMBERS = {dtype: number for number, dtype in BY_NUMBER.items()}
"""ONNX's numbers of element types by PyTorch's dtypes."""


def kind_of(dtype: torch.dtype) -> str:
    """Return ONNX's name of a dtype."""
    return element_type(str(dtype).removeprefix("torch."))


class Writer:
    """Writes nodes of the default ONNX domain."""

    exporter = "the exporter"
    """The subject of messages about sizes that are unknown, and their remedy."""
    remedy_for_sizes = "compute with op.Shape(...) in the mapping"

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """Write a node; return its output, or ``_outputs`` of them. None omits an optional part."""
        raise NotImplementedError

    def known_sizes(self, tensor: Any) -> Sequence[Any] | None:
        """Return the sizes of a tensor: integers, names of dynamic ones, and None for unknown ones; None if its
        rank is unknown.
        """
        raise NotImplementedError

    def sizes(self, tensor: Any) -> Sequence[Any]:
        """Return the sizes of a tensor; raise ValueError if its rank is unknown."""
        sizes = self.known_sizes(tensor)
        if sizes is None:
            fact = f"the mapping needs the rank of a tensor, which {self.exporter} does not know"
            raise ValueError(f"{fact}; {self.remedy_for_sizes}")
        return sizes

    def kind(self, tensor: Any) -> str | None:
        """Return ONNX's name of a tensor's element type, or None if it is unknown."""
        dtype = self.dtype(tensor)
        return None if dtype is None else kind_of(dtype)

    def dtype(self, tensor: Any) -> torch.dtype | None:
        """Return the dtype of a tensor, or None if the exporter does not know it."""
        raise NotImplementedError

    def cast(self, value: Any, to: torch.dtype) -> Any:
        """Return a tensor in another dtype."""
        raise NotImplementedError

    def number(self, value: Any) -> int | float | None:
        """Return the number that a value is, or None if it is a tensor."""
        return value if isinstance(value, int | float) else None

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        """Return a number or lists of numbers as a tensor. ``like`` is a tensor of its element type, or the
        name of the type: ``like="INT64"``.

        ``is_number``: the value may be an integer or a float, and PyTorch's result depends on which.
        """
        kind = like if isinstance(like, str) else self.kind(like)
        if is_computed(value):
            return self.computed(value, kind)
        if kind is not None and like is not kind:
            check_integer(value, kind, is_number=is_number)
        check_fits(value, kind or "")
        return self.tensor(value, kind)

    def tensor(self, value: Any, kind: str | None) -> Any:
        """Write a number or lists of numbers as a tensor of an element type; None if that is unknown."""
        raise NotImplementedError

    def computed(self, value: Any, kind: str | None) -> Any:
        """Return a `Computed`, or lists with one, as a tensor of an element type."""
        if kind is None:
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
        return self.node("Cast", result, to=onnx.TensorProto.DataType.Value(kind))


class Computed:
    """An argument of a mapping that the model computes, such as a dynamic size. `Writer.constant` makes a
    tensor of it; its use as a number raises ValueError.
    """

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def refuse(self, *_: object) -> NoReturn:
        raise ValueError(
            f"{self.name} is dynamic, but the rule needs a constant; pass a number, as in int(x.shape[0]), "
            "and do not make that axis dynamic"
        )

    __bool__ = __int__ = __index__ = __float__ = __len__ = __neg__ = __abs__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __pow__ = __rpow__ = refuse
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = refuse
    __hash__ = None  # type: ignore[assignment]


def is_computed(value: Any) -> bool:
    """Return whether the model computes a value, or an item of it."""
    return any(isinstance(item, Computed) for item in leaves(value))


def check_known(values: Any) -> None:
    """Raise ValueError if the model computes one of the values."""
    for item in (leaf for value in values for leaf in leaves(value)):
        if isinstance(item, Computed):
            item.refuse()


def check_integer(value: Any, kind: str, *, is_number: bool = False) -> None:
    """Raise ValueError for a number that a tensor of integers cannot hold; with ``is_number``, for any float."""
    for item in leaves(value) if "INT" in kind or kind == "BOOL" else []:
        if isinstance(item, float) and (is_number or not item.is_integer()):
            raise ValueError(
                f"the number {float(item)!r} is combined with integers ({kind}), for which PyTorch computes "
                "in another dtype; convert the tensor before the call, or give an integer"
            )


def as_written(values: Sequence[Any]) -> list[Any]:
    """Return floats that ONNX rounded to float32 as they were written: 1.7, not 1.70000005."""
    return [_shortest(value) if isinstance(value, float) else value for value in values]


def _shortest(value: float) -> float:
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return float(str(single)) if single == value else value
