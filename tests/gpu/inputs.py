"""The dtypes that kernels support, tensors of each, and the results of my_add."""

from __future__ import annotations

import torch
from torch import Tensor

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)


def make(shape: tuple[int, ...], dtype: torch.dtype, device: str = "cuda") -> Tensor:
    if dtype.is_floating_point:
        return torch.randn(shape, device=device).to(dtype)
    return torch.randint(0 if dtype == torch.uint8 else -100, 100, shape, device=device).to(dtype)


def expected(a: Tensor, b: Tensor) -> Tensor:
    """Return 2a + b: 16-bit floats are computed in float32."""
    if a.dtype in (torch.float16, torch.bfloat16):
        return (2 * a.float() + b.float()).to(a.dtype)
    return 2 * a + b
