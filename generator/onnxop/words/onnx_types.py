"""PyTorch's names of ONNX's element types."""

from __future__ import annotations

TORCH_TYPES = {
    "FLOAT": "float32",
    "DOUBLE": "float64",
    "FLOAT16": "float16",
    "BFLOAT16": "bfloat16",
    "BOOL": "bool",
    **{f"{s}INT{bits}": f"{s.lower()}int{bits}" for s in ("", "U") for bits in (8, 16, 32, 64)},
}
