"""Models of vector-quantize-pytorch."""

from __future__ import annotations

from vector_quantize_pytorch import FSQ, LFQ, ResidualVQ, VectorQuantize

from .sets import sequences

REQUIREMENTS = ("vector-quantize-pytorch",)


def codebook():
    return VectorQuantize(dim=16, codebook_size=32).eval(), sequences(10, 13, 16)


def residual():
    return ResidualVQ(dim=16, codebook_size=32, num_quantizers=2).eval(), sequences(10, 13, 16)


def finite_scalar():
    return FSQ(levels=[8, 5, 5, 5]).eval(), sequences(10, 13, 4)


def without_look_up():
    return LFQ(codebook_size=16, dim=4).eval(), sequences(10, 13, 4)
