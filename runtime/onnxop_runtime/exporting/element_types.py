"""ONNX's element types and PyTorch's dtypes."""

from __future__ import annotations

import onnx
import torch

from ..mapping.definitions import element_type

_SAME_NAMES = "float16 bfloat16 bool int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()

TORCH_TYPES = {"FLOAT": torch.float32, "DOUBLE": torch.float64} | {
    name.upper(): getattr(torch, name) for name in _SAME_NAMES
}
"""PyTorch's dtypes by ONNX's names."""
BY_NUMBER = {onnx.TensorProto.DataType.Value(name): dtype for name, dtype in TORCH_TYPES.items()}
NUMBERS = {dtype: number for number, dtype in BY_NUMBER.items()}
"""ONNX's numbers of element types by PyTorch's dtypes."""


def type_name(dtype: torch.dtype) -> str:
    """Return ONNX's name of a dtype."""
    return element_type(str(dtype).removeprefix("torch."))


def is_integral(dtype: torch.dtype | None) -> bool:
    """Return whether a dtype is known and holds integers or booleans."""
    return dtype is not None and not (dtype.is_floating_point or dtype.is_complex)


def check_not_integer(name: str, dtype: torch.dtype, expected: torch.dtype) -> None:
    """Raise ValueError if a result is computed in integers, and by PyTorch in floats: the values
    differ, too.
    """
    if expected.is_floating_point and not (dtype.is_floating_point or dtype == torch.bool):
        raise ValueError(
            f"{name}: PyTorch returns {expected}, but the model {dtype}; give it float tensors, or "
            "cast in the mapping"
        )
