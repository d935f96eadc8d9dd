"""The kernel of dynamic_resize::resize, composed of PyTorch's operators."""

# mypy: allow-untyped-calls, no-warn-return-any

from __future__ import annotations

import math

import torch
from torch import Tensor


def resize(input: Tensor, scales: Tensor) -> Tensor:
    """dynamic_resize::resize itself, without its registration."""
    if input.dim() != 4 or not input.is_floating_point():
        raise ValueError(f"input must have 4 dimensions of floats, not {input.shape} {input.dtype}")
    if scales.shape != (4,) or scales.dtype != torch.float32:
        raise ValueError(f"scales must be 4 of float32, not {scales.shape} {scales.dtype}")
    factors = scales.tolist()
    if not all(math.isfinite(factor) and factor > 0 for factor in factors):
        raise ValueError(f"scales must be finite and above 0, not {factors}")
    if factors[:2] != [1.0, 1.0]:
        raise ValueError(f"scales must begin with 1, 1 for batch and channels, not {factors}")
    sizes = (torch.tensor(input.shape[2:]) * scales[2:].cpu()).floor().long().tolist()
    if min(sizes) < 1:
        raise ValueError(f"scales {factors} leave nothing of {input.shape}: {sizes}")
    # As in ONNX Runtime: the sizes are products in float32, equal sizes are copied, and a single row
    # or column is sampled at 0, which is where a scale of 1 samples it.
    if sizes == list(input.shape[2:]):
        return input.clone()
    scale_h, scale_w = (f if size > 1 else 1.0 for f, size in zip(factors[2:], sizes, strict=True))
    return torch.ops.aten.upsample_bicubic2d(input, sizes, False, scale_h, scale_w)
