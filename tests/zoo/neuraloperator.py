"""Models of neuraloperator."""

from __future__ import annotations

from neuralop.models import FNO

from .sets import images

REQUIREMENTS = ("neuraloperator",)


def fourier():
    net = FNO(n_modes=(4, 4), in_channels=1, out_channels=1, hidden_channels=8, n_layers=2)
    return net.eval(), images(16, 24, 1)
