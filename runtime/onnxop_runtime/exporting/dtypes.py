"""PyTorch's dtypes and ONNX's element types."""

from __future__ import annotations

import onnx
import torch

TORCH_TYPES = {
    "FLOAT": torch.float32,
    "DOUBLE": torch.float64,
    "FLOAT16": torch.float16,
    "BFLOAT16": torch.bfloat16,
    "BOOL": torch.bool,
    "INT8": torch.int8,
    "INT16": torch.int16,
    "INT32": torch.int32,
    "INT64": torch.int64,
    "UINT8": torch.uint8,
    "UINT16": torch.uint16,
    "UINT32": torch.uint32,
    "UINT64": torch.uint64,
}
"""PyTorch's element types by ONNX's names."""
BY_NUMBER = {onnx.TensorProto.DataType.Value(name): dtype for name, dtype in TORCH_TYPES.items()}
NUMBERS = {dtype: number for number, dtype in BY_NUMBER.items()}
"""ONNX's numbers of element types, by PyTorch's dtypes."""
