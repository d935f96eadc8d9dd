"""What a mapping writes its nodes with for PyTorch's exporters: the interface of `exporters`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import onnx
import torch

from ..mapping.definitions import element_type
from ..mapping.numbers import check_fits, items_of

TORCH_TYPES = {"FLOAT": torch.float32, "DOUBLE": torch.float64} | {
    name.upper(): getattr(torch, name)
    for name in "float16 bfloat16 bool int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()
}
"""PyTorch's dtypes by ONNX's names of element types."""
BY_NUMBER = {onnx.TensorProto.DataType.Value(name): dtype for name, dtype in TORCH_TYPES.items()}
NUMBERS = {dtype: number for number, dtype in BY_NUMBER.items()}
"""ONNX's numbers of element types, by PyTorch's dtypes."""


def kind_of(dtype: torch.dtype) -> str:
    """Return ONNX's name of a dtype."""
    return element_type(str(dtype).removeprefix("torch."))


class Writer:
    """Writes the nodes of the default ONNX domain."""

    def node(self, op_type: str, *inputs: Any, _outputs: int = 1, **attributes: Any) -> Any:
        """Write a node; return its output, or as many as are asked for. None stands for an optional input
        or attribute that is left out.
        """
        raise NotImplementedError

    def known_sizes(self, tensor: Any) -> Sequence[Any] | None:
        """Return the sizes of a tensor, integers where they are known; None where its rank is not."""
        raise NotImplementedError

    def sizes(self, tensor: Any) -> Sequence[Any]:
        """Return the same. Raises ValueError where its rank is not known."""
        sizes = self.known_sizes(tensor)
        if sizes is None:
            raise ValueError("the mapping asks for sizes of a tensor whose rank is not known")
        return sizes

    def kind(self, tensor: Any) -> str | None:
        """Return ONNX's name of a tensor's element type, or None where it is not known."""
        dtype = self.dtype(tensor)
        return None if dtype is None else kind_of(dtype)

    def dtype(self, tensor: Any) -> torch.dtype | None:
        """Return the dtype of a tensor, or None where the exporter does not know it."""
        raise NotImplementedError

    def cast(self, value: Any, to: torch.dtype) -> Any:
        """Return a tensor in another dtype."""
        raise NotImplementedError

    def number(self, value: Any) -> int | float | None:
        """Return the number that a value is; None of a tensor."""
        return value if isinstance(value, int | float) else None

    def constant(self, value: Any, *, like: Any, is_number: bool = False) -> Any:
        """Return a number, or a list of them, as a tensor of the element type of another one, or of the one
        named: ``like="INT64"``.

        ``is_number``: the value may be an integer or a float, and PyTorch looks at which.
        """
        kind = like if isinstance(like, str) else self.kind(like)
        if is_computed(value):
            return self.computed(value, kind)
        if kind is not None and like is not kind:
            check_integer(value, kind, is_number=is_number)
        check_fits(value, kind or "")
        return self.tensor(value, kind)

    def tensor(self, value: Any, kind: str | None) -> Any:
        """Write a number, or a list of them, as a tensor of an element type, as far as it is known."""
        raise NotImplementedError

    def computed(self, value: Any, kind: str | None) -> Any:
        """Return a `Computed`, or a list with such, as a tensor of an element type."""
        if kind is None:
            raise ValueError("the element type of what is computed with a size is not known")
        is_list = isinstance(value, list | tuple)
        shape = self.tensor([1] if is_list else [], "INT64")
        tensors = (
            item.value if isinstance(item, Computed) else self.constant(item, like="INT64")
            for item in items_of(value)
        )
        parts = [self.node("Reshape", tensor, shape) for tensor in tensors]
        found = self.node("Concat", *parts, axis=0) if is_list else parts[0]
        return self.node("Cast", found, to=onnx.TensorProto.DataType.Value(kind))


class Computed:
    """A number that the model computes, as a size along a dynamic axis, among the arguments of a mapping. It
    becomes a tensor by `Writer.constant`; what else is asked of a number is refused.
    """

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def refuse(self, *_: object) -> NoReturn:
        raise ValueError(
            f"{self.name} is computed in the model, as of an open axis, where the rule needs a number; "
            "give it one, as in int(x.shape[0]), and keep that axis closed"
        )

    __bool__ = __int__ = __index__ = __float__ = __len__ = __neg__ = __abs__ = refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __pow__ = __rpow__ = refuse
    __floordiv__ = __rfloordiv__ = __truediv__ = __rtruediv__ = __mod__ = __rmod__ = refuse
    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = refuse
    __hash__ = None  # type: ignore[assignment]


def is_computed(value: Any) -> bool:
    """Return whether a value is a number that the model computes, or a list with one."""
    return any(isinstance(item, Computed) for item in items_of(value))


def check_known(values: Any) -> None:
    """Raise ValueError where the model computes one of the values."""
    for item in (item for value in values for item in items_of(value)):
        if isinstance(item, Computed):
            item.refuse()


def first(like: Any) -> Any:
    """Return the tensor itself; of a list, the first that is given."""
    return next(t for t in like if t is not None) if isinstance(like, list | tuple) else like


def check_integer(value: Any, kind: str, *, is_number: bool = False) -> None:
    """Refuse a number that a tensor of integers cannot hold; and any float where PyTorch's result depends
    on whether the number is one.

    Raises:
        ValueError: it is refused.
    """
    for item in items_of(value) if "INT" in kind or kind == "BOOL" else []:
        if isinstance(item, float) and (is_number or not item.is_integer()):
            raise ValueError(
                f"the number {float(item)!r} stands beside integers ({kind}), where PyTorch computes "
                "in another dtype; convert the tensor before the call, or give an integer"
            )


def as_written(values: Sequence[Any]) -> list[Any]:
    """Return numbers with the floats that ONNX's attributes have rounded to float32 as they were written:
    1.7, not 1.70000005.
    """
    return [_shortest(value) if isinstance(value, float) else value for value in values]


def _shortest(value: float) -> float:
    with np.errstate(over="ignore"):
        single = np.float32(value)
    return float(str(single)) if single == value else value
