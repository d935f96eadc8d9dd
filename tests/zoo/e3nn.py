"""Equivariant layers of e3nn."""

from __future__ import annotations

import torch
from e3nn import nn, o3

from .sets import sets

REQUIREMENTS = ("e3nn",)


def tensor_product():
    net = o3.FullyConnectedTensorProduct("4x0e + 2x1o", "1x0e + 1x1o", "4x0e + 2x1o")

    def pair(count: int) -> tuple[torch.Tensor, torch.Tensor]:
        return torch.randn(count, 10), torch.randn(count, 4)

    return net.eval(), sets(pair, 5, 7)


def spherical_harmonics():
    net = o3.SphericalHarmonics([0, 1, 2], normalize=True)
    return net.eval(), sets(lambda count: torch.randn(count, 3), 5, 7)


def gate():
    net = nn.Gate("4x0e", [torch.tanh], "2x0e", [torch.sigmoid], "2x1o")
    return net.eval(), sets(lambda count: torch.randn(count, 12), 5, 7)
